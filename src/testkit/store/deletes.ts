// Store requirements: the rows that each delete removes, keeps and counts.
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

/** Asserts that the step deletes these counts, and nothing when repeated. */
async function assertDeleted(
  context: StoreTestContext,
  step: TransactionStep,
  should: Partial<DeletionCounts>,
  what: string,
): Promise<void> {
  await assertSame(await context.write(step), { ...NOTHING_DELETED, ...should }, `${what} What was counted.`);
  const after = await readStore(context.store, context.tenant);
  await assertSame(await context.write(step), NOTHING_DELETED, `${what} Again, there is nothing.`);
  await assertSame(readStore(context.store, context.tenant), after, `${what} Again, nothing changes.`);
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
  await assertSame(await context.write((tx) => tx.deleteDeltas(key, "run-b", some)), 0, "None are within these.");
  await assertSame(await context.write((tx) => tx.deleteDeltas(key, "run-a", some)), 2, "Two deltas are within these.");
  await assertSame(reads.log(key, { limit: 9 }), [rows[0], ...rows.slice(3)], "Deltas that are not within stay.");
  await assertSame(await context.write((tx) => tx.deleteDeltas(key, "run-a")), 1, "The other delta is deleted.");
  await assertSame(reads.log(key, { limit: 9 }), rows.slice(3), "Changes of state and other runs' deltas stay.");
  await assertSame(reads.log(other, { limit: 9 }), [foreign], "Deltas of another thread stay.");
  await assertSame(await context.write((tx) => tx.deleteDeltas(key, "run-a")), 0, "Again, there is nothing.");
}

async function deletesMessages(context: StoreTestContext): Promise<void> {
  const { key, other, reads, tenant } = context;
  await context.write(...createFixture(tenant));
  const long = messageRow(key, 20, { body: '"κοινή 🏛️"', role: "assistant", digest: "digest-2" });
  await context.write((tx) => tx.insertMessages([long]));
  const before = await reads.messages(other, { limit: 9 });
  const bytes = countBytes(messageRow(key, 3).body, messageRow(key, 4).body, long.body);
  const ids = [toTestId(3), toTestId(4), toTestId(20), toTestId(77)];
  await assertDeleted(context, (tx) => tx.deleteMessages(key, ids), { messages: 3, bytes }, "Three messages.");
  const left = (await reads.messages(key, { limit: 9 })).map(({ id }) => id);
  await assertSame(left, [toTestId(1), toTestId(2)], "The other messages stay.");
  await assertSame(reads.message(key, toTestId(4)), undefined, "A message is gone.");
  await assertSame(reads.blobRefs(key), [refRow(key, 2, REFERENCED_HASH)], "Their blob references went with them.");
  const quarantined = (await reads.quarantined(tenant, 9)).map(({ threadId }) => threadId);
  await assertSame(quarantined, ["thread-other"], "Their quarantine rows went with them.");
  await assertSame(reads.findDigests(tenant, ["digest-4"], 9), [], "Their digests went with them.");
  await assertSame((await reads.thread(key))?.newestMessageId, toTestId(2), "The newest message is one that is left.");
  await assertSame((await reads.thread(key))?.lastId, toTestId(20), "The last id stays: it must not be given again.");
  await assertSame(reads.messages(other, { limit: 9 }), before, "Messages of another thread stay.");
  await assertDeleted(context, (tx) => tx.deleteMessages(key, []), {}, "No messages.");
}

async function deletesRuns(context: StoreTestContext): Promise<void> {
  const { key, other, reads, tenant } = context;
  await context.write(...createFixture(tenant), (tx) => tx.insertLog([logRow(other, 9, { runId: "run-ended" })]));
  const bytes = countBytes("[5]", "[6]", "[7]");
  const step: TransactionStep = (tx) => tx.deleteRuns(key, ["run-ended", "none"]);
  await assertDeleted(context, step, { runs: 1, logRows: 3, bytes }, "A run.");
  await assertSame(reads.run(tenant, "run-ended"), undefined, "The run is gone.");
  await assertSame(reads.runs(key), [runRow(key, "run")], "Other runs stay.");
  await assertSame(reads.log(key, { limit: 9 }), [logRow(key, 8)], "Other log rows stay.");
  await context.write((tx) => tx.deleteRuns(key, ["run"]));
  await assertSame((await reads.thread(key))?.lastId, toTestId(8), "The last id stays: it must not be given again.");
  await assertSame(reads.compactableRuns(9_999, 9, tenant), [], "It is no longer among the compactable.");
  assertHolds((await reads.log(other, { limit: 9 })).length === 2, "Log rows of another thread stay.");
}

async function deletesThreads(context: StoreTestContext): Promise<void> {
  const { key, reads, tenant } = context;
  await context.write(...createFixture(tenant));
  const before = await readStore(context.store, tenant);
  const bytes = countBytes(...[1, 2, 3, 4].map((number) => messageRow(key, number).body), "[5][6][7][8]");
  const counts = { threads: 1, messages: 4, runs: 2, logRows: 4, keys: 2, bytes };
  await assertDeleted(context, (tx) => tx.deleteThread(key), counts, "A thread.");
  const after = await readStore(context.store, tenant);
  const empty = Object.entries(after["in thread"] ?? {}).filter(
    ([, value]) => ![undefined, 0].includes(countItems(value)),
  );
  await assertSame(empty, [], "Everything in the thread is gone.");
  for (const name of ["in thread-other", `blob ${REFERENCED_HASH}`, `blob ${UNREFERENCED_HASH}`, "run run-other"]) {
    await assertSame(after[name], before[name], `"${name}" stays.`);
  }
  await assertSame(reads.run(tenant, "run"), undefined, "Its run is gone.");
  await assertSame(
    reads.expiredRuns(9_999, 9, tenant),
    [runRow(context.other, "run-other")],
    "Its run does not expire.",
  );
  await assertSame((await reads.findDigests(tenant, ["digest-2", "digest-o"], 9)).length, 1, "Its digests are gone.");
  await context.write((tx) => tx.insertThread(threadRow(key)));
  const fresh = { ...threadRow(key), newestMessageId: null, lastId: "" };
  await assertSame(reads.thread(key), fresh, "A thread of the same id begins empty.");
}

