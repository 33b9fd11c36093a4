// What each delete takes, what it leaves, and what it counts.
import { type DeletionCounts, NOTHING_DELETED } from "../../ledger/rows.ts";
import { demand } from "../demand.ts";
import { everythingNow, HELD, household, LOOSE, NEW } from "./fixture.ts";
import { blobRow, chunkRow, hashOf, idOf, keyRow, logRow, messageRow, refRow, runRow, threadRow } from "./rows.ts";
import type { Claim, Stage, Step } from "./stage.ts";
import { demandSame } from "./stage.ts";

function bytesOf(...bodies: readonly string[]): number {
  return new TextEncoder().encode(bodies.join("")).length;
}

/** The step deletes so much, then nothing more. */
async function demandDeleted(stage: Stage, step: Step, should: Partial<DeletionCounts>, what: string): Promise<void> {
  await demandSame(await stage.write(step), { ...NOTHING_DELETED, ...should }, `${what} What was counted.`);
  const after = await everythingNow(stage.store, stage.tenant);
  await demandSame(await stage.write(step), NOTHING_DELETED, `${what} Again, there is nothing.`);
  await demandSame(everythingNow(stage.store, stage.tenant), after, `${what} Again, nothing changes.`);
}

async function deletesDeltas(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const rows = [
    ...[1, 2, 3].map((number) => logRow(key, number, { runId: "run-a" })),
    logRow(key, 4, { runId: "run-a", kind: "run" }),
    logRow(key, 5, { runId: "run-b" }),
  ];
  const foreign = logRow(other, 1, { runId: "run-a" });
  await stage.write((tx) => tx.insertLog([...rows, foreign]));
  const some = { first: idOf(2), last: idOf(3) };
  await demandSame(await stage.write((tx) => tx.deleteDeltas(key, "run-b", some)), 0, "None are within these.");
  await demandSame(await stage.write((tx) => tx.deleteDeltas(key, "run-a", some)), 2, "Two deltas are within these.");
  await demandSame(reads.log(key, { limit: 9 }), [rows[0], ...rows.slice(3)], "Deltas that are not within stay.");
  await demandSame(await stage.write((tx) => tx.deleteDeltas(key, "run-a")), 1, "The other delta is deleted.");
  await demandSame(reads.log(key, { limit: 9 }), rows.slice(3), "Changes of state and other runs' deltas stay.");
  await demandSame(reads.log(other, { limit: 9 }), [foreign], "Deltas of another thread stay.");
  await demandSame(await stage.write((tx) => tx.deleteDeltas(key, "run-a")), 0, "Again, there is nothing.");
}

async function deletesMessages(stage: Stage): Promise<void> {
  const { key, other, reads, tenant } = stage;
  await stage.write(...household(tenant));
  const long = messageRow(key, 20, { body: '"κοινή 🏛️"', role: "assistant", digest: "digest-2" });
  await stage.write((tx) => tx.insertMessages([long]));
  const before = await reads.messages(other, { limit: 9 });
  const bytes = bytesOf(messageRow(key, 3).body, messageRow(key, 4).body, long.body);
  const ids = [idOf(3), idOf(4), idOf(20), idOf(77)];
  await demandDeleted(stage, (tx) => tx.deleteMessages(key, ids), { messages: 3, bytes }, "Three messages.");
  const left = (await reads.messages(key, { limit: 9 })).map(({ id }) => id);
  await demandSame(left, [idOf(1), idOf(2)], "The other messages stay.");
  await demandSame(reads.message(key, idOf(4)), undefined, "A message is gone.");
  await demandSame(reads.blobRefs(key), [refRow(key, 2, HELD)], "Their blob references went with them.");
  const quarantined = (await reads.quarantined(tenant, 9)).map(({ threadId }) => threadId);
  await demandSame(quarantined, ["thread-other"], "Their quarantine rows went with them.");
  await demandSame(reads.findDigests(tenant, ["digest-4"], 9), [], "Their digests went with them.");
  await demandSame((await reads.thread(key))?.newestMessageId, idOf(2), "The newest message is one that is left.");
  await demandSame((await reads.thread(key))?.lastId, idOf(20), "The last id stays: it must not be given again.");
  await demandSame(reads.messages(other, { limit: 9 }), before, "Messages of another thread stay.");
  await demandDeleted(stage, (tx) => tx.deleteMessages(key, []), {}, "No messages.");
}

