// Creates and reads the fixture of the store checks: rows of every kind for one tenant. A check reads the whole fixture
// before and after a write and compares the results.
import { LedgerError } from "../../ledger/errors.ts";
import { wait, runAsync, type Steps } from "../../ledger/store/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction, ThreadKey } from "../../ledger/store/contract.ts";
import {
  aliasRow,
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
  workRow,
} from "./rows.ts";
import type { TransactionStep } from "./store-test-context.ts";

export const REFERENCED_HASH = toTestHash("aa");
export const UNREFERENCED_HASH = toTestHash("bb");
const SECOND_UNREFERENCED_HASH = toTestHash("bc");
export const NEW_HASH = toTestHash("cc");
const MAX_LIMIT = 1_000_000;
const HASHES = [REFERENCED_HASH, UNREFERENCED_HASH, SECOND_UNREFERENCED_HASH, NEW_HASH];
const RUNS = ["run", "run-ended", "run-new"];
const KEYS = ["key", "key-old", "key-new"];
const ALIASES = ["alias", "alias-ended", "alias-other", "alias-new", "alias-claimed"];
const ENDED = { runId: "run-ended" };

/**
 * Returns the steps that insert the fixture: a thread with rows of every kind, and a second thread, which no change may
 * affect.
 */
export function createFixture(tenant: string): TransactionStep[] {
  const key = { tenant, threadId: "thread" };
  const other = { tenant, threadId: "thread-other" };
  const referenced = blobRow(tenant, REFERENCED_HASH);
  const loose = blobRow(tenant, UNREFERENCED_HASH);
  return [
    (tx) => tx.insertThread(threadRow(key, { title: "Delphi", kind: "oracle", pinned: true, leafId: toTestId(2) })),
    (tx) => tx.insertMessages([messageRow(key, 1), messageRow(key, 2, { role: "assistant", digest: "digest-2" })]),
    (tx) => tx.insertMessages([messageRow(key, 3), messageRow(key, 4, { role: "assistant", digest: "digest-4" })]),
    (tx) => tx.insertRun(runRow(key, "run")),
    (tx) => tx.insertRun(endedRun(key, "run-ended", 2_000)),
    (tx) => tx.insertLog([logRow(key, 5, ENDED), logRow(key, 6, ENDED), logRow(key, 7, { ...ENDED, kind: "run" })]),
    (tx) => tx.insertLog([logRow(key, 8)]),
    (tx) => tx.insertKey(keyRow(key, "key", { createdAt: 5_000 })),
    (tx) => tx.insertKey(keyRow(key, "key-old")),
    (tx) => tx.putAlias(aliasRow(key, "alias")),
    (tx) => tx.putAlias(aliasRow(key, "alias-ended", "run-ended")),
    (tx) => tx.addWork(workRow(key, { holder: "somebody", leaseId: "lease", leaseUntil: 500 })),
    (tx) => tx.insertBlob(referenced),
    (tx) => tx.insertBlob(loose),
    (tx) => tx.insertBlob(blobRow(tenant, SECOND_UNREFERENCED_HASH)),
    (tx) => tx.insertChunk(chunkRow(tenant, referenced.blobId, 0)),
    (tx) => tx.insertChunk(chunkRow(tenant, referenced.blobId, 1)),
    (tx) => tx.insertChunk(chunkRow(tenant, loose.blobId, 0)),
    (tx) => tx.insertBlobRefs([refRow(key, 2, REFERENCED_HASH), refRow(key, 4, REFERENCED_HASH)]),
    (tx) => tx.quarantine(quarantineRow(key, 3)),
    (tx) => tx.insertThread(threadRow(other)),
    (tx) => tx.insertMessages([messageRow(other, 1), messageRow(other, 2, { role: "assistant", digest: "digest-o" })]),
    (tx) => tx.insertRun(runRow(other, "run-other")),
    (tx) => tx.insertLog([logRow(other, 3, { runId: "run-other" })]),
    (tx) => tx.insertKey(keyRow(other, "key", { createdAt: 5_000 })),
    (tx) => tx.putAlias(aliasRow(other, "alias-other", "run-other")),
    (tx) => tx.addWork(workRow(other, { wantedAt: 2_000 })),
    (tx) => tx.addWork(workRow({ tenant, threadId: "thread-new" }, { leaseId: "lease", wantedAt: 3_000 })),
    (tx) => tx.insertBlobRefs([refRow(other, 1, REFERENCED_HASH)]),
    (tx) => tx.quarantine(quarantineRow(other, 1)),
  ];
}

