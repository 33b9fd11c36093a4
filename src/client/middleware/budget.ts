// Limits of the caller's own: once they are spent, nothing is sent any more.
import type { Usage } from "../../model/index.ts";
import { addUsage } from "../../model/index.ts";
import type { Checks } from "../checks.ts";
import { checkFields, oneOf, zeroOrAbove } from "../checks.ts";
import { ClientError } from "../errors.ts";
import type { Attempt } from "../types.ts";
import { deferStream } from "./defer.ts";
import type { CallOutcome } from "./tap.ts";
import { tapStream } from "./tap.ts";
import type { Call, Middleware } from "./types.ts";

/** What may be spent. A limit that is not given is none. */
export interface BudgetLimits {
  /** In US dollars. Needs providers that say what they cost, or `prices`. */
  cost?: number | undefined;
  totalTokens?: number | undefined;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  calls?: number | undefined;
}

export interface BudgetOptions extends BudgetLimits {
  /**
   * What to do after an answer of which nobody knows what it used or cost, so that a limit cannot be held: send nothing
   * more (default), or count it as nothing. Streams that are left or break off are often such answers: many providers say
   * what one used only at its end. What was refused, or ended before it was sent, counts as nothing.
   */
  unknown?: "refuse" | "ignore" | undefined;
}

/** What was spent, failed attempts included. */
export interface BudgetUsage extends Usage {
  cost: number;
  calls: number;
}

/** A budget is a middleware that can be asked. */
export interface Budget extends Middleware {
  readonly spent: Readonly<BudgetUsage>;
  /** Begins anew, for example with the month. Calls under way count when they end. */
  reset(): void;
}

const METERED = ["cost", "totalTokens", "inputTokens", "outputTokens"] as const;
const LIMITS = [...METERED, "calls"] as const;
const OPTIONS: Checks<keyof BudgetOptions> = {
  cost: zeroOrAbove,
  totalTokens: zeroOrAbove,
  inputTokens: zeroOrAbove,
  outputTokens: zeroOrAbove,
  calls: zeroOrAbove,
  unknown: oneOf("refuse", "ignore"),
};
const NOTHING: BudgetUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cost: 0, calls: 0 };

/**
 * Refuses calls once a limit is reached, with a `ClientError` "budget". What a call uses is known when it has ended:
 * those that are under way at the same time may together go beyond the limit.
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
  spent: BudgetUsage = NOTHING;
  readonly #limits: BudgetOptions;
  /** For each limit, an answer whose part in it nobody knows. */
  #unknown = new Map<string, Attempt>();

  constructor(limits: BudgetOptions) {
    this.#limits = limits;
  }

  reset(): void {
    this.spent = NOTHING;
    this.#unknown.clear();
  }

  admit({ request: { model } }: Call): void {
    for (const name of LIMITS) {
      const limit = this.#limits[name];
      if (limit === undefined) continue;
      if (this.spent[name] >= limit) {
        refuse(`The limit of ${limit} (${name}) is reached: ${this.spent[name]} spent.`, name, model);
      }
      const unknown = this.#unknown.get(name);
      if (unknown === undefined || this.#limits.unknown === "ignore") continue;
      const what = `${unknown.provider}/${unknown.model} did not say what it used up of the limit of ${limit} (${name})`;
      refuse(`${what}${adviceOn(unknown)}, or set \`unknown\` to "ignore".`, name, model);
    }
    this.spent = { ...this.spent, calls: this.spent.calls + 1 };
  }

  count(outcome: CallOutcome): void {
    const { attempts } = "answer" in outcome ? outcome.answer : attemptsOf(outcome.error);
    for (const attempt of attempts) {
      const { usage } = attempt;
      // What was refused, or never sent, is free.
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

/** What could be done so that it is known next time. */
function adviceOn(attempt: Attempt): string {
  if (attempt.usage !== undefined) return ". Give it a price in `prices`";
  return isAnswered(attempt)
    ? ". Leave that limit out"
    : " when it broke off. Read answers to their end, begin anew with `reset`";
}

function attemptsOf(error: unknown): { attempts: readonly Attempt[] } {
  return error instanceof ClientError ? error : { attempts: [] };
}

function refuse(what: string, limit: string, model: string | undefined): never {
  throw new ClientError("budget", `Nothing was sent. ${what}`, { path: `/${limit}`, model });
}
