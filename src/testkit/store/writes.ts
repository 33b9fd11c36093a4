// Checks that inserts and updates of a store change only their rows, report conflicts, and are idempotent.
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

/** Asserts that the step is rejected as a conflict, and that no write of its transaction is stored. */
async function assertConflict(context: StoreTestContext, step: TransactionStep, what: string): Promise<void> {
  const before = await readStore(context.store, context.tenant);
  await assertRejected("conflict", () => context.write((tx) => tx.insertLog([logRow(context.key, 90)]), step), what);
  await assertSame(readStore(context.store, context.tenant), before, `${what} must not change the store.`);
}

async function readsHeads(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const head = threadRow(key);
  await assertSame(reads.thread(key), undefined, "thread must return undefined for a thread that does not exist.");
  await context.write((tx) => tx.insertThread(head));
  await assertSame(
    reads.thread(key),
    { ...head, newestMessageId: null, lastId: "" },
    "thread must return a thread without rows with no newest message and an empty lastId.",
  );
  await context.write((tx) => tx.insertLog([logRow(key, 3)]));
  await assertSame(
    reads.thread(key),
    { ...head, newestMessageId: null, lastId: toTestId(3) },
    "lastId must be the id of the only log row.",
  );
  await context.write((tx) => tx.insertMessages([messageRow(key, 4), messageRow(key, 2), messageRow(other, 50)]));
  const newest = { newestMessageId: toTestId(4) };
  await assertSame(
    reads.thread(key),
    { ...head, ...newest, lastId: toTestId(4) },
    "newestMessageId and lastId must be the largest message id of the thread.",
  );
  await context.write((tx) => tx.insertLog([logRow(key, 6), logRow(key, 5)]));
  await assertSame(
    reads.thread(key),
    { ...head, ...newest, lastId: toTestId(6) },
    "lastId must be the id of a log row that is newer than the messages.",
  );
  const locked = await context.write((tx) => tx.lockThread(key));
  await assertSame(
    locked,
    { ...head, ...newest, lastId: toTestId(6) },
    "lockThread must return the same row as thread.",
  );
  const none = await context.write((tx) => tx.lockThread({ ...key, threadId: "none" }));
  await assertSame(none, undefined, "lockThread must return undefined for a thread that does not exist.");
}

async function insertsThreads(context: StoreTestContext): Promise<void> {
  const { key, reads } = context;
  await context.write(...createFixture(context.tenant));
  await assertConflict(
    context,
    (tx) => tx.insertThread(threadRow(key, { title: "another" })),
    "insertThread with an existing id",
  );
  const before = await readStore(context.store, context.tenant);
  await context.write((tx) => tx.insertThread(threadRow({ ...key, threadId: "third" })));
  assertHolds(
    (await reads.thread({ ...key, threadId: "third" })) !== undefined,
    "insertThread must store the third thread.",
  );
  const after = await readStore(context.store, context.tenant);
  await assertSame(
    { ...after, threads: 0 },
    { ...before, threads: 0 },
    "insertThread must not change the other threads.",
  );
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
    // The update runs twice, because it must be idempotent.
    for (const time of ["once", "twice"]) {
      await context.write((tx) => tx.updateThread(key, change));
      const should = { ...row, newestMessageId: null, lastId: "" };
      await assertSame(
        reads.thread(key),
        should,
        `updateThread ${JSON.stringify(change)} ${time} must change exactly these fields.`,
      );
    }
  }
  await context.write((tx) => tx.updateThread({ ...key, threadId: "none" }, { title: "none" }));
  await assertSame(
    reads.threads(key.tenant, { limit: 9 }),
    [stay, row],
    "updateThread must not change or create another thread.",
  );
}

async function insertsMessages(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  await context.write(...createFixture(context.tenant));
  const insert =
    (...numbers: number[]): TransactionStep =>
    (tx) =>
      tx.insertMessages(numbers.map((number) => messageRow(key, number, { body: "another" })));
  await assertConflict(context, insert(3), "insertMessages with an existing id");
  await assertConflict(context, insert(20, 21, 3, 22), "insertMessages with an existing id among new ids");
  await assertConflict(context, insert(20, 20), "insertMessages with the same id twice");
  await context.write((tx) => tx.insertMessages([messageRow(other, 3)]));
  assertHolds(
    (await reads.message(other, toTestId(3))) !== undefined,
    "insertMessages must accept the id of a message in another thread.",
  );
  await context.write((tx) => tx.insertMessages([]));
  const many = Array.from({ length: 1_500 }, (_, at) => messageRow(key, 100 + at, { role: "tool" }));
  await context.write((tx) => tx.insertMessages(many));
  await assertSame(
    reads.messages(key, { after: toTestId(50), limit: 9_999 }),
    many,
    "insertMessages must store 1,500 messages at once.",
  );
}

