// Counts model calls in the metrics: calls by their end, tokens, and losses.
import type { Loss, ProviderErrorKind, Usage } from "../../model/index.ts";
import { cacheLabels } from "../operations/cached-labels.ts";
import type { Counter } from "../operations/metrics.ts";
import type { Services } from "../types.ts";

interface EndedCall {
  dialect: string;
  provider: string;
  /** The value of the label `end`: "ok", "aborted", or the kind of the error. */
  ending: "ok" | "aborted" | ProviderErrorKind;
  usage: Usage | undefined;
  losses: readonly (readonly Loss[])[];
}

export class CallCounters {
  readonly #calls: Counter;
  readonly #labels = new Map<string, ReturnType<typeof createEndLabels>>();
  readonly #tokenLabels = cacheLabels((provider, direction) => ({ provider, direction }));
  readonly #lossLabels = cacheLabels((dialect, provider) => ({ dialect, provider }));
  readonly #tokens: Counter;
  readonly #losses: Counter;

  constructor({ metrics }: Services) {
    this.#calls = metrics.counter(
      "koine_calls_total",
      "Model calls by the client's dialect, the provider and the end.",
    );
    this.#tokens = metrics.counter("koine_tokens_total", "Tokens as counted by providers.");
    this.#losses = metrics.counter("koine_losses_total", "Losses, without notes.");
  }

  count({ dialect, provider, ending, usage, losses }: EndedCall): void {
    this.#calls.add(1, this.#endLabels(dialect)(provider, ending));
    if (usage !== undefined) {
      this.#tokens.add(usage.inputTokens, this.#tokenLabels(provider, "input"));
      this.#tokens.add(usage.outputTokens, this.#tokenLabels(provider, "output"));
    }
    const lossCount = losses.reduce((sum, each) => sum + countLosses(each), 0);
    if (lossCount > 0) this.#losses.add(lossCount, this.#lossLabels(dialect, provider));
  }

  #endLabels(dialect: string): ReturnType<typeof createEndLabels> {
    const cached = this.#labels.get(dialect) ?? createEndLabels(dialect);
    this.#labels.set(dialect, cached);
    return cached;
  }
}

function createEndLabels(dialect: string): ReturnType<typeof cacheLabels> {
  return cacheLabels((provider, end) => ({ dialect, provider, end }));
}

/** Returns the number of losses except those of level "note", which concern metadata only. */
export function countLosses(losses: readonly Loss[]): number {
  let count = 0;
  for (const { level } of losses) if (level !== "note") count += 1;
  return count;
}

const COUNTERS = new WeakMap<Services, CallCounters>();

export function getCallCounters(services: Services): CallCounters {
  const counters = COUNTERS.get(services) ?? new CallCounters(services);
  COUNTERS.set(services, counters);
  return counters;
}
