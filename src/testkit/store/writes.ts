// What each method that adds or changes rows does: conflicts, idempotency, and no change beside the one asked for.
import type { RunChanges } from "../../ledger/rows.ts";
import { demand } from "../demand.ts";
import { everythingNow, HELD, household } from "./fixture.ts";
import {
  blobRow,
  chunkRow,
  endedRun,
  hashOf,
  idOf,
  keyRow,
  logRow,
  messageRow,
  quarantineRow,
  refRow,
  runRow,
  threadRow,
} from "./rows.ts";
import type { Claim, Stage, Step } from "./stage.ts";
import { demandRefusal, demandSame } from "./stage.ts";

/** The step is a conflict, and nothing of the whole work is there afterwards. */
async function demandConflict(stage: Stage, step: Step, what: string): Promise<void> {
  const before = await everythingNow(stage.store, stage.tenant);
  await demandRefusal("conflict", () => stage.write((tx) => tx.insertLog([logRow(stage.key, 90)]), step), what);
  await demandSame(everythingNow(stage.store, stage.tenant), before, `${what} Something changed all the same.`);
}

async function tellsHeads(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const head = threadRow(key);
  await demandSame(reads.thread(key), undefined, "A thread that is not there.");
  await stage.write((tx) => tx.insertThread(head));
  await demandSame(reads.thread(key), { ...head, newestMessageId: null, lastId: "" }, "An empty thread.");
  await stage.write((tx) => tx.insertLog([logRow(key, 3)]));
  await demandSame(reads.thread(key), { ...head, newestMessageId: null, lastId: idOf(3) }, "A log row alone.");
  await stage.write((tx) => tx.insertMessages([messageRow(key, 4), messageRow(key, 2), messageRow(other, 50)]));
  const newest = { newestMessageId: idOf(4) };
  await demandSame(reads.thread(key), { ...head, ...newest, lastId: idOf(4) }, "A message that is newer.");
  await stage.write((tx) => tx.insertLog([logRow(key, 6), logRow(key, 5)]));
  await demandSame(reads.thread(key), { ...head, ...newest, lastId: idOf(6) }, "A log row that is newer.");
  const locked = await stage.write((tx) => tx.lockThread(key));
  await demandSame(locked, { ...head, ...newest, lastId: idOf(6) }, "The same of lockThread.");
  const none = await stage.write((tx) => tx.lockThread({ ...key, threadId: "none" }));
  await demandSame(none, undefined, "lockThread of a thread that is not there.");
}

async function insertsThreads(stage: Stage): Promise<void> {
  const { key, reads } = stage;
  await stage.write(...household(stage.tenant));
  await demandConflict(stage, (tx) => tx.insertThread(threadRow(key, { title: "another" })), "A thread that is there.");
  const before = await everythingNow(stage.store, stage.tenant);
  await stage.write((tx) => tx.insertThread(threadRow({ ...key, threadId: "third" })));
  demand((await reads.thread({ ...key, threadId: "third" })) !== undefined, "A third thread is there.");
  const after = await everythingNow(stage.store, stage.tenant);
  await demandSame({ ...after, threads: 0 }, { ...before, threads: 0 }, "The other threads changed.");
}

async function updatesThreads(stage: Stage): Promise<void> {
  const { key, reads } = stage;
  const row = threadRow(key, { title: "title", scope: "scope", metadata: "{}", pinned: true, leafId: idOf(1) });
  const stay = threadRow(stage.other, { title: "other" });
  await stage.write(
    (tx) => tx.insertThread(row),
    (tx) => tx.insertThread(stay),
  );
  const steps = [
    { title: "new" },
    { scope: "new" },
    { metadata: '{"new":1}' },
    { pinned: false },
    { leafId: idOf(9) },
    {},
    { leafId: null },
    { title: null },
    { title: "", scope: null, metadata: null, pinned: true, leafId: idOf(2) },
  ];
  for (const change of steps) {
    Object.assign(row, change);
    // Twice, as it must be idempotent.
    for (const time of ["once", "twice"]) {
      await stage.write((tx) => tx.updateThread(key, change));
      const should = { ...row, newestMessageId: null, lastId: "" };
      await demandSame(reads.thread(key), should, `updateThread ${JSON.stringify(change)} ${time}.`);
    }
  }
  await stage.write((tx) => tx.updateThread({ ...key, threadId: "none" }, { title: "none" }));
  await demandSame(reads.threads(key.tenant, { limit: 9 }), [stay, row], "No other thread changed or was made.");
}

async function insertsMessages(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  await stage.write(...household(stage.tenant));
  const insert =
    (...numbers: number[]): Step =>
    (tx) =>
      tx.insertMessages(numbers.map((number) => messageRow(key, number, { body: "another" })));
  await demandConflict(stage, insert(3), "A message that is there.");
  await demandConflict(stage, insert(20, 21, 3, 22), "A message that is there among others.");
  await demandConflict(stage, insert(20, 20), "A message that comes twice.");
  await stage.write((tx) => tx.insertMessages([messageRow(other, 3)]));
  demand((await reads.message(other, idOf(3))) !== undefined, "The id of a message in another thread is free.");
  await stage.write((tx) => tx.insertMessages([]));
  const many = Array.from({ length: 1_500 }, (_, at) => messageRow(key, 100 + at, { role: "tool" }));
  await stage.write((tx) => tx.insertMessages(many));
  await demandSame(reads.messages(key, { after: idOf(50), limit: 9_999 }), many, "Many messages at once.");
}