/**
 * Returns one step for every method that writes. Each step changes the result of `readEverything`, also if the steps
 * before it have run.
 */
export function createChanges(tenant: string): Record<WritingMethod, TransactionStep> {
  const key = { tenant, threadId: "thread" };
  const referenced = blobRow(tenant, REFERENCED_HASH);
  const answer = messageRow(key, 10, { role: "assistant", digest: "digest-new" });
  return {
    insertThread: (tx) => tx.insertThread(threadRow({ tenant, threadId: "thread-new" })),
    updateThread: (tx) => tx.updateThread(key, { title: "Dodona", pinned: false, leafId: null }),
    insertMessages: (tx) => tx.insertMessages([messageRow(key, 9), answer]),
    insertRun: (tx) => tx.insertRun(runRow(key, "run-new", { state: "streaming", leaseUntil: 900 })),
    updateRun: (tx) => tx.updateRun(key, "run", 1, { epoch: 2, state: "failed", finishedAt: 3_000, error: "{}" }),
    insertLog: (tx) => tx.insertLog([logRow(key, 11), logRow(key, 12, { kind: "run" })]),
    insertKey: (tx) => tx.insertKey(keyRow(key, "key-new", { createdAt: 6_000 })),
    putAlias: (tx) => tx.putAlias(aliasRow(key, "alias-new")),
    claimAlias: (tx) => tx.claimAlias(aliasRow(key, "alias-claimed")),
    deleteAlias: (tx) => tx.deleteAlias(tenant, "alias"),
    addWork: (tx) => tx.addWork(workRow({ tenant, threadId: "thread-other" })),
    updateWork: (tx) => tx.updateWork(key, "lease", { leaseId: "lease-new", leaseUntil: 700 }),
    deleteWork: (tx) => tx.deleteWork({ tenant, threadId: "thread-new" }, "lease", 1),
    insertBlob: (tx) => tx.insertBlob(blobRow(tenant, NEW_HASH, { createdAt: 6_000 })),
    refreshBlob: (tx) => tx.refreshBlob(tenant, REFERENCED_HASH, 5_000),
    insertChunk: (tx) => tx.insertChunk(chunkRow(tenant, referenced.blobId, 2)),
    insertBlobRefs: (tx) => tx.insertBlobRefs([refRow(key, 1, REFERENCED_HASH), refRow(key, 1, NEW_HASH)]),
    quarantine: (tx) => tx.quarantine(quarantineRow(key, 4)),
    deleteDeltas: (tx) => tx.deleteDeltas(key, "run-ended"),
    deleteChunks: (tx) => tx.deleteChunks(tenant, referenced.blobId),
    deleteMessages: (tx) => tx.deleteMessages(key, [toTestId(3), toTestId(4)]),
    deleteRuns: (tx) => tx.deleteRuns(key, ["run-ended"]),
    deleteKeys: (tx) => tx.deleteKeys(tenant, 5_000),
    deleteBlobs: (tx) => tx.deleteBlobs(tenant, [REFERENCED_HASH, UNREFERENCED_HASH], MAX_LIMIT),
    deleteUnreferencedBlobs: (tx) => tx.deleteUnreferencedBlobs(tenant, 1_001),
    deleteThread: (tx) => tx.deleteThread(key),
  };
}

/** The methods of a transaction that change rows: all except the reads and `lockThread`. */
type WritingMethod = Exclude<keyof LedgerTransaction, keyof LedgerReads | "lockThread">;

