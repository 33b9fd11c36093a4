// Caches the summaries of recently listed threads in memory, so that a list reads only the rows that were written
// later.
import type { Usage } from "../../model/index.ts";
import { USAGE_COUNTS } from "../../model/usage.ts";
import { parseJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { ListedHead, RunRow, RunUsage } from "../store/rows.ts";
import { readRunMetadata } from "../runs/run-info.ts";
import { isLive } from "../runs/transitions.ts";
import type { ReportedProblem } from "../scope.ts";
import type { LedgerStore } from "../store/contract.ts";
import { toThreadMapKey } from "../threads/thread-map-key.ts";

/**
 * The number of a thread's last runs whose metadata is read to list the models of the thread; it is limited, because
 * metadata can be long.
 */
export const LAST_RUNS = 10;
const MAX_MODELS = 5;
/**
 * The maximum number of runs in all cached summaries of a store together. Each summary contains the ids of its runs, so
 * this limits the memory of the cache.
 */
const MAX_CACHED_RUNS = 200_000;
/** The maximum number of threads in the cache of a store. */
const MAX_CACHED_THREADS = 10_000;

/** The summary of a thread, in which all rows with ids up to `lastId` are counted. */
export class CachedSummary {
  readonly createdAt: string;
  readonly purges: number;
  /** The id up to which the rows of the thread are counted in this summary. */
  lastId = "";
  messages = 0;
  /** The beginning of the first user message's text; undefined if no such message was found yet. */
  preview: string | undefined;
  usage: Usage | undefined;
  readonly live = new Set<string>();
  /**
   * The ids of the ended runs whose usage is included in `usage`. A run is counted once, because its usage does not
   * change after its end.
   */
  readonly countedRunIds = new Set<string>();
  /** The ids of the last runs with their models; "" for an unknown model. */
  #models: [runId: string, model: string][] = [];

  constructor({ createdAt, purges }: ListedHead) {
    this.createdAt = createdAt;
    this.purges = purges;
  }

  /**
   * True if all counted rows still exist, so that only later rows must be added to the summary. False if rows of the
   * thread were deleted, or if the thread was deleted and created again.
   */
  isValidFor({ createdAt, purges, lastId }: ListedHead): boolean {
    return this.createdAt === createdAt && this.purges === purges && this.lastId <= lastId;
  }

  /** The models of the last runs, newest first, without duplicates. */
  get models(): string[] {
    return [...new Set(this.#models.map(([, model]) => model).filter(Boolean))].slice(0, MAX_MODELS);
  }

  addUsage({ id, state, usage }: Omit<RunUsage, "threadId">): void {
    if (isLive(state)) {
      this.live.add(id);
      return;
    }
    this.live.delete(id);
    if (this.countedRunIds.has(id)) return;
    this.countedRunIds.add(id);
    if (usage !== null) this.usage = addUsageText(this.usage, usage);
  }

  /** Adds the usage of a run, and the model from its metadata. */
  addRun(run: RunRow, report: (problem: ReportedProblem) => void): void {
    this.addUsage(run);
    const { model } = readRunMetadata(run, report);
    const others = this.#models.filter(([id]) => id !== run.id);
    this.#models = [...others, [run.id, typeof model === "string" ? model : ""] satisfies [string, string]]
      .sort(([left], [right]) => (left < right ? 1 : -1))
      .slice(0, LAST_RUNS);
  }
}

/**
 * Adds the token counts of a JSON text to a sum. Unreadable usage is ignored here, because reads of the run report it.
 */
function addUsageText(before: Usage | undefined, text: string): Usage {
  const sum: Usage = before ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const usage = parseObjectOrEmpty(text);
  for (const count of USAGE_COUNTS) {
    const value = usage[count];
    if (typeof value === "number") sum[count] = (sum[count] ?? 0) + value;
  }
  return sum;
}

function parseObjectOrEmpty(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A cached summary and its share of `MAX_CACHED_RUNS`. */
interface CacheEntry {
  thread: CachedSummary;
  /** The number of runs that the summary counted when it was added to the cache; the summary may count more later. */
  runs: number;
}

/** The cached summaries of a store, by tenant and thread. The first entry of the map is the least recently used one. */
export class SummaryCache {
  readonly #entries = new Map<string, CacheEntry>();
  readonly #maxRuns: number;
  #runs = 0;

  constructor(maxRuns = MAX_CACHED_RUNS) {
    this.#maxRuns = maxRuns;
  }

  get(tenant: string, head: ListedHead): CachedSummary | undefined {
    const thread = this.#remove(toThreadMapKey(tenant, head.id));
    if (thread === undefined || !thread.isValidFor(head)) return undefined;
    this.set(tenant, head.id, thread);
    return thread;
  }

  set(tenant: string, threadId: string, thread: CachedSummary): void {
    const name = toThreadMapKey(tenant, threadId);
    this.#remove(name);
    const runs = thread.countedRunIds.size;
    this.#entries.set(name, { thread, runs });
    this.#runs += runs;
    for (const oldest of this.#entries.keys()) {
      if (this.#runs <= this.#maxRuns && this.#entries.size <= MAX_CACHED_THREADS) return;
      this.#remove(oldest);
    }
  }

  #remove(name: string): CachedSummary | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    this.#runs -= entry.runs;
    return entry.thread;
  }
}

const cachesByStore = new WeakMap<LedgerStore, SummaryCache>();

export function findSummaryCache(store: LedgerStore): SummaryCache {
  const cache = cachesByStore.get(store) ?? new SummaryCache();
  cachesByStore.set(store, cache);
  return cache;
}
