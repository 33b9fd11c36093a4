// Store requirements: inserts and updates with their conflicts, idempotency, and no other changes.
import type { RunChanges } from "../../ledger/store/rows.ts";
import { assertHolds } from "../conformance-case.ts";
import { readStore, REFERENCED_HASH, createFixture } from "./fixture.ts";
import {
  blobRow,
  chunkRow,
  endedRun,
  toTestHash,
  toTestId,
  keyRow,
  logRow,
  messageRow,
  quarantineRow,
  refRow,
  runRow,
  threadRow,
} from "./rows.ts";
import type { StoreRequirement, StoreTestContext, TransactionStep } from "./store-test-context.ts";
import { assertRejected, assertSame } from "./store-test-context.ts";

/** Asserts that the step is a conflict, and that nothing of its transaction was written. */
async function assertConflict(context: StoreTestContext, step: TransactionStep, what: string): Promise<void> {
  const before = await readStore(context.store, context.tenant);
  await assertRejected("conflict", () => context.write((tx) => tx.insertLog([logRow(context.key, 90)]), step), what);
  await assertSame(readStore(context.store, context.tenant), before, `${what} Something changed all the same.`);
}

async function readsHeads(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const head = threadRow(key);
  await assertSame(reads.thread(key), undefined, "A thread that is not there.");
  await context.write((tx) => tx.insertThread(head));
  await assertSame(reads.thread(key), { ...head, newestMessageId: null, lastId: "" }, "An empty thread.");
  await context.write((tx) => tx.insertLog([logRow(key, 3)]));
  await assertSame(reads.thread(key), { ...head, newestMessageId: null, lastId: toTestId(3) }, "A log row alone.");
  await context.write((tx) => tx.insertMessages([messageRow(key, 4), messageRow(key, 2), messageRow(other, 50)]));
  const newest = { newestMessageId: toTestId(4) };
  await assertSame(reads.thread(key), { ...head, ...newest, lastId: toTestId(4) }, "A message that is newer.");
  await context.write((tx) => tx.insertLog([logRow(key, 6), logRow(key, 5)]));
  await assertSame(reads.thread(key), { ...head, ...newest, lastId: toTestId(6) }, "A log row that is newer.");
  const locked = await context.write((tx) => tx.lockThread(key));
  await assertSame(locked, { ...head, ...newest, lastId: toTestId(6) }, "The same of lockThread.");
  const none = await context.write((tx) => tx.lockThread({ ...key, threadId: "none" }));
  await assertSame(none, undefined, "lockThread of a thread that is not there.");
}

async function insertsThreads(context: StoreTestContext): Promise<void> {
  const { key, reads } = context;
  await context.write(...createFixture(context.tenant));
  await assertConflict(
    context,
    (tx) => tx.insertThread(threadRow(key, { title: "another" })),
    "A thread that is there.",
  );
  const before = await readStore(context.store, context.tenant);
  await context.write((tx) => tx.insertThread(threadRow({ ...key, threadId: "third" })));
  assertHolds((await reads.thread({ ...key, threadId: "third" })) !== undefined, "A third thread is there.");
  const after = await readStore(context.store, context.tenant);
  await assertSame({ ...after, threads: 0 }, { ...before, threads: 0 }, "The other threads changed.");
}

async function updatesThreads(context: StoreTestContext): Promise<void> {
  const { key, reads } = context;
  const row = threadRow(key, { title: "title", scope: "scope", metadata: "{}", pinned: true, leafId: toTestId(1) });
  const stay = threadRow(context.other, { title: "other" });
  await context.write(
    (tx) => tx.insertThread(row),
    (tx) => tx.insertThread(stay),
  );
  const steps = [
    { title: "new" },
    { scope: "new" },
    { metadata: '{"new":1}' },
    { pinned: false },
    { leafId: toTestId(9) },
    {},
    { leafId: null },
    { title: null },
    { title: "", scope: null, metadata: null, pinned: true, leafId: toTestId(2) },
  ];
  for (const change of steps) {
    Object.assign(row, change);
    // Twice, because it must be idempotent.
    for (const time of ["once", "twice"]) {
      await context.write((tx) => tx.updateThread(key, change));
      const should = { ...row, newestMessageId: null, lastId: "" };
      await assertSame(reads.thread(key), should, `updateThread ${JSON.stringify(change)} ${time}.`);
    }
  }
  await context.write((tx) => tx.updateThread({ ...key, threadId: "none" }, { title: "none" }));
  await assertSame(reads.threads(key.tenant, { limit: 9 }), [stay, row], "No other thread changed or was made.");
}

