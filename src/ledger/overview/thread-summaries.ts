// Reads the summaries of threads: message count, usage, models, live runs and preview. Many threads are read together.
// For each thread, only the rows that are newer than its cached summary are read.
import { decodeTime } from "ulid";
import { parseJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { FIRST_MESSAGES, type ListedHead } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { LedgerStore } from "../store/contract.ts";
import { isoTime } from "../iso-time.ts";
import { CachedSummary, findSummaryCache, LAST_RUNS } from "./summary-cache.ts";
import { EventLoopYield } from "./event-loop-yield.ts";
import { createStoredPreview } from "./preview.ts";
import type { ThreadSummary } from "./types.ts";

const THREADS_PER_READ = 50;
const RUNS_PER_READ = 25;
const PREVIEW_LENGTH = 120;

/** Returns the summaries of these threads by thread id. */
export async function readSummaries(
  scope: LedgerScope,
  heads: readonly ListedHead[],
): Promise<Map<string, ThreadSummary>> {
  return runOnePerTenant(scope, async () => {
    const cache = findSummaryCache(scope.store);
    const current = new Map<string, CachedSummary>();
    const stale: StaleSummary[] = [];
    for (const head of heads) {
      const cached = cache.get(scope.tenant, head);
      if (cached?.lastId === head.lastId) current.set(head.id, cached);
      else stale.push({ head, thread: cached ?? new CachedSummary(head), isNew: cached === undefined });
    }
    for (let at = 0; at < stale.length; at += THREADS_PER_READ) {
      const batch = stale.slice(at, at + THREADS_PER_READ);
      await updateSummaries(scope, batch);
      for (const { head, thread } of batch) {
        cache.set(scope.tenant, head.id, thread);
        current.set(head.id, thread);
      }
    }
    return new Map(heads.flatMap((head) => toSummaryEntry(head, current.get(head.id))));
  });
}

function toSummaryEntry(head: ListedHead, cached: CachedSummary | undefined): [string, ThreadSummary][] {
  if (cached === undefined) return [];
  const { messages, models, live, preview = "", usage } = cached;
  const summary: ThreadSummary = { updatedAt: readUpdatedAt(head), messages, models, live: live.size, preview };
  // The usage is copied, because the cached sum continues to grow.
  if (usage !== undefined) summary.usage = { ...usage };
  return [[head.id, summary]];
}

const ID_OR_PREFIX = /^[0-7][0-9A-HJKMNP-TV-Z]{9,25}$/;
const ID_LENGTH = 26;

/**
 * Returns the time of the last activity, which `lastActivity` contains as an id or an id prefix; the creation time if
 * `lastActivity` contains no time or an earlier one.
 */
function readUpdatedAt({ lastActivity, createdAt }: ListedHead): string {
  if (!ID_OR_PREFIX.test(lastActivity)) return createdAt;
  const last = isoTime(decodeTime(lastActivity.padEnd(ID_LENGTH, "0")));
  return last > createdAt ? last : createdAt;
}

/** A thread whose cached summary is missing or outdated. */
interface StaleSummary {
  head: ListedHead;
  thread: CachedSummary;
  isNew: boolean;
}

/**
 * Updates the summaries, so that they include all rows up to the `lastId` of their heads. If a read fails, cached
 * summaries stay unchanged.
 */
async function updateSummaries(scope: LedgerScope, stale: readonly StaleSummary[]): Promise<void> {
  const { store, tenant } = scope;
  const ranges = stale.map(({ head, thread }) => ({
    threadId: head.id,
    after: thread.lastId,
    upTo: head.lastId,
    first: thread.preview === undefined && thread.messages < FIRST_MESSAGES,
  }));
  const cached = stale.filter(({ isNew }) => !isNew);
  const [counts, changed] = await Promise.all([
    store.reads.countMessages(tenant, ranges),
    store.reads.changedRuns(
      tenant,
      cached.map(({ head, thread }) => ({ threadId: head.id, after: thread.lastId })),
    ),
    readAllRuns(
      scope,
      stale.filter(({ isNew }) => isNew),
    ),
  ]);
  const previews = await Promise.all(
    counts.map(async ({ firstUserBody: body }) => (body === null ? undefined : readBodyPreview(scope, body))),
  );
  const byId = new Map(stale.map(({ head, thread }) => [head.id, thread]));
  for (const run of changed) byId.get(run.threadId)?.addRun(run, scope.report);
  for (const [at, { threadId, messages }] of counts.entries()) {
    const thread = byId.get(threadId);
    if (thread === undefined) continue;
    thread.messages += messages;
    thread.preview ??= previews[at];
  }
  for (const { head, thread } of stale) thread.lastId = head.lastId;
}

/**
 * Adds all runs of threads without a cached summary. The last `LAST_RUNS` runs are read completely, because their
 * metadata contains the model; of older runs, only the usage is read.
 */
async function readAllRuns(scope: LedgerScope, uncached: readonly StaleSummary[]): Promise<void> {
  const { store, tenant } = scope;
  const threads = new Map(uncached.map(({ head, thread }) => [head.id, thread]));
  const last = await store.reads.lastRuns(tenant, [...threads.keys()], LAST_RUNS);
  for (const run of last) threads.get(run.threadId)?.addRun(run, scope.report);
  const eventLoop = new EventLoopYield();
  let positions = findNextPositions(last, LAST_RUNS);
  while (positions.length > 0) {
    await eventLoop.yieldIfDue();
    const usages = await store.reads.usages(tenant, positions, RUNS_PER_READ);
    for (const run of usages) threads.get(run.threadId)?.addUsage(run);
    positions = findNextPositions(usages, RUNS_PER_READ);
  }
}

/**
 * Returns the positions from which the next read continues. Runs are read from the newest to the oldest, so a position
 * is the smallest run id that was read. A thread for which fewer than `limit` runs were read has no more runs.
 */
function findNextPositions(
  runs: readonly { threadId: string; id: string }[],
  limit: number,
): { threadId: string; before: string }[] {
  return [...Map.groupBy(runs, ({ threadId }) => threadId)].flatMap(([threadId, threadRuns]) =>
    threadRuns.length < limit
      ? []
      : [{ threadId, before: threadRuns.reduce((least, { id }) => (id < least ? id : least), "~") }],
  );
}

/** Returns the preview of a message's body; "" if the body cannot be read. */
async function readBodyPreview(scope: LedgerScope, body: string): Promise<string> {
  try {
    const message = parseJson(body);
    return isObject(message) ? await createStoredPreview(scope, message, PREVIEW_LENGTH) : "";
  } catch {
    // The damage is not reported here, because reads of the message report it.
    return "";
  }
}

/**
 * For each store, maps a tenant to the promise of the read of summaries that was started last and has not ended yet.
 */
const pendingReads = new WeakMap<LedgerStore, Map<string, Promise<unknown>>>();

/**
 * Runs the reads of a tenant one after the other, so that a later read finds the cached results of earlier reads.
 */
async function runOnePerTenant<T>({ store, tenant }: LedgerScope, work: () => Promise<T>): Promise<T> {
  const ofStore = pendingReads.get(store) ?? new Map<string, Promise<unknown>>();
  pendingReads.set(store, ofStore);
  const read = (ofStore.get(tenant) ?? Promise.resolve()).then(work, work);
  ofStore.set(tenant, read);
  try {
    return await read;
  } finally {
    if (ofStore.get(tenant) === read) ofStore.delete(tenant);
  }
}
