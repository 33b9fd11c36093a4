// Checks which rows each delete of a store removes, keeps and counts.
import { type DeletionCounts, NOTHING_DELETED } from "../../ledger/store/rows.ts";
import { assertHolds } from "../conformance-case.ts";
import { readStore, REFERENCED_HASH, createFixture, UNREFERENCED_HASH, NEW_HASH } from "./fixture.ts";
import {
  blobRow,
  chunkRow,
  toTestHash,
  toTestId,
  keyRow,
  logRow,
  messageRow,
  refRow,
  runRow,
  threadRow,
} from "./rows.ts";
import type { StoreRequirement, StoreTestContext, TransactionStep } from "./store-test-context.ts";
import { assertSame } from "./store-test-context.ts";

function countBytes(...bodies: readonly string[]): number {
  return new TextEncoder().encode(bodies.join("")).length;
}

/** Asserts that the step deletes the expected numbers of rows, and no row when it is repeated. */
async function assertDeleted(
  context: StoreTestContext,
  step: TransactionStep,
  should: Partial<DeletionCounts>,
  what: string,
): Promise<void> {
  await assertSame(
    await context.write(step),
    { ...NOTHING_DELETED, ...should },
    `${what} must count the deleted rows.`,
  );
  const after = await readStore(context.store, context.tenant);
  await assertSame(await context.write(step), NOTHING_DELETED, `${what} must delete nothing when it is repeated.`);
  await assertSame(
    readStore(context.store, context.tenant),
    after,
    `${what} must not change the store when it is repeated.`,
  );
}

async function deletesDeltas(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const rows = [
    ...[1, 2, 3].map((number) => logRow(key, number, { runId: "run-a" })),
    logRow(key, 4, { runId: "run-a", kind: "run" }),
    logRow(key, 5, { runId: "run-b" }),
  ];
  const foreign = logRow(other, 1, { runId: "run-a" });
  await context.write((tx) => tx.insertLog([...rows, foreign]));
  const some = { first: toTestId(2), last: toTestId(3) };
  await assertSame(
    await context.write((tx) => tx.deleteDeltas(key, "run-b", some)),
    0,
    "deleteDeltas must return 0 for a run without deltas in the range.",
  );
  await assertSame(
    await context.write((tx) => tx.deleteDeltas(key, "run-a", some)),
    2,
    "deleteDeltas must return the number of deltas in the range.",
  );
  await assertSame(
    reads.log(key, { limit: 9 }),
    [rows[0], ...rows.slice(3)],
    "deleteDeltas must not delete rows outside the range.",
  );
  await assertSame(
    await context.write((tx) => tx.deleteDeltas(key, "run-a")),
    1,
    "deleteDeltas without a range must delete the remaining delta of the run.",
  );
  await assertSame(
    reads.log(key, { limit: 9 }),
    rows.slice(3),
    "deleteDeltas must not delete changes of state and deltas of other runs.",
  );
  await assertSame(reads.log(other, { limit: 9 }), [foreign], "deleteDeltas must not delete deltas of another thread.");
  await assertSame(
    await context.write((tx) => tx.deleteDeltas(key, "run-a")),
    0,
    "A repeated deleteDeltas must return 0.",
  );
}