async function insertsMessages(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  await context.write(...createFixture(context.tenant));
  const insert =
    (...numbers: number[]): TransactionStep =>
    (tx) =>
      tx.insertMessages(numbers.map((number) => messageRow(key, number, { body: "another" })));
  await assertConflict(context, insert(3), "A message that is there.");
  await assertConflict(context, insert(20, 21, 3, 22), "A message that is there among others.");
  await assertConflict(context, insert(20, 20), "A message that comes twice.");
  await context.write((tx) => tx.insertMessages([messageRow(other, 3)]));
  assertHolds(
    (await reads.message(other, toTestId(3))) !== undefined,
    "The id of a message in another thread is free.",
  );
  await context.write((tx) => tx.insertMessages([]));
  const many = Array.from({ length: 1_500 }, (_, at) => messageRow(key, 100 + at, { role: "tool" }));
  await context.write((tx) => tx.insertMessages(many));
  await assertSame(reads.messages(key, { after: toTestId(50), limit: 9_999 }), many, "Many messages at once.");
}

async function insertsRuns(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  await context.write(...createFixture(context.tenant));
  await assertConflict(context, (tx) => tx.insertRun(runRow(key, "run", { epoch: 9 })), "A run that is there.");
  const row = runRow(other, "run-new", { forks: true, forkFromId: toTestId(1) });
  await context.write((tx) => tx.insertRun(row));
  await assertSame(reads.run(context.tenant, "run-new"), row, "A run is found by its id alone.");
  await assertSame(reads.run(context.tenant, "none"), undefined, "A run that is not there.");
  await context.write((tx) => tx.insertRun(runRow(other, "run", { epoch: 7 })));
  const epochs = (await reads.runs(other)).map(({ epoch }) => epoch);
  await assertSame(epochs, [7, 1, 1], "The id of a run in another thread is free.");
}

const RUN_CHANGES: readonly RunChanges[] = [
  { state: "streaming" },
  { leaseUntil: 2 ** 50 },
  { firstDeltaId: toTestId(1), lastDeltaId: toTestId(2), lastSeq: 7 },
  { usage: '{"inputTokens":1}' },
  { metadata: "{}" },
  { error: '{"kind":"other"}' },
  { state: "committed", finishedAt: 2 ** 51 },
  { compacted: true },
  {},
  { error: null, usage: null, metadata: null, firstDeltaId: null, lastDeltaId: null, finishedAt: null },
  { state: "superseded", compacted: false, lastSeq: -1, leaseUntil: 0 },
];

async function updatesRuns(context: StoreTestContext): Promise<void> {
  const { key, reads, tenant } = context;
  const row = runRow(key, "run", { epoch: 3 });
  const stay = runRow(key, "run-stays", { epoch: 3 });
  await context.write(
    (tx) => tx.insertRun(row),
    (tx) => tx.insertRun(stay),
  );
  for (const change of RUN_CHANGES) {
    const outdated = await context.write((tx) => tx.updateRun(key, "run", 2, change));
    await assertSame(outdated, false, "An outdated epoch changes nothing.");
    await assertSame(reads.run(tenant, "run"), row, "An outdated epoch changed something.");
    Object.assign(row, change);
    const isDone = await context.write((tx) => tx.updateRun(key, "run", 3, change));
    await assertSame(isDone, true, `updateRun ${JSON.stringify(change)} with the right epoch.`);
    await assertSame(reads.run(tenant, "run"), row, `updateRun ${JSON.stringify(change)}.`);
  }
  await assertSame(await context.write((tx) => tx.updateRun(key, "run", 3, { epoch: 4 })), true, "A takeover.");
  const fenced = await context.write((tx) => tx.updateRun(key, "run", 3, { state: "failed" }));
  await assertSame(fenced, false, "The epoch before a takeover.");
  await assertSame(reads.runs(key), [{ ...row, epoch: 4 }, stay], "Runs after all that.");
  const unknown = await context.write((tx) => tx.updateRun(key, "none", 1, { state: "failed" }));
  await assertSame(unknown, false, "A run that is not there.");
}

/** The effect of run changes on the lists of expired and compactable runs. */
async function movesRuns(context: StoreTestContext): Promise<void> {
  const { key, reads, tenant } = context;
  const lists = async (): Promise<number[]> => [
    (await reads.expiredRuns(5_000, 9, tenant)).length,
    (await reads.compactableRuns(5_000, 9, tenant)).length,
  ];
  const change = (changes: RunChanges): Promise<unknown> => context.write((tx) => tx.updateRun(key, "run", 1, changes));
  const { firstDeltaId, lastDeltaId, lastSeq } = endedRun(key, "run", 1);
  await context.write((tx) => tx.insertRun(runRow(key, "run")));
  await assertSame(lists(), [1, 0], "A run with a lease that is over.");
  await change({ leaseUntil: 9_000 });
  await assertSame(lists(), [0, 0], "Its lease was renewed.");
  await change({ leaseUntil: 10, state: "streaming", firstDeltaId, lastDeltaId, lastSeq });
  await assertSame(lists(), [1, 0], "It streams, and its lease is over.");
  await change({ state: "failed", finishedAt: 4_000 });
  await assertSame(lists(), [0, 1], "It failed.");
  await change({ compacted: true });
  await assertSame(lists(), [0, 0], "It was compacted.");
}