/** Returns the results of all reads of the fixture, by the name of the method. */
export function* readEverything(reads: LedgerReads, tenant: string): Steps<Record<string, unknown>> {
  const result: Record<string, unknown> = {
    threads: yield* wait(reads.threads(tenant, { limit: MAX_LIMIT })),
    findDigests: yield* wait(reads.findDigests(tenant, ["digest-2", "digest-4", "digest-o", "digest-new"], MAX_LIMIT)),
    expiredRuns: sortRows(yield* wait(reads.expiredRuns(MAX_LIMIT, MAX_LIMIT, tenant))),
    compactableRuns: sortRows(yield* wait(reads.compactableRuns(MAX_LIMIT, MAX_LIMIT, tenant))),
    "threads of a kind": yield* wait(reads.threads(tenant, { limit: MAX_LIMIT, kind: "oracle" })),
    titles: yield* wait(reads.titles(tenant, { limit: MAX_LIMIT })),
    openWork: yield* wait(reads.openWork(MAX_LIMIT, MAX_LIMIT, tenant)),
    quarantined: sortRows(yield* wait(reads.quarantined(tenant, MAX_LIMIT))),
  };
  for (const id of [...RUNS, "run-other"]) result[`run ${id}`] = yield* wait(reads.run(tenant, id));
  for (const name of ALIASES) result[`alias ${name}`] = yield* wait(reads.alias(tenant, name));
  for (const hash of HASHES) {
    result[`blob ${hash}`] = yield* wait(reads.blob(tenant, hash));
    for (const position of [0, 1, 2]) {
      const { blobId } = blobRow(tenant, hash);
      result[`chunk ${blobId} ${position}`] = yield* wait(reads.chunk(tenant, blobId, position));
    }
  }
  for (const threadId of ["thread", "thread-other", "thread-new"]) {
    result[`in ${threadId}`] = yield* readThreadRows(reads, { tenant, threadId });
  }
  return result;
}

function* readThreadRows(reads: LedgerReads, key: ThreadKey): Steps<Record<string, unknown>> {
  const result: Record<string, unknown> = {
    thread: yield* wait(reads.thread(key)),
    messages: yield* wait(reads.messages(key, { limit: MAX_LIMIT })),
    headers: yield* wait(reads.headers(key, { limit: MAX_LIMIT, order: "desc" })),
    message: yield* wait(reads.message(key, toTestId(4))),
    runs: yield* wait(reads.runs(key)),
    runIds: yield* wait(reads.runIds(key, "committed")),
    lastRuns: sortRows(yield* wait(reads.lastRuns(key.tenant, [key.threadId], MAX_LIMIT))),
    usages: sortRows(yield* wait(reads.usages(key.tenant, [{ threadId: key.threadId, before: "~" }], MAX_LIMIT))),
    changedRuns: sortRows(yield* wait(reads.changedRuns(key.tenant, [{ threadId: key.threadId, after: "" }]))),
    log: yield* wait(reads.log(key, { limit: MAX_LIMIT })),
    "log of a run": yield* wait(reads.log(key, { limit: MAX_LIMIT, ...ENDED })),
    aliases: yield* wait(reads.aliases(key)),
    work: yield* wait(reads.work(key)),
    blobRefs: yield* wait(reads.blobRefs(key)),
  };
  const range = { threadId: key.threadId, after: "", upTo: "~", first: true };
  const [count] = yield* wait(reads.countMessages(key.tenant, [range]));
  result["tally"] = count?.messages === 0 ? undefined : count;
  for (const name of KEYS) result[`key ${name}`] = yield* wait(reads.idempotencyKey(key, name));
  return result;
}

/** Sorts rows for which the contract defines no order. */
function sortRows<Row extends { threadId: string }>(rows: readonly Row[]): Row[] {
  const toKey = (row: Row): string => JSON.stringify(row);
  return rows.toSorted((left, right) => (toKey(left) < toKey(right) ? -1 : 1));
}

export function readStore(store: LedgerStore, tenant: string): Promise<Record<string, unknown>> {
  return runAsync(readEverything(store.reads, tenant));
}

/** The error with which a check stops a transaction; no store throws this error. */
export class StopError extends LedgerError {
  constructor() {
    super("invalid-input", "Stopped on purpose.");
  }
}
