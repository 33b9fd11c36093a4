// Deletes replaced messages or entire threads permanently, and the blobs, idempotency keys and unfinished uploads that
// are no longer needed. A purge of replaced messages never deletes the active path, and a purge of threads never
// deletes a thread on which a live run or a worker has a lease.
import { decodeTime } from "ulid";
import { requireCount } from "../check-arguments.ts";
import { forgetAncestors } from "../context/ancestors.ts";
import { LedgerError } from "../errors.ts";
import { activeLeaf } from "../messages/active-leaf.ts";
import { eachThreadId } from "../pages.ts";
import { findReplacedMessages } from "./replaced-messages.ts";
import type { DeletionCounts, MessageHeader, RunState, ThreadHead } from "../store/rows.ts";
import { NOTHING_DELETED } from "../store/rows.ts";
import { isLive } from "../runs/transitions.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import { forgetLastMessage } from "../messages/last-written.ts";
import { requireThreadHead, toThreadKey } from "../threads/threads.ts";
import type { PurgeOptions } from "../types.ts";

/** The lifetime of idempotency keys, and the default minimum age at which unreferenced blobs are deleted. */
const GRACE_MS = 24 * 60 * 60 * 1000;
/** The maximum number of rows that one call of the store deletes or reads. */
const BATCH_SIZE = 500;

/**
 * The states of runs whose messages a purge of replaced messages can delete; without such a run, a thread is not
 * purged.
 */
const DELETABLE_STATES: ReadonlySet<RunState> = new Set(["superseded", "failed", "cancelled"]);

/** The checked options of a purge. */
interface PurgePlan {
  what: PurgeOptions["what"];
  /** The time, in milliseconds since 1970, from which on messages and threads are not deleted. */
  before: number;
  /** True if the caller named the thread to purge; false if all threads of the tenant are purged. */
  isNamed: boolean;
  /**
   * The time, in milliseconds since 1970, from which on blobs are not deleted, because a message that references them
   * may not be written yet.
   */
  blobsBefore: number;
}

/**
 * Deletes the data that the options select, and returns the numbers of deleted rows. Each thread is purged in its own
 * transaction. With `dryRun`, all deletions run in one transaction that is rolled back, so the numbers are exact.
 * `what: "thread"` deletes a thread only if all of its rows are older than `before`.
 */
export async function purge(scope: LedgerScope, options: PurgeOptions): Promise<DeletionCounts> {
  const plan = requirePlan(options, scope.now());
  const named = options.threadId === undefined ? undefined : toThreadKey(scope, options.threadId);
  if (named !== undefined) await requireThreadHead(scope, named);
  return options.dryRun === true ? runDry(scope, plan, named) : runPurge(scope, plan, named);
}

function requirePlan({ what, before, threadId, graceMs = GRACE_MS }: PurgeOptions, now: number): PurgePlan {
  if (what !== "replaced" && what !== "thread") {
    throw new LedgerError("invalid-input", '"what" must be "replaced" or "thread".', { path: "what" });
  }
  if (what === "thread" && threadId === undefined && before === undefined) {
    throw new LedgerError("invalid-input", '"before" is required to delete all threads.', { path: "before" });
  }
  const time = before === undefined ? Infinity : new Date(before).getTime();
  if (Number.isNaN(time)) {
    throw new LedgerError("invalid-input", '"before" must be a date or an ISO 8601 text.', { path: "before" });
  }
  // The 1 is added because blobs whose age is exactly `graceMs` are deleted, too.
  const putBefore = now - requireCount(graceMs, "graceMs") + 1;
  return { what, before: time, isNamed: threadId !== undefined, blobsBefore: putBefore };
}

async function runPurge(scope: LedgerScope, plan: PurgePlan, named: ThreadKey | undefined): Promise<DeletionCounts> {
  const { store, tenant } = scope;
  let total: DeletionCounts = NOTHING_DELETED;
  const purgeOne = async (key: ThreadKey): Promise<void> => {
    total = addCounts(total, await store.write((tx) => purgeThread(scope, tx, key, plan)));
    forgetLastMessage(store, key.threadId);
    forgetAncestors(store, key);
  };
  if (named !== undefined) await purgeOne(named);
  else {
    for await (const threadId of eachThreadId(scope)) {
      const key = { tenant, threadId };
      if (await mayHaveDeletable(scope, key, plan)) await purgeOne(key);
    }
  }
  return addCounts(total, await store.write((tx) => purgeLeftovers(scope, tx, plan)));
}

/** True if a thread may have data to delete. For all other threads, no transaction is started. */
async function mayHaveDeletable({ store }: LedgerScope, key: ThreadKey, { what, before }: PurgePlan): Promise<boolean> {
  if (what === "replaced") return (await store.reads.runs(key)).some(({ state }) => DELETABLE_STATES.has(state));
  const head = await store.reads.thread(key);
  return head !== undefined && readLastChange(head) < before;
}

/** The error that rolls back the transaction of a dry run, with the numbers of deleted rows. */
class DryRunResult extends Error {
  readonly deleted: DeletionCounts;

  constructor(deleted: DeletionCounts) {
    super("Dry run, rolled back.");
    this.deleted = deleted;
  }
}