/** Counts the items of a value: none, one, or a list's length. */
function countItems(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : value === undefined ? undefined : 1;
}

async function deletesKeys(context: StoreTestContext): Promise<void> {
  const { key, other, reads, tenant } = context;
  const old = [keyRow(key, "a", { createdAt: 98 }), keyRow(other, "b", { createdAt: 99 })];
  const young = [keyRow(key, "c", { createdAt: 100 }), keyRow(other, "d", { createdAt: 2 ** 50 })];
  for (const row of [...old, ...young]) await context.write((tx) => tx.insertKey(row));
  await assertDeleted(context, (tx) => tx.deleteKeys(tenant, 100), { keys: 2 }, "Keys of all threads.");
  for (const row of old) await assertSame(reads.idempotencyKey(row, row.key), undefined, "An old key.");
  for (const row of young) await assertSame(reads.idempotencyKey(row, row.key), row, "A young key.");
}

async function deletesBlobs(context: StoreTestContext): Promise<void> {
  const { key, reads, tenant } = context;
  await context.write(...createFixture(tenant), (tx) => tx.insertBlob(blobRow(tenant, NEW_HASH, { size: 40 })));
  const { blobId } = blobRow(tenant, UNREFERENCED_HASH);
  const step: TransactionStep = (tx) =>
    tx.deleteBlobs(tenant, [REFERENCED_HASH, UNREFERENCED_HASH, NEW_HASH, toTestHash("none")], 1_001);
  const early: TransactionStep = (tx) => tx.deleteBlobs(tenant, [REFERENCED_HASH, UNREFERENCED_HASH, NEW_HASH], 1_000);
  await assertDeleted(context, early, {}, "Blobs that are not older.");
  await assertDeleted(context, step, { blobs: 2, bytes: 43 }, "Blobs.");
  await assertSame(reads.blob(tenant, UNREFERENCED_HASH), undefined, "A loose blob.");
  await assertSame(reads.chunk(tenant, blobId, 0), undefined, "Its chunk.");
  await assertSame(
    reads.blob(tenant, REFERENCED_HASH),
    blobRow(tenant, REFERENCED_HASH),
    "A blob that a message holds.",
  );
  const chunk = chunkRow(tenant, blobRow(tenant, REFERENCED_HASH).blobId, 1);
  await assertSame(reads.chunk(tenant, chunk.blobId, 1), chunk, "A chunk of it.");
  // The last reference may be in another thread.
  await context.write((tx) => tx.deleteThread(key));
  await assertDeleted(context, step, {}, "A blob that another thread holds.");
  await context.write((tx) => tx.deleteMessages(context.other, [toTestId(1)]));
  await assertDeleted(context, step, { blobs: 1, bytes: 3 }, "A blob whose holders are gone.");
}

async function deletesUnreferencedBlobs(context: StoreTestContext): Promise<void> {
  const { reads, tenant } = context;
  const young = blobRow(tenant, NEW_HASH, { createdAt: 1_001, size: 40 });
  // Begun in the milliseconds 1,000 and 1,001, and never finished.
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
  await assertSame(blobs, 2, "Two blobs are loose and old.");
  await assertSame(await context.write(step), NOTHING_DELETED, "Again, there is nothing.");
  await assertSame(reads.blob(tenant, UNREFERENCED_HASH), undefined, "A loose blob.");
  await assertSame(reads.chunk(tenant, blobRow(tenant, UNREFERENCED_HASH).blobId, 0), undefined, "Its chunk.");
  await assertSame(reads.blob(tenant, REFERENCED_HASH), blobRow(tenant, REFERENCED_HASH), "A blob that messages hold.");
  await assertSame((await reads.chunk(tenant, blobRow(tenant, REFERENCED_HASH).blobId, 0))?.position, 0, "Its chunk.");
  await assertSame(reads.blob(tenant, NEW_HASH), young, "A blob that is not older.");
  await assertSame((await reads.chunk(tenant, young.blobId, 0))?.position, 0, "Its chunk.");
  await assertSame(reads.chunk(tenant, oldUpload, 0), undefined, "A chunk of an old upload that was never finished.");
  await assertSame((await reads.chunk(tenant, youngUpload, 0))?.position, 0, "A chunk of an upload under way.");
}

export const DELETE_CLAIMS: readonly StoreRequirement[] = [
  ["deleteDeltas takes the deltas of a run, gives their number and leaves changes of state", deletesDeltas],
  ["deleteMessages takes messages with what hangs on them, and is idempotent", deletesMessages],
  ["deleteRuns takes runs with their log rows, and is idempotent", deletesRuns],
  ["deleteThread takes a thread with everything in it but blobs, and is idempotent", deletesThreads],
  ["deleteKeys takes keys that are older", deletesKeys],
  ["deleteBlobs takes old blobs with their chunks where no message holds them, and is idempotent", deletesBlobs],
  [
    "deleteUnreferencedBlobs takes old blobs that no message holds, and chunks of old uploads",
    deletesUnreferencedBlobs,
  ],
];
