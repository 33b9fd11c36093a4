// Faults of stores in the steps of transactions, which the store suite must detect.
import { LedgerError } from "../../src/ledger/errors.ts";
import type { BlobRow } from "../../src/ledger/store/rows.ts";
import { type Awaitable, mapAwaitable } from "../../src/ledger/store/steps.ts";
import type { LedgerTransaction } from "../../src/ledger/store/contract.ts";
import { cannotUndo, withSteps, postpones, withReads, spreads, type StoreFaultRow } from "./store-faults.ts";

/** Returns `instead` if the step throws. */
function ignoresErrors<T>(step: () => Awaitable<T>, instead: T): Awaitable<T> {
  try {
    return step();
  } catch {
    return instead;
  }
}

const INSERT_FAULTS: readonly StoreFaultRow[] = [
  [
    "returns a log row as the newest message",
    /a thread row has/,
    withReads({
      thread: (good) => (key) =>
        mapAwaitable(good(key), (row) => row && { ...row, newestMessageId: row.lastId || null }),
    }),
  ],
  [
    "returns the newest message as the last row",
    /a thread row has/,
    withReads({
      thread: (good) => (key) => mapAwaitable(good(key), (row) => row && { ...row, lastId: row.newestMessageId ?? "" }),
    }),
  ],
  ["returns no head with a lock", /a thread row has/, withSteps({ lockThread: () => () => undefined })],
  [
    "overwrites an existing thread",
    /insertThread: an existing/,
    withSteps({
      insertThread: (good, tx) => (row) =>
        ignoresErrors(() => good(row), void tx.updateThread({ ...row, threadId: row.id }, row)),
    }),
  ],
  [
    "ignores an existing thread",
    /insertThread: an existing/,
    withSteps({ insertThread: (good) => (row) => ignoresErrors(() => good(row), undefined) }),
  ],
  [
    "throws its own errors",
    /insertThread: an existing/,
    withSteps({
      insertThread: (good) => (row) => {
        try {
          return good(row);
        } catch {
          throw new Error("UNIQUE constraint failed: threads.tenant, threads.id");
        }
      },
    }),
  ],
  [
    "has another error code for a conflict",
    /insertKey: an existing/,
    withSteps({
      insertKey: (good) => (row) => {
        try {
          return good(row);
        } catch {
          throw new LedgerError("unavailable", "The key is taken.");
        }
      },
    }),
  ],
  [
    "writes null to fields that are not named",
    /updateThread changes/,
    withSteps({ updateThread: (good) => (key, changes) => good(key, { title: null, ...changes }) }),
  ],
  [
    "cannot write null",
    /updateThread changes/,
    withSteps({
      updateThread: (good) => (key, changes) =>
        good(key, Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))),
    }),
  ],
  [
    "creates a thread instead of updating it",
    /updateThread changes/,
    withSteps({
      updateThread: (good, tx) => (key, changes) => {
        const row = { tenant: key.tenant, id: key.threadId, createdAt: "", pinned: false, leafId: null, scope: null };
        if (tx.thread(key) === undefined) void tx.insertThread({ ...row, title: null, kind: null, metadata: null });
        return good(key, changes);
      },
    }),
  ],
  [
    "ignores an existing message",
    /insertMessages inserts all/,
    withSteps({ insertMessages: (good) => (rows) => ignoresErrors(() => good(rows), undefined) }),
  ],
  [
    "writes at most a thousand messages",
    /insertMessages inserts all/,
    withSteps({ insertMessages: (good) => (rows) => good(rows.slice(0, 1_000)) }),
  ],
  [
    "has one set of message ids for all threads",
    /insertMessages inserts all/,
    withSteps({
      insertMessages: (good, tx) => (rows) => {
        const isTaken = rows.some(({ tenant, id }) => tx.message({ tenant, threadId: "thread" }, id) !== undefined);
        if (isTaken) throw new LedgerError("conflict", "The id is taken in another thread.");
        return good(rows);
      },
    }),
  ],
  [
    "ignores an existing run",
    /insertRun: an existing/,
    withSteps({ insertRun: (good) => (row) => ignoresErrors(() => good(row), undefined) }),
  ],
  [
    "finds runs of the first thread only",
    /insertRun: an existing/,
    withReads({
      run: (good) => (tenant, id) =>
        mapAwaitable(good(tenant, id), (row) => (row?.threadId === "thread" ? row : undefined)),
    }),
  ],
  [
    "ignores the epoch",
    /updateRun changes/,
    withSteps({
      updateRun: (good, tx) => (key, id, _, changes) =>
        good(key, id, (tx.run(key.tenant, id) as { epoch: number } | undefined)?.epoch ?? 0, changes),
    }),
  ],
  [
    "reports every run as changed",
    /updateRun changes/,
    withSteps({
      updateRun:
        (good) =>
        (...values) => (void good(...values), true),
    }),
  ],
  [
    "reports no run as changed",
    /updateRun changes/,
    withSteps({
      updateRun:
        (good) =>
        (...values) => (void good(...values), false),
    }),
  ],
  [
    "returns the number of changed fields",
    /updateRun changes/,
    withSteps({
      updateRun: (good) => (key, id, epoch, changes) =>
        Object.keys(changes).length > 0 && good(key, id, epoch, changes),
    }),
  ],
  [
    "cannot write null to a run",
    /updateRun changes/,
    withSteps({
      updateRun: (good) => (key, id, epoch, changes) =>
        good(key, id, epoch, Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))),
    }),
  ],
  [
    "ignores a new lease",
    /added to or removed from/,
    withSteps({
      updateRun:
        (good) =>
        (key, id, epoch, { leaseUntil: _leaseUntil, ...changes }) =>
          good(key, id, epoch, changes),
    }),
  ],
  [
    "ignores an existing key",
    /insertKey: an existing/,
    withSteps({ insertKey: (good) => (row) => ignoresErrors(() => good(row), undefined) }),
  ],
  [
    "reports every blob as written",
    /insertBlob: the first/,
    withSteps({ insertBlob: (good) => (row) => (void good(row), true) }),
  ],
  [
    "overwrites an existing blob",
    /insertBlob: the first/,
    withSteps({
      insertBlob: (good, tx) => (row) =>
        good(row) || (void tx.deleteBlobs(row.tenant, [row.hash], Infinity), void good(row), false),
    }),
  ],
  [
    "reports every blob as existing",
    /refreshBlob moves/,
    withSteps({
      refreshBlob:
        (good) =>
        (...values) => (void good(...values), true),
    }),
  ],
  [
    "does not renew the time of a blob",
    /refreshBlob moves/,
    withSteps({ refreshBlob: (_good, tx) => (tenant, hash) => tx.blob(tenant, hash) !== undefined }),
  ],
  [
    "sets the time of a blob back",
    /refreshBlob moves/,
    withSteps({
      refreshBlob: (good, tx) => (tenant, hash, createdAt) => {
        const row = tx.blob(tenant, hash) as BlobRow | undefined;
        if (row === undefined) return good(tenant, hash, createdAt);
        void tx.deleteBlobs(tenant, [hash], Infinity);
        void tx.insertBlob({ ...row, createdAt });
        return true;
      },
    }),
  ],
  [
    "deletes the first chunks of every blob",
    /chunks are read/,
    withSteps({ deleteChunks: (good) => (tenant) => void ["a", "b"].map((blobId) => good(tenant, blobId)) }),
  ],
  [
    "finds a chunk at any position",
    /chunks are read/,
    withReads({ chunk: (good) => (tenant, id) => good(tenant, id, 0) }),
  ],
  [
    "rejects an existing reference",
    /insertBlobRefs is/,
    withSteps({
      insertBlobRefs: (good, tx) => (rows) => {
        const isTaken = rows.some((row) => (tx.blobRefs(row) as unknown[]).length > 0);
        if (isTaken) throw new LedgerError("conflict", "The reference is there.");
        return good(rows);
      },
    }),
  ],
  [
    "rejects a quarantined record",
    /quarantine is/,
    withSteps({
      quarantine: (good, tx) => (row) => {
        if ((tx.quarantined(row.tenant, 1) as unknown[]).length > 0) throw new LedgerError("conflict", "It is there.");
        return good(row);
      },
    }),
  ],
  [
    "quarantines a record once per reason",
    /quarantine is/,
    withSteps({
      quarantine: (good) => (row) => good(row.reason === "another" ? { ...row, messageId: "another" } : row),
    }),
  ],
];

const WRITING: readonly (keyof LedgerTransaction)[] = [
  "insertThread",
  "updateThread",
  "insertMessages",
  "insertRun",
  "updateRun",
  "insertLog",
  "insertKey",
  "putAlias",
  "claimAlias",
  "deleteAlias",
  "addWork",
  "updateWork",
  "deleteWork",
  "insertBlob",
  "refreshBlob",
  "insertChunk",
  "insertBlobRefs",
  "quarantine",
  "deleteDeltas",
  "deleteChunks",
  "deleteMessages",
  "deleteRuns",
  "deleteKeys",
  "deleteUnreferencedBlobs",
  "deleteThread",
  "deleteBlobs",
];

/** The three generic faults for every writing method. */
const METHOD_FAULTS: readonly StoreFaultRow[] = WRITING.flatMap((method): StoreFaultRow[] => [
  [`applies ${method} to another thread too`, /no write changes/, spreads(method)],
  [`cannot undo ${method}`, /after any of its steps/, cannotUndo(method)],
  [`applies ${method} only at the end of the work`, /reads its own writes/, postpones(method)],
]);

export const WRITE_FAULTS = [...INSERT_FAULTS, ...METHOD_FAULTS];