async function deletesRuns(stage: Stage): Promise<void> {
  const { key, other, reads, tenant } = stage;
  await stage.write(...household(tenant), (tx) => tx.insertLog([logRow(other, 9, { runId: "run-ended" })]));
  const bytes = bytesOf("[5]", "[6]", "[7]");
  const step: Step = (tx) => tx.deleteRuns(key, ["run-ended", "none"]);
  await demandDeleted(stage, step, { runs: 1, logRows: 3, bytes }, "A run.");
  await demandSame(reads.run(tenant, "run-ended"), undefined, "The run is gone.");
  await demandSame(reads.runs(key), [runRow(key, "run")], "Other runs stay.");
  await demandSame(reads.log(key, { limit: 9 }), [logRow(key, 8)], "Other log rows stay.");
  await stage.write((tx) => tx.deleteRuns(key, ["run"]));
  await demandSame((await reads.thread(key))?.lastId, idOf(8), "The last id stays: it must not be given again.");
  await demandSame(reads.compactableRuns(9_999, 9, tenant), [], "It is no longer among the compactable.");
  demand((await reads.log(other, { limit: 9 })).length === 2, "Log rows of another thread stay.");
}

async function deletesThreads(stage: Stage): Promise<void> {
  const { key, reads, tenant } = stage;
  await stage.write(...household(tenant));
  const before = await everythingNow(stage.store, tenant);
  const bytes = bytesOf(...[1, 2, 3, 4].map((number) => messageRow(key, number).body), "[5][6][7][8]");
  const counts = { threads: 1, messages: 4, runs: 2, logRows: 4, keys: 2, bytes };
  await demandDeleted(stage, (tx) => tx.deleteThread(key), counts, "A thread.");
  const after = await everythingNow(stage.store, tenant);
  const empty = Object.entries(after["in thread"] ?? {}).filter(
    ([, value]) => ![undefined, 0].includes(lengthOf(value)),
  );
  await demandSame(empty, [], "Everything in the thread is gone.");
  for (const name of ["in thread-other", `blob ${HELD}`, `blob ${LOOSE}`, "run run-other"]) {
    await demandSame(after[name], before[name], `"${name}" stays.`);
  }
  await demandSame(reads.run(tenant, "run"), undefined, "Its run is gone.");
  await demandSame(reads.expiredRuns(9_999, 9, tenant), [runRow(stage.other, "run-other")], "Its run does not expire.");
  await demandSame((await reads.findDigests(tenant, ["digest-2", "digest-o"], 9)).length, 1, "Its digests are gone.");
  await stage.write((tx) => tx.insertThread(threadRow(key)));
  const fresh = { ...threadRow(key), newestMessageId: null, lastId: "" };
  await demandSame(reads.thread(key), fresh, "A thread of the same id begins empty.");
}

/** How many things a value is: none, one, or a list's length. */
function lengthOf(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : value === undefined ? undefined : 1;
}

async function deletesKeys(stage: Stage): Promise<void> {
  const { key, other, reads, tenant } = stage;
  const old = [keyRow(key, "a", { createdAt: 98 }), keyRow(other, "b", { createdAt: 99 })];
  const young = [keyRow(key, "c", { createdAt: 100 }), keyRow(other, "d", { createdAt: 2 ** 50 })];
  for (const row of [...old, ...young]) await stage.write((tx) => tx.insertKey(row));
  await demandDeleted(stage, (tx) => tx.deleteKeys(tenant, 100), { keys: 2 }, "Keys of all threads.");
  for (const row of old) await demandSame(reads.idempotencyKey(row, row.key), undefined, "An old key.");
  for (const row of young) await demandSame(reads.idempotencyKey(row, row.key), row, "A young key.");
}