async function deletesMessages(context: StoreTestContext): Promise<void> {
  const { key, other, reads, tenant } = context;
  await context.write(...createFixture(tenant));
  const long = messageRow(key, 20, { body: '"κοινή 🏛️"', role: "assistant", digest: "digest-2" });
  await context.write((tx) => tx.insertMessages([long]));
  const before = await reads.messages(other, { limit: 9 });
  const bytes = countBytes(messageRow(key, 3).body, messageRow(key, 4).body, long.body);
  const ids = [toTestId(3), toTestId(4), toTestId(20), toTestId(77)];
  await assertDeleted(
    context,
    (tx) => tx.deleteMessages(key, ids),
    { messages: 3, bytes },
    "deleteMessages of three messages",
  );
  const left = (await reads.messages(key, { limit: 9 })).map(({ id }) => id);
  await assertSame(left, [toTestId(1), toTestId(2)], "deleteMessages must not delete the other messages.");
  await assertSame(reads.message(key, toTestId(4)), undefined, "message must return undefined for a deleted message.");
  await assertSame(
    reads.blobRefs(key),
    [refRow(key, 2, REFERENCED_HASH)],
    "deleteMessages must delete the blob references of the messages.",
  );
  const quarantined = (await reads.quarantined(tenant, 9)).map(({ threadId }) => threadId);
  await assertSame(quarantined, ["thread-other"], "deleteMessages must delete the quarantine rows of the messages.");
  await assertSame(reads.findDigests(tenant, ["digest-4"], 9), [], "findDigests must not find deleted messages.");
  await assertSame(
    (await reads.thread(key))?.newestMessageId,
    toTestId(2),
    "newestMessageId must be the newest message that was not deleted.",
  );
  await assertSame(
    (await reads.thread(key))?.lastId,
    toTestId(20),
    "deleteMessages must not change lastId, because ids must not be reused.",
  );
  await assertSame(
    reads.messages(other, { limit: 9 }),
    before,
    "deleteMessages must not delete messages of another thread.",
  );
  await assertDeleted(context, (tx) => tx.deleteMessages(key, []), {}, "deleteMessages of an empty list");
}

async function deletesRuns(context: StoreTestContext): Promise<void> {
  const { key, other, reads, tenant } = context;
  await context.write(...createFixture(tenant), (tx) => tx.insertLog([logRow(other, 9, { runId: "run-ended" })]));
  const bytes = countBytes("[5]", "[6]", "[7]");
  const step: TransactionStep = (tx) => tx.deleteRuns(key, ["run-ended", "none"]);
  await assertDeleted(
    context,
    step,
    { runs: 1, logRows: 3, bytes },
    "deleteRuns of an existing run and an unknown run",
  );
  await assertSame(reads.run(tenant, "run-ended"), undefined, "run must return undefined for a deleted run.");
  await assertSame(reads.runs(key), [runRow(key, "run")], "deleteRuns must not delete other runs.");
  await assertSame(
    reads.log(key, { limit: 9 }),
    [logRow(key, 8)],
    "deleteRuns must not delete log rows of other runs.",
  );
  await context.write((tx) => tx.deleteRuns(key, ["run"]));
  await assertSame(
    (await reads.thread(key))?.lastId,
    toTestId(8),
    "deleteRuns must not change lastId, because ids must not be reused.",
  );
  await assertSame(reads.compactableRuns(9_999, 9, tenant), [], "compactableRuns must not list a deleted run.");
  assertHolds(
    (await reads.log(other, { limit: 9 })).length === 2,
    "deleteRuns must not delete log rows of another thread.",
  );
}

async function deletesThreads(context: StoreTestContext): Promise<void> {
  const { key, reads, tenant } = context;
  await context.write(...createFixture(tenant));
  const before = await readStore(context.store, tenant);
  const bytes = countBytes(...[1, 2, 3, 4].map((number) => messageRow(key, number).body), "[5][6][7][8]");
  const counts = { threads: 1, messages: 4, runs: 2, logRows: 4, keys: 2, bytes };
  await assertDeleted(
    context,
    (tx) => tx.deleteThread(key),
    counts,
    "deleteThread of a thread with rows of every kind",
  );
  const after = await readStore(context.store, tenant);
  const empty = Object.entries(after["in thread"] ?? {}).filter(
    ([, value]) => ![undefined, 0].includes(countItems(value)),
  );
  await assertSame(empty, [], "deleteThread must delete all rows of the thread.");
  for (const name of ["in thread-other", `blob ${REFERENCED_HASH}`, `blob ${UNREFERENCED_HASH}`, "run run-other"]) {
    await assertSame(after[name], before[name], `deleteThread must not change "${name}".`);
  }
  await assertSame(reads.run(tenant, "run"), undefined, "deleteThread must delete the runs of the thread.");
  await assertSame(
    reads.expiredRuns(9_999, 9, tenant),
    [runRow(context.other, "run-other")],
    "expiredRuns must not list a run of a deleted thread.",
  );
  await assertSame(
    (await reads.findDigests(tenant, ["digest-2", "digest-o"], 9)).length,
    1,
    "findDigests must not find messages of a deleted thread.",
  );
  await context.write((tx) => tx.insertThread(threadRow(key)));
  const fresh = { ...threadRow(key), newestMessageId: null, lastId: "" };
  await assertSame(reads.thread(key), fresh, "A new thread with the id of a deleted thread must be empty.");
}

