// What is counted of every call: how it ended, the tokens it took, and what was lost on the way.
import type { Loss, ProviderErrorKind, Usage } from "../../model/index.ts";
import { keptLabels } from "../operations/kept-labels.ts";
import type { Counter } from "../operations/metrics.ts";
import type { Services } from "../types.ts";

interface Ended {
  dialect: string;
  provider: string;
  /** "ok", "aborted", or the kind of the error. */
  ending: "ok" | "aborted" | ProviderErrorKind;
  usage: Usage | undefined;
  losses: readonly (readonly Loss[])[];
}

export class Counters {
  readonly #calls: Counter;
  readonly #labels = new Map<string, ReturnType<typeof endLabels>>();
  readonly #tokenLabels = keptLabels((provider, direction) => ({ provider, direction }));
  readonly #lossLabels = keptLabels((dialect, provider) => ({ dialect, provider }));
  readonly #tokens: Counter;
  readonly #losses: Counter;

  constructor({ metrics }: Services) {
    this.#calls = metrics.counter(
      "koine_calls_total",
      "Model calls, by the client's dialect, the provider and their end.",
    );
    this.#tokens = metrics.counter("koine_tokens_total", "Tokens as providers count them.");
    this.#losses = metrics.counter("koine_losses_total", "What did not arrive as it was, notes apart.");
  }

  count({ dialect, provider, ending, usage, losses }: Ended): void {
    this.#calls.add(1, this.#labelsOf(dialect)(provider, ending));
    if (usage !== undefined) {
      this.#tokens.add(usage.inputTokens, this.#tokenLabels(provider, "input"));
      this.#tokens.add(usage.outputTokens, this.#tokenLabels(provider, "output"));
    }
    const lost = losses.reduce((sum, each) => sum + countLosses(each), 0);
    if (lost > 0) this.#losses.add(lost, this.#lossLabels(dialect, provider));
  }

  #labelsOf(dialect: string): ReturnType<typeof endLabels> {
    const known = this.#labels.get(dialect) ?? endLabels(dialect);
    this.#labels.set(dialect, known);
    return known;
  }
}

function endLabels(dialect: string): ReturnType<typeof keptLabels> {
  return keptLabels((provider, end) => ({ dialect, provider, end }));
}

/** What was really lost: notes are about bookkeeping. */
export function countLosses(losses: readonly Loss[]): number {
  let count = 0;
  for (const { level } of losses) if (level !== "note") count += 1;
  return count;
}

const COUNTERS = new WeakMap<Services, Counters>();

export function countersOf(services: Services): Counters {
  const counters = COUNTERS.get(services) ?? new Counters(services);
  COUNTERS.set(services, counters);
  return counters;
}