async function deletesBlobs(stage: Stage): Promise<void> {
  const { key, reads, tenant } = stage;
  await stage.write(...household(tenant), (tx) => tx.insertBlob(blobRow(tenant, NEW, { size: 40 })));
  const { blobId } = blobRow(tenant, LOOSE);
  const step: Step = (tx) => tx.deleteBlobs(tenant, [HELD, LOOSE, NEW, hashOf("none")], 1_001);
  const early: Step = (tx) => tx.deleteBlobs(tenant, [HELD, LOOSE, NEW], 1_000);
  await demandDeleted(stage, early, {}, "Blobs that are not older.");
  await demandDeleted(stage, step, { blobs: 2, bytes: 43 }, "Blobs.");
  await demandSame(reads.blob(tenant, LOOSE), undefined, "A loose blob.");
  await demandSame(reads.chunk(tenant, blobId, 0), undefined, "Its chunk.");
  await demandSame(reads.blob(tenant, HELD), blobRow(tenant, HELD), "A blob that a message holds.");
  const chunk = chunkRow(tenant, blobRow(tenant, HELD).blobId, 1);
  await demandSame(reads.chunk(tenant, chunk.blobId, 1), chunk, "A chunk of it.");
  // The last holder may be in another thread.
  await stage.write((tx) => tx.deleteThread(key));
  await demandDeleted(stage, step, {}, "A blob that another thread holds.");
  await stage.write((tx) => tx.deleteMessages(stage.other, [idOf(1)]));
  await demandDeleted(stage, step, { blobs: 1, bytes: 3 }, "A blob whose holders are gone.");
}

async function deletesLooseBlobs(stage: Stage): Promise<void> {
  const { reads, tenant } = stage;
  const young = blobRow(tenant, NEW, { createdAt: 1_001, size: 40 });
  // Begun in the milliseconds 1,000 and 1,001, and never finished.
  const [oldUpload, youngUpload] = ["00000000Z8AAAAAAAAAAAAAAAA", "00000000Z9AAAAAAAAAAAAAAAA"];
  await stage.write(
    ...household(tenant),
    (tx) => tx.insertBlob(young),
    (tx) => tx.insertChunk(chunkRow(tenant, young.blobId, 0)),
    (tx) => tx.insertChunk(chunkRow(tenant, oldUpload, 0)),
    (tx) => tx.insertChunk(chunkRow(tenant, youngUpload, 0)),
  );
  const step: Step = (tx) => tx.deleteLooseBlobs(tenant, 1_001);
  const { blobs } = (await stage.write(step)) as DeletionCounts;
  await demandSame(blobs, 2, "Two blobs are loose and old.");
  await demandSame(await stage.write(step), NOTHING_DELETED, "Again, there is nothing.");
  await demandSame(reads.blob(tenant, LOOSE), undefined, "A loose blob.");
  await demandSame(reads.chunk(tenant, blobRow(tenant, LOOSE).blobId, 0), undefined, "Its chunk.");
  await demandSame(reads.blob(tenant, HELD), blobRow(tenant, HELD), "A blob that messages hold.");
  await demandSame((await reads.chunk(tenant, blobRow(tenant, HELD).blobId, 0))?.position, 0, "Its chunk.");
  await demandSame(reads.blob(tenant, NEW), young, "A blob that is not older.");
  await demandSame((await reads.chunk(tenant, young.blobId, 0))?.position, 0, "Its chunk.");
  await demandSame(reads.chunk(tenant, oldUpload, 0), undefined, "A chunk of an old upload that was never finished.");
  await demandSame((await reads.chunk(tenant, youngUpload, 0))?.position, 0, "A chunk of an upload under way.");
}

export const DELETE_CLAIMS: readonly Claim[] = [
  ["deleteDeltas takes the deltas of a run, gives their number and leaves changes of state", deletesDeltas],
  ["deleteMessages takes messages with what hangs on them, and is idempotent", deletesMessages],
  ["deleteRuns takes runs with their log rows, and is idempotent", deletesRuns],
  ["deleteThread takes a thread with everything in it but blobs, and is idempotent", deletesThreads],
  ["deleteKeys takes keys that are older", deletesKeys],
  ["deleteBlobs takes old blobs with their chunks where no message holds them, and is idempotent", deletesBlobs],
  ["deleteLooseBlobs takes old blobs that no message holds, and chunks of old uploads", deletesLooseBlobs],
];
