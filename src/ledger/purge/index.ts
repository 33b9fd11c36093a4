// Deletes for good: what was replaced, or whole threads, together with the blobs, keys and abandoned uploads that
// nobody needs any more. Never the active path, never what a live run needs.
import { decodeTime } from "ulid";
import { checkCount } from "../check.ts";
import { dropLandmarks } from "../context/above.ts";
import { LedgerError } from "../errors.ts";
import { activeLeaf } from "../leaf.ts";
import { everyThread } from "../pages.ts";
import { replacedOf } from "./replaced.ts";
import type { DeletionCounts, MessageHeader, RunState, ThreadHead } from "../rows.ts";
import { NOTHING_DELETED } from "../rows.ts";
import { isLive } from "../runs/transitions.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store.ts";
import { dropTail } from "../tails.ts";
import { threadHead, threadKey } from "../threads.ts";
import type { PurgeOptions } from "../types.ts";

/** How long idempotency keys hold, and how long an upload may wait for a message that names it. */
const GRACE_MS = 24 * 60 * 60 * 1000;
/** Rows that one call of the store deletes or reads. */
const BATCH = 500;

/** The states of runs whose messages can be deleted. */
const LEFT_BEHIND: ReadonlySet<RunState> = new Set(["superseded", "failed", "cancelled"]);

interface Purge {
  what: PurgeOptions["what"];
  /** Milliseconds since 1970. */
  before: number;
  /** Whether the caller named the thread. */
  isNamed: boolean;
  /** Blobs that were put since then stay: a message that names them may be on its way. Milliseconds since 1970. */
  putBefore: number;
}

/**
 * Deletes and says how much. A thread is one transaction; with `dryRun` everything is one, which is then undone, so that
 * the counts are those of the real thing. "thread" takes a thread only where all of it is older than `before`.
 */
export async function purge(scope: Scope, options: PurgeOptions): Promise<DeletionCounts> {
  const plan = readPlan(options, scope.now());
  const named = options.threadId === undefined ? undefined : threadKey(scope, options.threadId);
  if (named !== undefined) await threadHead(scope, named);
  return options.dryRun === true ? rehearse(scope, plan, named) : perform(scope, plan, named);
}

function readPlan({ what, before, threadId, graceMs = GRACE_MS }: PurgeOptions, now: number): Purge {
  if (what !== "replaced" && what !== "thread") {
    throw new LedgerError("invalid-input", '"what" must be "replaced" or "thread".', { path: "what" });
  }
  if (what === "thread" && threadId === undefined && before === undefined) {
    throw new LedgerError("invalid-input", 'To delete all threads, say "before" which time.', { path: "before" });
  }
  const time = before === undefined ? Infinity : new Date(before).getTime();
  if (Number.isNaN(time)) {
    throw new LedgerError("invalid-input", '"before" must be a date, or a text that says one.', { path: "before" });
  }
  // Including the millisecond in which the time is over.
  const putBefore = now - checkCount(graceMs, "graceMs") + 1;
  return { what, before: time, isNamed: threadId !== undefined, putBefore };
}

async function perform(scope: Scope, plan: Purge, named: ThreadKey | undefined): Promise<DeletionCounts> {
  const { store, tenant } = scope;
  let total: DeletionCounts = NOTHING_DELETED;
  const one = async (key: ThreadKey): Promise<void> => {
    total = sum(total, await store.write((tx) => purgeThread(scope, tx, key, plan)));
    dropTail(store, key.threadId);
    dropLandmarks(store, key);
  };
  if (named !== undefined) await one(named);
  else {
    for await (const threadId of everyThread(scope)) {
      const key = { tenant, threadId };
      if (await mayHave(scope, key, plan)) await one(key);
    }
  }
  return sum(total, await store.write((tx) => purgeLeftovers(scope, tx, plan)));
}

/** Spares threads that have nothing to delete a transaction. */
async function mayHave({ store }: Scope, key: ThreadKey, { what, before }: Purge): Promise<boolean> {
  if (what === "replaced") return (await store.reads.runs(key)).some(({ state }) => LEFT_BEHIND.has(state));
  const head = await store.reads.thread(key);
  return head !== undefined && lastChange(head) < before;
}

/** Thrown to undo what was done; it has the counts. */
class Rehearsed extends Error {
  readonly deleted: DeletionCounts;

  constructor(deleted: DeletionCounts) {
    super("This was a rehearsal.");
    this.deleted = deleted;
  }
}