async function insertsRuns(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  await context.write(...createFixture(context.tenant));
  await assertConflict(
    context,
    (tx) => tx.insertRun(runRow(key, "run", { epoch: 9 })),
    "insertRun with an existing id",
  );
  const row = runRow(other, "run-new", { forks: true, forkFromId: toTestId(1) });
  await context.write((tx) => tx.insertRun(row));
  await assertSame(reads.run(context.tenant, "run-new"), row, "run must find a run by its id alone.");
  await assertSame(
    reads.run(context.tenant, "none"),
    undefined,
    "run must return undefined for a run that does not exist.",
  );
  await context.write((tx) => tx.insertRun(runRow(other, "run", { epoch: 7 })));
  const epochs = (await reads.runs(other)).map(({ epoch }) => epoch);
  await assertSame(epochs, [7, 1, 1], "insertRun must accept the id of a run in another thread.");
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
    await assertSame(outdated, false, "updateRun with an outdated epoch must return false.");
    await assertSame(reads.run(tenant, "run"), row, "updateRun with an outdated epoch must change nothing.");
    Object.assign(row, change);
    const isDone = await context.write((tx) => tx.updateRun(key, "run", 3, change));
    await assertSame(isDone, true, `updateRun ${JSON.stringify(change)} with the right epoch must return true.`);
    await assertSame(
      reads.run(tenant, "run"),
      row,
      `updateRun ${JSON.stringify(change)} must change exactly these fields.`,
    );
  }
  await assertSame(
    await context.write((tx) => tx.updateRun(key, "run", 3, { epoch: 4 })),
    true,
    "updateRun that changes the epoch must return true.",
  );
  const fenced = await context.write((tx) => tx.updateRun(key, "run", 3, { state: "failed" }));
  await assertSame(fenced, false, "updateRun with the replaced epoch must return false.");
  await assertSame(
    reads.runs(key),
    [{ ...row, epoch: 4 }, stay],
    "runs must return the run with all updates, and the other run unchanged.",
  );
  const unknown = await context.write((tx) => tx.updateRun(key, "none", 1, { state: "failed" }));
  await assertSame(unknown, false, "updateRun of a run that does not exist must return false.");
}

/**
 * Requires that a change of a run adds it to, or removes it from, the lists `expiredRuns` (its lease has expired) and
 * `compactableRuns` (it has ended and its deltas are still in the log).
 */
async function movesRuns(context: StoreTestContext): Promise<void> {
  const { key, reads, tenant } = context;
  const lists = async (): Promise<number[]> => [
    (await reads.expiredRuns(5_000, 9, tenant)).length,
    (await reads.compactableRuns(5_000, 9, tenant)).length,
  ];
  const change = (changes: RunChanges): Promise<unknown> => context.write((tx) => tx.updateRun(key, "run", 1, changes));
  const { firstDeltaId, lastDeltaId, lastSeq } = endedRun(key, "run", 1);
  await context.write((tx) => tx.insertRun(runRow(key, "run")));
  await assertSame(lists(), [1, 0], "expiredRuns must list a created run whose lease has expired.");
  await change({ leaseUntil: 9_000 });
  await assertSame(lists(), [0, 0], "expiredRuns must not list a run whose lease was renewed.");
  await change({ leaseUntil: 10, state: "streaming", firstDeltaId, lastDeltaId, lastSeq });
  await assertSame(lists(), [1, 0], "expiredRuns must list a streaming run whose lease has expired.");
  await change({ state: "failed", finishedAt: 4_000 });
  await assertSame(
    lists(),
    [0, 1],
    "compactableRuns must list a failed run with deltas, and expiredRuns must not list it.",
  );
  await change({ compacted: true });
  await assertSame(lists(), [0, 0], "compactableRuns must not list a compacted run.");
}

async function insertsKeys(context: StoreTestContext): Promise<void> {
  const { key, reads } = context;
  await context.write(...createFixture(context.tenant));
  await assertConflict(
    context,
    (tx) => tx.insertKey(keyRow(key, "key", { hash: "another" })),
    "insertKey with an existing key",
  );
  await assertSame(
    reads.idempotencyKey(key, "none"),
    undefined,
    "idempotencyKey must return undefined for a key that does not exist.",
  );
  const third = { ...key, threadId: "third" };
  await context.write((tx) => tx.insertKey(keyRow(third, "key")));
  await assertSame(
    reads.idempotencyKey(third, "key"),
    keyRow(third, "key"),
    "insertKey must accept a key that another thread has.",
  );
}