async function insertsRuns(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  await stage.write(...household(stage.tenant));
  await demandConflict(stage, (tx) => tx.insertRun(runRow(key, "run", { epoch: 9 })), "A run that is there.");
  const row = runRow(other, "run-new", { forks: true, forkFromId: idOf(1) });
  await stage.write((tx) => tx.insertRun(row));
  await demandSame(reads.run(stage.tenant, "run-new"), row, "A run is found by its id alone.");
  await demandSame(reads.run(stage.tenant, "none"), undefined, "A run that is not there.");
  await stage.write((tx) => tx.insertRun(runRow(other, "run", { epoch: 7 })));
  const epochs = (await reads.runs(other)).map(({ epoch }) => epoch);
  await demandSame(epochs, [7, 1, 1], "The id of a run in another thread is free.");
}

const RUN_CHANGES: readonly RunChanges[] = [
  { state: "streaming" },
  { leaseUntil: 2 ** 50 },
  { firstDeltaId: idOf(1), lastDeltaId: idOf(2), lastSeq: 7 },
  { usage: '{"inputTokens":1}' },
  { metadata: "{}" },
  { error: '{"kind":"other"}' },
  { state: "committed", finishedAt: 2 ** 51 },
  { compacted: true },
  {},
  { error: null, usage: null, metadata: null, firstDeltaId: null, lastDeltaId: null, finishedAt: null },
  { state: "superseded", compacted: false, lastSeq: -1, leaseUntil: 0 },
];

async function updatesRuns(stage: Stage): Promise<void> {
  const { key, reads, tenant } = stage;
  const row = runRow(key, "run", { epoch: 3 });
  const stay = runRow(key, "run-stays", { epoch: 3 });
  await stage.write(
    (tx) => tx.insertRun(row),
    (tx) => tx.insertRun(stay),
  );
  for (const change of RUN_CHANGES) {
    const outdated = await stage.write((tx) => tx.updateRun(key, "run", 2, change));
    await demandSame(outdated, false, "An outdated epoch changes nothing.");
    await demandSame(reads.run(tenant, "run"), row, "An outdated epoch changed something.");
    Object.assign(row, change);
    const isDone = await stage.write((tx) => tx.updateRun(key, "run", 3, change));
    await demandSame(isDone, true, `updateRun ${JSON.stringify(change)} with the right epoch.`);
    await demandSame(reads.run(tenant, "run"), row, `updateRun ${JSON.stringify(change)}.`);
  }
  await demandSame(await stage.write((tx) => tx.updateRun(key, "run", 3, { epoch: 4 })), true, "A takeover.");
  const fenced = await stage.write((tx) => tx.updateRun(key, "run", 3, { state: "failed" }));
  await demandSame(fenced, false, "The epoch before a takeover.");
  await demandSame(reads.runs(key), [{ ...row, epoch: 4 }, stay], "Runs after all that.");
  const unknown = await stage.write((tx) => tx.updateRun(key, "none", 1, { state: "failed" }));
  await demandSame(unknown, false, "A run that is not there.");
}

/** What a change of a run does to the two lists of runs that need care. */
async function movesRuns(stage: Stage): Promise<void> {
  const { key, reads, tenant } = stage;
  const lists = async (): Promise<number[]> => [
    (await reads.expiredRuns(5_000, 9, tenant)).length,
    (await reads.compactableRuns(5_000, 9, tenant)).length,
  ];
  const change = (changes: RunChanges): Promise<unknown> => stage.write((tx) => tx.updateRun(key, "run", 1, changes));
  const { firstDeltaId, lastDeltaId, lastSeq } = endedRun(key, "run", 1);
  await stage.write((tx) => tx.insertRun(runRow(key, "run")));
  await demandSame(lists(), [1, 0], "A run with a lease that is over.");
  await change({ leaseUntil: 9_000 });
  await demandSame(lists(), [0, 0], "Its lease was renewed.");
  await change({ leaseUntil: 10, state: "streaming", firstDeltaId, lastDeltaId, lastSeq });
  await demandSame(lists(), [1, 0], "It streams, and its lease is over.");
  await change({ state: "failed", finishedAt: 4_000 });
  await demandSame(lists(), [0, 1], "It failed.");
  await change({ compacted: true });
  await demandSame(lists(), [0, 0], "It was compacted.");
}

