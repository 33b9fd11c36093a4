// Implements the budget middleware, which rejects calls after the caller's limits are reached.
import type { Usage } from "../../model/index.ts";
import { addUsage } from "../../model/index.ts";
import type { Attempt, FieldChecks } from "../../calls/index.ts";
import { checkFields, checkNonNegative, checkOneOf, ClientError } from "../../calls/index.ts";
import { deferStream } from "./defer-stream.ts";
import type { CallOutcome } from "./tap-stream.ts";
import { tapStream } from "./tap-stream.ts";
import type { Call, Middleware } from "./types.ts";

/** The limits of a budget; an absent limit means unlimited. */
export interface BudgetLimits {
  /** The maximum cost in US dollars. Requires providers that report their cost, or the option `prices`. */
  cost?: number | undefined;
  totalTokens?: number | undefined;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  calls?: number | undefined;
}

/** Options of `budget`. */
export interface BudgetOptions extends BudgetLimits {
  /**
   * The effect of an answer with unknown usage or cost, after which a limit cannot be enforced: "refuse" (default)
   * rejects further calls, "ignore" counts the answer as 0. Streams that break off or are not read to their end often
   * have unknown usage, because many providers report usage only at the end. Error replies and calls that ended before
   * they were sent count as 0.
   */
  unknown?: "refuse" | "ignore" | undefined;
}

/** The usage of all calls so far, including failed attempts. */
export interface BudgetUsage extends Usage {
  cost: number;
  calls: number;
}

/** A middleware that enforces limits and reports the usage so far. */
export interface Budget extends Middleware {
  readonly spent: Readonly<BudgetUsage>;
  /** Resets the usage to zero, for example each month. Calls that are running are counted when they end. */
  reset(): void;
}

const METERED = ["cost", "totalTokens", "inputTokens", "outputTokens"] as const;
const LIMITS = [...METERED, "calls"] as const;
const OPTIONS: FieldChecks<keyof BudgetOptions> = {
  cost: checkNonNegative,
  totalTokens: checkNonNegative,
  inputTokens: checkNonNegative,
  outputTokens: checkNonNegative,
  calls: checkNonNegative,
  unknown: checkOneOf("refuse", "ignore"),
};
const ZERO_USAGE: BudgetUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cost: 0, calls: 0 };

/**
 * Creates a middleware that rejects calls after a limit is reached, with a `ClientError` "budget". The usage of a call
 * is known when it ends, so concurrent calls may together exceed a limit.
 *
 * @example
 * ```ts
 * import { user } from "koine";
 * import { budget, ClientError, createClient, demo } from "koine/client";
 *
 * const limit = budget({ calls: 1, totalTokens: 100_000 });
 * const client = createClient({ providers: { demo: demo() }, middleware: [limit] });
 * const request = { model: "demo/koine", messages: [user("say Hello.")] };
 * await client.complete(request);
 * console.log(limit.spent.calls); // 1
 * try {
 *   await client.complete(request);
 * } catch (error) {
 *   console.log(error instanceof ClientError && error.code); // budget
 * }
 * await client.close();
 * ```
 */
export function budget(options: BudgetOptions): Budget {
  checkFields(options, OPTIONS, "");
  const state = new BudgetState(options);
  return {
    name: "budget",
    get spent() {
      return state.spent;
    },
    reset: () => state.reset(),
    async complete(call, next) {
      state.admit(call);
      try {
        const answer = await next(call);
        state.count({ answer });
        return answer;
      } catch (error) {
        state.count({ error });
        throw error;
      }
    },
    stream: (call, next) =>
      deferStream(() => {
        state.admit(call);
        return tapStream(next(call), { ended: (outcome) => state.count(outcome) }, call.options.signal);
      }, call.options.signal),
  };
}

class BudgetState {
  spent: BudgetUsage = ZERO_USAGE;
  readonly #limits: BudgetOptions;
  /**
   * For each limit that cannot be enforced, by its name: the last attempt that does not report the usage which that
   * limit counts.
   */
  #unknown = new Map<string, Attempt>();

  constructor(limits: BudgetOptions) {
    this.#limits = limits;
  }

  reset(): void {
    this.spent = ZERO_USAGE;
    this.#unknown.clear();
  }

  /** Counts a call. Throws a `ClientError` "budget" if a limit is reached or cannot be enforced. */
  admit({ request: { model } }: Call): void {
    for (const name of LIMITS) {
      const limit = this.#limits[name];
      if (limit === undefined) continue;
      if (this.spent[name] >= limit) {
        throwBudgetError(`The limit of ${limit} (${name}) is reached: ${this.spent[name]} used.`, name, model);
      }
      const unknown = this.#unknown.get(name);
      if (unknown === undefined || this.#limits.unknown === "ignore") continue;
      const fault = `The usage of ${unknown.provider}/${unknown.model} is unknown, so the limit of ${limit} (${name}) cannot be enforced`;
      throwBudgetError(`${fault}${adviceFor(unknown)}, or set \`unknown\` to "ignore".`, name, model);
    }
    this.spent = { ...this.spent, calls: this.spent.calls + 1 };
  }

  /** Adds the usage of all attempts of a call, and records attempts whose usage is unknown. */
  count(outcome: CallOutcome): void {
    const { attempts } = "answer" in outcome ? outcome.answer : readAttempts(outcome.error);
    for (const attempt of attempts) {
      const { usage } = attempt;
      // An attempt is free if it reports no usage and has no answer, and the provider cannot have billed it: it
      // received an error reply or was never sent.
      const isFree = usage === undefined && attempt.mayBeBilled === undefined && !isAnswered(attempt);
      const missing = usage === undefined ? METERED : usage.cost === undefined ? (["cost"] as const) : [];
      for (const name of isFree ? [] : missing) this.#unknown.set(name, attempt);
      if (usage !== undefined) this.spent = { ...this.spent, ...addUsage(this.spent, usage) };
    }
  }
}

function isAnswered({ error, aborted }: Attempt): boolean {
  return error === undefined && aborted === undefined;
}

/** Returns the part of an error message that tells the caller how to avoid unknown usage in the next call. */
function adviceFor(attempt: Attempt): string {
  if (attempt.usage !== undefined) return ". Add its price to `prices`";
  return isAnswered(attempt) ? ". Remove that limit" : " (it broke off). Read answers to their end, call `reset`";
}

function readAttempts(error: unknown): { attempts: readonly Attempt[] } {
  return error instanceof ClientError ? error : { attempts: [] };
}

function throwBudgetError(fault: string, limit: string, model: string | undefined): never {
  throw new ClientError("budget", `Nothing was sent. ${fault}`, { path: `/${limit}`, model });
}
