// Faults of stores in deletion, which the store suite must detect.
import type { DeletionCounts } from "../../src/ledger/store/rows.ts";
import { type Awaitable, mapAwaitable } from "../../src/ledger/store/steps.ts";
import type { LedgerTransaction } from "../../src/ledger/store/contract.ts";
import { withSteps, type StoreFault, type StoreFaultRow } from "./store-faults.ts";

type Deleting =
  | "deleteMessages"
  | "deleteRuns"
  | "deleteThread"
  | "deleteKeys"
  | "deleteBlobs"
  | "deleteUnreferencedBlobs";

/** Changes the returned counts of deleted rows. */
function counts(method: Deleting, change: (deleted: DeletionCounts) => DeletionCounts): StoreFault {
  // The cast holds: all these methods return the number of deleted rows.
  const instead =
    (good: (...values: never[]) => Awaitable<DeletionCounts>) =>
    (...values: never[]) =>
      mapAwaitable(good(...values), change);
  return withSteps({ [method]: instead });
}
const CLAIM_OF: Record<Deleting, RegExp> = {
  deleteMessages: /deleteMessages deletes/,
  deleteRuns: /deleteRuns deletes runs/,
  deleteThread: /deleteThread deletes a thread/,
  deleteKeys: /deleteKeys deletes/,
  deleteBlobs: /deleteBlobs deletes/,
  deleteUnreferencedBlobs: /deleteUnreferencedBlobs deletes/,
};
// The keys of the record above.
const DELETING = Object.keys(CLAIM_OF) as Deleting[];

/** Deletes no rows. */
function leaves(name: keyof LedgerTransaction & Deleting): StoreFault {
  const none: DeletionCounts = { threads: 0, messages: 0, runs: 0, logRows: 0, keys: 0, blobs: 0, bytes: 0 };
  return withSteps({ [name]: () => () => none });
}

export const DELETE_FAULTS: readonly StoreFaultRow[] = [
  ...DELETING.flatMap((method): StoreFaultRow[] => [
    [`deletes no rows in ${method}`, CLAIM_OF[method], leaves(method)],
    [
      `counts one more each time in ${method}`,
      CLAIM_OF[method],
      counts(method, (deleted) => ({ ...deleted, blobs: deleted.blobs + 1 })),
    ],
  ]),
  [
    "counts characters for bytes",
    /deleteMessages deletes/,
    counts("deleteMessages", (deleted) => ({ ...deleted, bytes: deleted.bytes - Number(deleted.bytes > 0) })),
  ],
  [
    "deletes changes of state with the deltas",
    /deleteDeltas deletes/,
    withSteps({
      deleteDeltas: (good, tx) => (key, runId) => {
        const [count, run] = [good(key, runId), tx.run(key.tenant, runId)];
        void tx.deleteRuns(key, [runId]);
        if (run !== undefined) void tx.insertRun(run as never);
        return count;
      },
    }),
  ],
  [
    "deletes deltas outside of the range",
    /deleteDeltas deletes/,
    withSteps({ deleteDeltas: (good) => (key, runId) => good(key, runId) }),
  ],
  [
    "returns no number of deltas",
    /deleteDeltas deletes/,
    withSteps({
      deleteDeltas:
        (good) =>
        (...values) => (void good(...values), 0),
    }),
  ],
  [
    "leaves references of deleted messages",
    /deleteMessages deletes/,
    withSteps({
      deleteMessages: (good, tx) => (key, ids) => {
        const refs = tx.blobRefs(key) as never[];
        const deleted = good(key, ids);
        void tx.insertBlobRefs(refs);
        return deleted;
      },
    }),
  ],
  [
    "leaves quarantine rows of deleted messages",
    /deleteMessages deletes/,
    withSteps({
      deleteMessages: (good, tx) => (key, ids) => {
        const rows = tx.quarantined(key.tenant, 99) as never[];
        const deleted = good(key, ids);
        for (const row of rows) void tx.quarantine(row);
        return deleted;
      },
    }),
  ],
  [
    "leaves the log of deleted runs",
    /deleteRuns deletes runs/,
    withSteps({
      deleteRuns: (good, tx) => (key, ids) => {
        const rows = tx.log(key, { limit: 99 }) as { runId: string }[];
        const deleted = good(key, ids);
        void tx.insertLog(rows.filter(({ runId }) => ids.includes(runId)) as never[]);
        return deleted;
      },
    }),
  ],
  [
    "deletes blobs with their thread",
    /deleteThread deletes a thread/,
    withSteps({
      deleteThread: (good, tx) => (key) =>
        mapAwaitable(good(key), (deleted) => (void tx.deleteUnreferencedBlobs(key.tenant, 9_999), deleted)),
    }),
  ],
  [
    "leaves a thread's keys",
    /deleteThread deletes a thread/,
    withSteps({
      deleteThread: (good, tx) => (key) => {
        const row = tx.idempotencyKey(key, "key");
        const deleted = good(key);
        if (row !== undefined) void tx.insertKey(row as never);
        return deleted;
      },
    }),
  ],
  [
    "deletes keys of the last millisecond",
    /deleteKeys deletes/,
    withSteps({ deleteKeys: (good) => (tenant, before) => good(tenant, before + 1) }),
  ],
  [
    "leaves the chunks of a deleted blob",
    /deleteBlobs deletes/,
    withSteps({
      deleteBlobs: (good, tx) => (tenant, hashes, before) => {
        const ids = hashes.map((hash) => (tx.blob(tenant, hash) as { blobId: string } | undefined)?.blobId ?? "");
        const chunks = ids.map((blobId) => tx.chunk(tenant, blobId, 0));
        const deleted = good(tenant, hashes, before);
        for (const [at, blobId] of ids.entries()) {
          if (chunks[at] !== undefined && tx.chunk(tenant, blobId, 0) === undefined)
            void tx.insertChunk(chunks[at] as never);
        }
        return deleted;
      },
    }),
  ],
  [
    "deletes referenced blobs",
    /deleteBlobs deletes|deleteUnreferencedBlobs deletes|adds a reference/,
    withSteps({
      insertBlobRefs: () => () => undefined,
    }),
  ],
  [
    "deletes recent blobs by name",
    /deleteBlobs deletes/,
    withSteps({ deleteBlobs: (good) => (tenant, hashes, before) => good(tenant, hashes, before + 1) }),
  ],
  [
    "deletes recent blobs",
    /deleteUnreferencedBlobs deletes/,
    withSteps({ deleteUnreferencedBlobs: (good) => (tenant, before) => good(tenant, before + 1) }),
  ],
  [
    "leaves unfinished uploads",
    /deleteUnreferencedBlobs deletes/,
    withSteps({
      deleteUnreferencedBlobs: (good, tx) => (tenant, before) => {
        const chunk = tx.chunk(tenant, "00000000Z8AAAAAAAAAAAAAAAA", 0);
        const deleted = good(tenant, before);
        if (chunk !== undefined) void tx.insertChunk(chunk as never);
        return deleted;
      },
    }),
  ],
];