/** Returns the length of a list, 1 for any other value, and undefined for undefined. */
function countItems(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : value === undefined ? undefined : 1;
}

async function deletesKeys(context: StoreTestContext): Promise<void> {
  const { key, other, reads, tenant } = context;
  const old = [keyRow(key, "a", { createdAt: 98 }), keyRow(other, "b", { createdAt: 99 })];
  const young = [keyRow(key, "c", { createdAt: 100 }), keyRow(other, "d", { createdAt: 2 ** 50 })];
  for (const row of [...old, ...young]) await context.write((tx) => tx.insertKey(row));
  await assertDeleted(context, (tx) => tx.deleteKeys(tenant, 100), { keys: 2 }, "deleteKeys for keys of two threads");
  for (const row of old)
    await assertSame(
      reads.idempotencyKey(row, row.key),
      undefined,
      "deleteKeys must delete a key that was created before the given time.",
    );
  for (const row of young)
    await assertSame(
      reads.idempotencyKey(row, row.key),
      row,
      "deleteKeys must not delete a key that was created at the given time or later.",
    );
}

async function deletesBlobs(context: StoreTestContext): Promise<void> {
  const { key, reads, tenant } = context;
  await context.write(...createFixture(tenant), (tx) => tx.insertBlob(blobRow(tenant, NEW_HASH, { size: 40 })));
  const { blobId } = blobRow(tenant, UNREFERENCED_HASH);
  const step: TransactionStep = (tx) =>
    tx.deleteBlobs(tenant, [REFERENCED_HASH, UNREFERENCED_HASH, NEW_HASH, toTestHash("none")], 1_001);
  const early: TransactionStep = (tx) => tx.deleteBlobs(tenant, [REFERENCED_HASH, UNREFERENCED_HASH, NEW_HASH], 1_000);
  await assertDeleted(context, early, {}, "deleteBlobs of blobs that are not older than the given time");
  await assertDeleted(context, step, { blobs: 2, bytes: 43 }, "deleteBlobs of old blobs");
  await assertSame(reads.blob(tenant, UNREFERENCED_HASH), undefined, "deleteBlobs must delete an unreferenced blob.");
  await assertSame(reads.chunk(tenant, blobId, 0), undefined, "deleteBlobs must delete the chunks of a deleted blob.");
  await assertSame(
    reads.blob(tenant, REFERENCED_HASH),
    blobRow(tenant, REFERENCED_HASH),
    "deleteBlobs must not delete a blob that a message references.",
  );
  const chunk = chunkRow(tenant, blobRow(tenant, REFERENCED_HASH).blobId, 1);
  await assertSame(
    reads.chunk(tenant, chunk.blobId, 1),
    chunk,
    "deleteBlobs must not delete the chunks of a blob that a message references.",
  );
  // The blob must not be deleted while a message of another thread references it.
  await context.write((tx) => tx.deleteThread(key));
  await assertDeleted(context, step, {}, "deleteBlobs of a blob that another thread references");
  await context.write((tx) => tx.deleteMessages(context.other, [toTestId(1)]));
  await assertDeleted(context, step, { blobs: 1, bytes: 3 }, "deleteBlobs of a blob whose references were deleted");
}