async function insertsBlobsOnce(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const first = blobRow(tenant, toTestHash("dd"));
  const second = { ...first, blobId: toTestId(1), size: 99, createdAt: 9 };
  await assertSame(
    await context.write((tx) => tx.insertBlob(first)),
    true,
    "insertBlob of a new hash must return true.",
  );
  await assertSame(
    await context.write((tx) => tx.insertBlob(second)),
    false,
    "insertBlob of an existing hash must return false.",
  );
  await assertSame(reads.blob(tenant, first.hash), first, "insertBlob must not replace the first row of a hash.");
  await assertSame(
    reads.blob(tenant, toTestHash("ee")),
    undefined,
    "blob must return undefined for a hash that does not exist.",
  );
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
  for (let time = 0; time < 2; time++)
    await assertSame(await refresh(row.hash, 2_000), true, "refreshBlob of an existing blob must return true.");
  await assertSame(await refresh(row.hash, 1_500), true, "refreshBlob of a blob with a later time must return true.");
  await assertSame(
    reads.blob(tenant, row.hash),
    { ...row, createdAt: 2_000 },
    "refreshBlob must keep the later time and change no other field.",
  );
  await assertSame(
    await refresh(toTestHash("ff"), 2_000),
    false,
    "refreshBlob of a blob that does not exist must return false.",
  );
  await assertSame(reads.blob(tenant, toTestHash("ff")), undefined, "refreshBlob must not create a blob.");
  await assertSame(reads.blob(tenant, other.hash), other, "refreshBlob must not change another blob.");
}

async function separatesChunks(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const rows = ["a", "b"].flatMap((blobId) =>
    [0, 1, 10].map((at) => chunkRow(tenant, blobId, at, [at, blobId.length])),
  );
  for (const row of rows.toReversed()) await context.write((tx) => tx.insertChunk(row));
  for (const row of rows)
    await assertSame(
      reads.chunk(tenant, row.blobId, row.position),
      row,
      "chunk must return the chunk of this blob and position.",
    );
  await assertSame(
    reads.chunk(tenant, "a", 2),
    undefined,
    "chunk must return undefined for a position that does not exist.",
  );
  await context.write((tx) => tx.deleteChunks(tenant, "a"));
  await context.write((tx) => tx.deleteChunks(tenant, "a"));
  for (const row of rows) {
    const should = row.blobId === "a" ? undefined : row;
    await assertSame(
      reads.chunk(tenant, row.blobId, row.position),
      should,
      "deleteChunks must delete the chunks of one blob, and no other chunks.",
    );
  }
}

async function insertsRefsOnce(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const refs = [refRow(key, 1, REFERENCED_HASH), refRow(key, 2, REFERENCED_HASH)];
  for (let time = 0; time < 2; time++) await context.write((tx) => tx.insertBlobRefs([...refs, ...refs]));
  await context.write((tx) => tx.insertBlobRefs([]));
  await assertSame(reads.blobRefs(key), refs, "blobRefs must list each reference once.");
  await assertSame(reads.blobRefs(other), [], "blobRefs must return an empty list for a thread without references.");
}

async function quarantinesOnce(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const row = quarantineRow(key, 1);
  await context.write((tx) => tx.quarantine(row));
  await context.write((tx) => tx.quarantine(row));
  await assertSame(reads.quarantined(tenant, 9), [row], "quarantine must store a repeated row once.");
  await context.write((tx) => tx.quarantine({ ...row, reason: "another" }));
  assertHolds((await reads.quarantined(tenant, 9)).length === 1, "quarantine must store one row per message.");
}

export const WRITE_CLAIMS: readonly StoreRequirement[] = [
  ["a thread row has the newest message and the largest id of messages and log", readsHeads],
  ["insertThread: an existing id is a conflict", insertsThreads],
  ["updateThread changes the given fields, and is idempotent", updatesThreads],
  ["insertMessages inserts all messages or none; an existing id of the thread is a conflict", insertsMessages],
  ["insertRun: an existing id of the thread is a conflict", insertsRuns],
  ["updateRun changes the given fields if the epoch matches, otherwise no field", updatesRuns],
  ["a changed run is added to or removed from the lists of expired and compactable runs", movesRuns],
  ["insertKey: an existing key of the thread is a conflict", insertsKeys],
  ["insertBlob: the first row of a hash stays, a second one is not written", insertsBlobsOnce],
  ["refreshBlob moves the time of a blob forward, never back, and returns whether the blob exists", refreshesBlobs],
  ["chunks are read by blob and position; deleteChunks deletes the chunks of one blob", separatesChunks],
  ["insertBlobRefs is idempotent", insertsRefsOnce],
  ["quarantine is idempotent: one row per message", quarantinesOnce],
];
