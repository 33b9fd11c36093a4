// What is remembered of threads for their summaries, so that a list reads only what came since: in memory, for the threads
// that were listed last. Everything here can be read again.
import type { Usage } from "../../model/index.ts";
import { COUNTS } from "../../model/usage.ts";
import { parseJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { ListedHead, RunRow, RunUsage } from "../rows.ts";
import { factsOf } from "../runs/info.ts";
import { isLive } from "../runs/transitions.ts";
import type { Finding } from "../scope.ts";
import type { LedgerStore } from "../store.ts";
import { threadName } from "../thread-name.ts";

/** Runs that are looked at for who answered: what they say of themselves can be long. */
export const LAST_RUNS = 10;
const MOST_MODELS = 5;
/** Runs that are remembered per store, of all threads together; and threads. */
const MOST_RUNS = 200_000;
const MOST_THREADS = 10_000;

/** A thread as far as it was read. */
export class KnownThread {
  readonly createdAt: string;
  readonly purges: number;
  /** Everything up to here is counted. */
  lastId = "";
  messages = 0;
  /** How the first text of a user begins; undefined: not found yet. */
  preview: string | undefined;
  usage: Usage | undefined;
  readonly live = new Set<string>();
  /** Runs whose usage is in the sum. A run's usage does not change after its end. */
  readonly counted = new Set<string>();
  /** Of the last runs, by their ids; "" where nobody said. */
  #models: [runId: string, model: string][] = [];

  constructor({ createdAt, purges }: ListedHead) {
    this.createdAt = createdAt;
    this.purges = purges;
  }

  /** Whether what is known is part of the thread as it is now. */
  isOf({ createdAt, purges, lastId }: ListedHead): boolean {
    return this.createdAt === createdAt && this.purges === purges && this.lastId <= lastId;
  }

  /** The last first, each once. */
  get models(): string[] {
    return [...new Set(this.#models.map(([, model]) => model).filter(Boolean))].slice(0, MOST_MODELS);
  }

  count({ id, state, usage }: Omit<RunUsage, "threadId">): void {
    if (isLive(state)) {
      this.live.add(id);
      return;
    }
    this.live.delete(id);
    if (this.counted.has(id)) return;
    this.counted.add(id);
    if (usage !== null) this.usage = sumOf(this.usage, usage);
  }

  /** A run with what its caller said of it. */
  look(run: RunRow, report: (finding: Finding) => void): void {
    this.count(run);
    const { model } = factsOf(run, report);
    const others = this.#models.filter(([id]) => id !== run.id);
    this.#models = [...others, [run.id, typeof model === "string" ? model : ""] satisfies [string, string]]
      .sort(([left], [right]) => (left < right ? 1 : -1))
      .slice(0, LAST_RUNS);
  }
}

/** What cannot be read is left out: whoever looks at the run is told. */
function sumOf(before: Usage | undefined, text: string): Usage {
  const sum: Usage = before ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const usage = readable(text);
  for (const count of COUNTS) {
    const value = usage[count];
    if (typeof value === "number") sum[count] = (sum[count] ?? 0) + value;
  }
  return sum;
}

function readable(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A thread, and as how many runs it counts: it may be read on while it is kept. */
interface Kept {
  thread: KnownThread;
  runs: number;
}

/** The threads of a store, by tenant and id; those that were asked for last come last. */
export class KnownThreads {
  readonly #kept = new Map<string, Kept>();
  readonly #mostRuns: number;
  #runs = 0;

  constructor(mostRuns = MOST_RUNS) {
    this.#mostRuns = mostRuns;
  }

  get(tenant: string, head: ListedHead): KnownThread | undefined {
    const thread = this.#take(threadName(tenant, head.id));
    if (thread === undefined || !thread.isOf(head)) return undefined;
    this.keep(tenant, head.id, thread);
    return thread;
  }

  keep(tenant: string, threadId: string, thread: KnownThread): void {
    const name = threadName(tenant, threadId);
    this.#take(name);
    const runs = thread.counted.size;
    this.#kept.set(name, { thread, runs });
    this.#runs += runs;
    for (const oldest of this.#kept.keys()) {
      if (this.#runs <= this.#mostRuns && this.#kept.size <= MOST_THREADS) return;
      this.#take(oldest);
    }
  }

  #take(name: string): KnownThread | undefined {
    const kept = this.#kept.get(name);
    if (kept === undefined) return undefined;
    this.#kept.delete(name);
    this.#runs -= kept.runs;
    return kept.thread;
  }
}

const ofStores = new WeakMap<LedgerStore, KnownThreads>();

export function knownThreads(store: LedgerStore): KnownThreads {
  const known = ofStores.get(store) ?? new KnownThreads();
  ofStores.set(store, known);
  return known;
}