async function insertsKeys(context: StoreTestContext): Promise<void> {
  const { key, reads } = context;
  await context.write(...createFixture(context.tenant));
  await assertConflict(context, (tx) => tx.insertKey(keyRow(key, "key", { hash: "another" })), "A key that is there.");
  await assertSame(reads.idempotencyKey(key, "none"), undefined, "A key that is not there.");
  const third = { ...key, threadId: "third" };
  await context.write((tx) => tx.insertKey(keyRow(third, "key")));
  await assertSame(reads.idempotencyKey(third, "key"), keyRow(third, "key"), "The key is free in another thread.");
}

async function insertsBlobsOnce(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const first = blobRow(tenant, toTestHash("dd"));
  const second = { ...first, blobId: toTestId(1), size: 99, createdAt: 9 };
  await assertSame(await context.write((tx) => tx.insertBlob(first)), true, "The first row of a hash is written.");
  await assertSame(await context.write((tx) => tx.insertBlob(second)), false, "The second is not.");
  await assertSame(reads.blob(tenant, first.hash), first, "The first row stays.");
  await assertSame(reads.blob(tenant, toTestHash("ee")), undefined, "A blob that is not there.");
}

async function refreshesBlobs(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const [row, other] = [blobRow(tenant, toTestHash("dd")), blobRow(tenant, toTestHash("ee"))];
  await context.write(
    (tx) => tx.insertBlob(row),
    (tx) => tx.insertBlob(other),
  );
  const refresh = (hash: string, createdAt: number): Promise<unknown> =>
    context.write((tx) => tx.refreshBlob(tenant, hash, createdAt));
  for (let time = 0; time < 2; time++) await assertSame(await refresh(row.hash, 2_000), true, "A blob that is there.");
  await assertSame(await refresh(row.hash, 1_500), true, "A blob that is there and younger.");
  await assertSame(
    reads.blob(tenant, row.hash),
    { ...row, createdAt: 2_000 },
    "It has the later time, and is the same.",
  );
  await assertSame(await refresh(toTestHash("ff"), 2_000), false, "A blob that is not there.");
  await assertSame(reads.blob(tenant, toTestHash("ff")), undefined, "It is not made.");
  await assertSame(reads.blob(tenant, other.hash), other, "Another blob stays as it was.");
}

async function separatesChunks(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const rows = ["a", "b"].flatMap((blobId) =>
    [0, 1, 10].map((at) => chunkRow(tenant, blobId, at, [at, blobId.length])),
  );
  for (const row of rows.toReversed()) await context.write((tx) => tx.insertChunk(row));
  for (const row of rows) await assertSame(reads.chunk(tenant, row.blobId, row.position), row, "A chunk.");
  await assertSame(reads.chunk(tenant, "a", 2), undefined, "A position that is not there.");
  await context.write((tx) => tx.deleteChunks(tenant, "a"));
  await context.write((tx) => tx.deleteChunks(tenant, "a"));
  for (const row of rows) {
    const should = row.blobId === "a" ? undefined : row;
    await assertSame(reads.chunk(tenant, row.blobId, row.position), should, "After the chunks of one were deleted.");
  }
}

async function insertsRefsOnce(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const refs = [refRow(key, 1, REFERENCED_HASH), refRow(key, 2, REFERENCED_HASH)];
  for (let time = 0; time < 2; time++) await context.write((tx) => tx.insertBlobRefs([...refs, ...refs]));
  await context.write((tx) => tx.insertBlobRefs([]));
  await assertSame(reads.blobRefs(key), refs, "Each reference once.");
  await assertSame(reads.blobRefs(other), [], "Another thread has none.");
}

async function quarantinesOnce(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const row = quarantineRow(key, 1);
  await context.write((tx) => tx.quarantine(row));
  await context.write((tx) => tx.quarantine(row));
  await assertSame(reads.quarantined(tenant, 9), [row], "One record, twice quarantined.");
  await context.write((tx) => tx.quarantine({ ...row, reason: "another" }));
  assertHolds((await reads.quarantined(tenant, 9)).length === 1, "There is one row per message.");
}

export const WRITE_CLAIMS: readonly StoreRequirement[] = [
  ["a thread says where its history ends: the newest message, the largest id of messages and log", readsHeads],
  ["insertThread: an id that is taken is a conflict", insertsThreads],
  ["updateThread changes what is named, and is idempotent", updatesThreads],
  ["insertMessages: all or none; an id that is taken within the thread is a conflict", insertsMessages],
  ["insertRun: an id that is taken within the thread is a conflict", insertsRuns],
  ["updateRun changes what is named where the epoch is right, else nothing", updatesRuns],
  ["a run that changes leaves and joins the lists of expired and compactable ones", movesRuns],
  ["insertKey: a key that is taken within the thread is a conflict", insertsKeys],
  ["insertBlob: the first row of a hash stays", insertsBlobsOnce],
  ["refreshBlob makes a blob younger, never older, and says whether it is there", refreshesBlobs],
  ["chunks are found by blob and position; deleteChunks takes those of one blob", separatesChunks],
  ["insertBlobRefs is idempotent", insertsRefsOnce],
  ["quarantine is idempotent: one row per message", quarantinesOnce],
];