async function runDry(scope: LedgerScope, plan: PurgePlan, named: ThreadKey | undefined): Promise<DeletionCounts> {
  try {
    return await scope.store.write(function* dryRun(tx): Steps<never> {
      let total: DeletionCounts = NOTHING_DELETED;
      const keys = named === undefined ? yield* listThreadKeys(scope, tx) : [named];
      for (const key of keys) total = addCounts(total, yield* purgeThread(scope, tx, key, plan));
      throw new DryRunResult(addCounts(total, yield* purgeLeftovers(scope, tx, plan)));
    });
  } catch (error) {
    if (error instanceof DryRunResult) return error.deleted;
    throw error;
  }
}

function* listThreadKeys({ tenant }: LedgerScope, tx: LedgerTransaction): Steps<ThreadKey[]> {
  const keys: ThreadKey[] = [];
  for (;;) {
    const before = keys.at(-1)?.threadId;
    const rows = yield* wait(
      tx.threads(tenant, before === undefined ? { limit: BATCH_SIZE } : { before, limit: BATCH_SIZE }),
    );
    for (const { id } of rows) keys.push({ tenant, threadId: id });
    if (rows.length < BATCH_SIZE) return keys;
  }
}

function addCounts(a: DeletionCounts, b: DeletionCounts): DeletionCounts {
  const total = { ...a };
  for (const field of Object.keys(NOTHING_DELETED) as (keyof DeletionCounts)[]) total[field] += b[field];
  return total;
}

function* purgeThread(
  scope: LedgerScope,
  tx: LedgerTransaction,
  key: ThreadKey,
  plan: PurgePlan,
): Steps<DeletionCounts> {
  const head = yield* wait(tx.lockThread(key));
  // Another process may have deleted the thread meanwhile.
  if (head === undefined) return NOTHING_DELETED;
  const references = (yield* wait(tx.blobRefs(key))).map(({ hash }) => hash);
  const deleted = yield* plan.what === "thread"
    ? deleteWholeThread(scope, tx, key, head, plan)
    : deleteReplaced(tx, key, head, plan);
  let total = deleted;
  // Blobs are deleted only if messages or the thread were deleted; otherwise all references to blobs still exist. The
  // order of the hashes prevents a deadlock of concurrent callers.
  const hashes = [...new Set(references)].sort();
  for (let at = 0; at < hashes.length && (deleted.messages > 0 || deleted.threads > 0); at += BATCH_SIZE) {
    total = addCounts(
      total,
      yield* wait(tx.deleteBlobs(key.tenant, hashes.slice(at, at + BATCH_SIZE), plan.blobsBefore)),
    );
  }
  return total;
}

function* deleteWholeThread(
  scope: LedgerScope,
  tx: LedgerTransaction,
  key: ThreadKey,
  head: ThreadHead,
  { before, isNamed }: PurgePlan,
): Steps<DeletionCounts> {
  if (readLastChange(head) >= before) return NOTHING_DELETED;
  const now = scope.now();
  const live = (yield* wait(tx.runs(key))).find(({ state, leaseUntil }) => isLive(state) && leaseUntil > now);
  const work = live === undefined ? yield* wait(tx.work(key)) : undefined;
  if (live === undefined && (work === undefined || work.leaseUntil <= now)) return yield* wait(tx.deleteThread(key));
  if (!isNamed) return NOTHING_DELETED;
  const reason =
    live === undefined
      ? `The worker ${work?.holder} has a lease on this thread`
      : `The run ${live.id} of this thread is live`;
  throw new LedgerError("conflict", `${reason}; cancel it, then delete the thread.`);
}

/** Returns the time of a thread's last message or log row, or of its creation, in milliseconds since 1970. */
function readLastChange({ createdAt, lastId }: ThreadHead): number {
  return Math.max(Date.parse(createdAt) || 0, lastId === "" ? 0 : decodeTime(lastId));
}

function* deleteReplaced(
  tx: LedgerTransaction,
  key: ThreadKey,
  head: ThreadHead,
  { before }: PurgePlan,
): Steps<DeletionCounts> {
  const headers: MessageHeader[] = [];
  for (let after = ""; ; after = headers.at(-1)?.id ?? "") {
    const page = yield* wait(tx.headers(key, { after, limit: BATCH_SIZE }));
    headers.push(...page);
    if (page.length < BATCH_SIZE) break;
  }
  const { messageIds, runIds } = findReplacedMessages(headers, yield* wait(tx.runs(key)), activeLeaf(head), before);
  let total: DeletionCounts = NOTHING_DELETED;
  for (let at = 0; at < messageIds.length; at += BATCH_SIZE) {
    total = addCounts(total, yield* wait(tx.deleteMessages(key, messageIds.slice(at, at + BATCH_SIZE))));
  }
  if (runIds.length > 0) total = addCounts(total, yield* wait(tx.deleteRuns(key, runIds)));
  return total;
}

/** Deletes expired idempotency keys, old blobs that no message references, and old unfinished uploads. */
function* purgeLeftovers(
  { now, tenant }: LedgerScope,
  tx: LedgerTransaction,
  { blobsBefore: putBefore }: PurgePlan,
): Steps<DeletionCounts> {
  const keys = yield* wait(tx.deleteKeys(tenant, now() - GRACE_MS));
  return addCounts(keys, yield* wait(tx.deleteUnreferencedBlobs(tenant, putBefore)));
}