async function rehearse(scope: Scope, plan: Purge, named: ThreadKey | undefined): Promise<DeletionCounts> {
  try {
    return await scope.store.write(function* undone(tx): Steps<never> {
      let total: DeletionCounts = NOTHING_DELETED;
      const keys = named === undefined ? yield* keysOf(scope, tx) : [named];
      for (const key of keys) total = sum(total, yield* purgeThread(scope, tx, key, plan));
      throw new Rehearsed(sum(total, yield* purgeLeftovers(scope, tx, plan)));
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.deleted;
    throw error;
  }
}

function* keysOf({ tenant }: Scope, tx: LedgerTransaction): Steps<ThreadKey[]> {
  const keys: ThreadKey[] = [];
  for (;;) {
    const before = keys.at(-1)?.threadId;
    const rows = yield* got(tx.threads(tenant, before === undefined ? { limit: BATCH } : { before, limit: BATCH }));
    for (const { id } of rows) keys.push({ tenant, threadId: id });
    if (rows.length < BATCH) return keys;
  }
}

function sum(a: DeletionCounts, b: DeletionCounts): DeletionCounts {
  const total = { ...a };
  for (const field of Object.keys(NOTHING_DELETED) as (keyof DeletionCounts)[]) total[field] += b[field];
  return total;
}

function* purgeThread(scope: Scope, tx: LedgerTransaction, key: ThreadKey, plan: Purge): Steps<DeletionCounts> {
  const head = yield* got(tx.lockThread(key));
  // Somebody else deleted it meanwhile.
  if (head === undefined) return NOTHING_DELETED;
  const held = (yield* got(tx.blobRefs(key))).map(({ hash }) => hash);
  const deleted = yield* plan.what === "thread"
    ? dropThread(scope, tx, key, head, plan)
    : dropReplaced(tx, key, head, plan);
  let total = deleted;
  // In one order: no two callers wait for each other's blobs.
  const hashes = [...new Set(held)].sort();
  for (let at = 0; at < hashes.length && (deleted.messages > 0 || deleted.threads > 0); at += BATCH) {
    total = sum(total, yield* got(tx.deleteBlobs(key.tenant, hashes.slice(at, at + BATCH), plan.putBefore)));
  }
  return total;
}

function* dropThread(
  scope: Scope,
  tx: LedgerTransaction,
  key: ThreadKey,
  head: ThreadHead,
  { before, isNamed }: Purge,
): Steps<DeletionCounts> {
  if (lastChange(head) >= before) return NOTHING_DELETED;
  const now = scope.now();
  const live = (yield* got(tx.runs(key))).find(({ state, leaseUntil }) => isLive(state) && leaseUntil > now);
  const work = live === undefined ? yield* got(tx.work(key)) : undefined;
  if (live === undefined && (work === undefined || work.leaseUntil <= now)) return yield* got(tx.deleteThread(key));
  if (!isNamed) return NOTHING_DELETED;
  const who =
    live === undefined ? `${work?.holder} works on this thread` : `The run ${live.id} of this thread is alive`;
  throw new LedgerError("conflict", `${who}; cancel it, then delete the thread.`);
}

/** Milliseconds since 1970. */
function lastChange({ createdAt, lastId }: ThreadHead): number {
  return Math.max(Date.parse(createdAt) || 0, lastId === "" ? 0 : decodeTime(lastId));
}

function* dropReplaced(
  tx: LedgerTransaction,
  key: ThreadKey,
  head: ThreadHead,
  { before }: Purge,
): Steps<DeletionCounts> {
  const headers: MessageHeader[] = [];
  for (let after = ""; ; after = headers.at(-1)?.id ?? "") {
    const page = yield* got(tx.headers(key, { after, limit: BATCH }));
    headers.push(...page);
    if (page.length < BATCH) break;
  }
  const { messageIds, runIds } = replacedOf(headers, yield* got(tx.runs(key)), activeLeaf(head), before);
  let total: DeletionCounts = NOTHING_DELETED;
  for (let at = 0; at < messageIds.length; at += BATCH) {
    total = sum(total, yield* got(tx.deleteMessages(key, messageIds.slice(at, at + BATCH))));
  }
  if (runIds.length > 0) total = sum(total, yield* got(tx.deleteRuns(key, runIds)));
  return total;
}

/** Keys that no longer hold, and uploads that no message ever named. */
function* purgeLeftovers({ now, tenant }: Scope, tx: LedgerTransaction, { putBefore }: Purge): Steps<DeletionCounts> {
  const keys = yield* got(tx.deleteKeys(tenant, now() - GRACE_MS));
  return sum(keys, yield* got(tx.deleteLooseBlobs(tenant, putBefore)));
}