async function deletesUnreferencedBlobs(context: StoreTestContext): Promise<void> {
  const { reads, tenant } = context;
  const young = blobRow(tenant, NEW_HASH, { createdAt: 1_001, size: 40 });
  // Blob ids of uploads that began in the milliseconds 1,000 and 1,001 and never finished.
  const [oldUpload, youngUpload] = ["00000000Z8AAAAAAAAAAAAAAAA", "00000000Z9AAAAAAAAAAAAAAAA"];
  await context.write(
    ...createFixture(tenant),
    (tx) => tx.insertBlob(young),
    (tx) => tx.insertChunk(chunkRow(tenant, young.blobId, 0)),
    (tx) => tx.insertChunk(chunkRow(tenant, oldUpload, 0)),
    (tx) => tx.insertChunk(chunkRow(tenant, youngUpload, 0)),
  );
  const step: TransactionStep = (tx) => tx.deleteUnreferencedBlobs(tenant, 1_001);
  const { blobs } = (await context.write(step)) as DeletionCounts;
  await assertSame(blobs, 2, "deleteUnreferencedBlobs must count the two old unreferenced blobs.");
  await assertSame(
    await context.write(step),
    NOTHING_DELETED,
    "A repeated deleteUnreferencedBlobs must delete nothing.",
  );
  await assertSame(
    reads.blob(tenant, UNREFERENCED_HASH),
    undefined,
    "deleteUnreferencedBlobs must delete an old unreferenced blob.",
  );
  await assertSame(
    reads.chunk(tenant, blobRow(tenant, UNREFERENCED_HASH).blobId, 0),
    undefined,
    "deleteUnreferencedBlobs must delete the chunks of a deleted blob.",
  );
  await assertSame(
    reads.blob(tenant, REFERENCED_HASH),
    blobRow(tenant, REFERENCED_HASH),
    "deleteUnreferencedBlobs must not delete a blob that messages reference.",
  );
  await assertSame(
    (await reads.chunk(tenant, blobRow(tenant, REFERENCED_HASH).blobId, 0))?.position,
    0,
    "deleteUnreferencedBlobs must not delete the chunks of a blob that messages reference.",
  );
  await assertSame(
    reads.blob(tenant, NEW_HASH),
    young,
    "deleteUnreferencedBlobs must not delete a blob that is not older than the given time.",
  );
  await assertSame(
    (await reads.chunk(tenant, young.blobId, 0))?.position,
    0,
    "deleteUnreferencedBlobs must not delete the chunks of a blob that is not older.",
  );
  await assertSame(
    reads.chunk(tenant, oldUpload, 0),
    undefined,
    "deleteUnreferencedBlobs must delete the chunks of an old unfinished upload.",
  );
  await assertSame(
    (await reads.chunk(tenant, youngUpload, 0))?.position,
    0,
    "deleteUnreferencedBlobs must not delete the chunks of a young unfinished upload.",
  );
}

export const DELETE_CLAIMS: readonly StoreRequirement[] = [
  [
    "deleteDeltas deletes the deltas of a run, returns their number and does not delete changes of state",
    deletesDeltas,
  ],
  [
    "deleteMessages deletes messages with their blob references, quarantine rows and digests, and is idempotent",
    deletesMessages,
  ],
  ["deleteRuns deletes runs with their log rows, and is idempotent", deletesRuns],
  ["deleteThread deletes a thread with all of its rows except blobs, and is idempotent", deletesThreads],
  ["deleteKeys deletes the keys that were created before the given time", deletesKeys],
  ["deleteBlobs deletes old blobs that no message references, with their chunks, and is idempotent", deletesBlobs],
  [
    "deleteUnreferencedBlobs deletes old blobs that no message references, and chunks of old unfinished uploads",
    deletesUnreferencedBlobs,
  ],
];