async function insertsKeys(stage: Stage): Promise<void> {
  const { key, reads } = stage;
  await stage.write(...household(stage.tenant));
  await demandConflict(stage, (tx) => tx.insertKey(keyRow(key, "key", { hash: "another" })), "A key that is there.");
  await demandSame(reads.idempotencyKey(key, "none"), undefined, "A key that is not there.");
  const third = { ...key, threadId: "third" };
  await stage.write((tx) => tx.insertKey(keyRow(third, "key")));
  await demandSame(reads.idempotencyKey(third, "key"), keyRow(third, "key"), "The key is free in another thread.");
}

async function insertsBlobsOnce(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const first = blobRow(tenant, hashOf("dd"));
  const second = { ...first, blobId: idOf(1), size: 99, createdAt: 9 };
  await demandSame(await stage.write((tx) => tx.insertBlob(first)), true, "The first row of a hash is written.");
  await demandSame(await stage.write((tx) => tx.insertBlob(second)), false, "The second is not.");
  await demandSame(reads.blob(tenant, first.hash), first, "The first row stays.");
  await demandSame(reads.blob(tenant, hashOf("ee")), undefined, "A blob that is not there.");
}

async function refreshesBlobs(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const [row, other] = [blobRow(tenant, hashOf("dd")), blobRow(tenant, hashOf("ee"))];
  await stage.write(
    (tx) => tx.insertBlob(row),
    (tx) => tx.insertBlob(other),
  );
  const refresh = (hash: string, createdAt: number): Promise<unknown> =>
    stage.write((tx) => tx.refreshBlob(tenant, hash, createdAt));
  for (let time = 0; time < 2; time++) await demandSame(await refresh(row.hash, 2_000), true, "A blob that is there.");
  await demandSame(await refresh(row.hash, 1_500), true, "A blob that is there and younger.");
  await demandSame(
    reads.blob(tenant, row.hash),
    { ...row, createdAt: 2_000 },
    "It has the later time, and is the same.",
  );
  await demandSame(await refresh(hashOf("ff"), 2_000), false, "A blob that is not there.");
  await demandSame(reads.blob(tenant, hashOf("ff")), undefined, "It is not made.");
  await demandSame(reads.blob(tenant, other.hash), other, "Another blob stays as it was.");
}

async function keepsChunksApart(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const rows = ["a", "b"].flatMap((blobId) =>
    [0, 1, 10].map((at) => chunkRow(tenant, blobId, at, [at, blobId.length])),
  );
  for (const row of rows.toReversed()) await stage.write((tx) => tx.insertChunk(row));
  for (const row of rows) await demandSame(reads.chunk(tenant, row.blobId, row.position), row, "A chunk.");
  await demandSame(reads.chunk(tenant, "a", 2), undefined, "A position that is not there.");
  await stage.write((tx) => tx.deleteChunks(tenant, "a"));
  await stage.write((tx) => tx.deleteChunks(tenant, "a"));
  for (const row of rows) {
    const should = row.blobId === "a" ? undefined : row;
    await demandSame(reads.chunk(tenant, row.blobId, row.position), should, "After the chunks of one were deleted.");
  }
}

async function insertsRefsOnce(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const refs = [refRow(key, 1, HELD), refRow(key, 2, HELD)];
  for (let time = 0; time < 2; time++) await stage.write((tx) => tx.insertBlobRefs([...refs, ...refs]));
  await stage.write((tx) => tx.insertBlobRefs([]));
  await demandSame(reads.blobRefs(key), refs, "Each reference once.");
  await demandSame(reads.blobRefs(other), [], "Another thread has none.");
}

async function quarantinesOnce(stage: Stage): Promise<void> {
  const { key, tenant, reads } = stage;
  const row = quarantineRow(key, 1);
  await stage.write((tx) => tx.quarantine(row));
  await stage.write((tx) => tx.quarantine(row));
  await demandSame(reads.quarantined(tenant, 9), [row], "One record, twice quarantined.");
  await stage.write((tx) => tx.quarantine({ ...row, reason: "another" }));
  demand((await reads.quarantined(tenant, 9)).length === 1, "There is one row per message.");
}

export const WRITE_CLAIMS: readonly Claim[] = [
  ["a thread says where its history ends: the newest message, the largest id of messages and log", tellsHeads],
  ["insertThread: an id that is taken is a conflict", insertsThreads],
  ["updateThread changes what is named, and is idempotent", updatesThreads],
  ["insertMessages: all or none; an id that is taken within the thread is a conflict", insertsMessages],
  ["insertRun: an id that is taken within the thread is a conflict", insertsRuns],
  ["updateRun changes what is named where the epoch is right, else nothing", updatesRuns],
  ["a run that changes leaves and joins the lists of expired and compactable ones", movesRuns],
  ["insertKey: a key that is taken within the thread is a conflict", insertsKeys],
  ["insertBlob: the first row of a hash stays", insertsBlobsOnce],
  ["refreshBlob makes a blob younger, never older, and says whether it is there", refreshesBlobs],
  ["chunks are found by blob and position; deleteChunks takes those of one blob", keepsChunksApart],
  ["insertBlobRefs is idempotent", insertsRefsOnce],
  ["quarantine is idempotent: one row per message", quarantinesOnce],
];
