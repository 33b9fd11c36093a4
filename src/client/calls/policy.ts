// How long a call waits and how often it asks: the defaults, whose word counts, and how long to wait before asking again.
import type { ProviderError } from "../../model/index.ts";
import { isRetryable } from "../../model/index.ts";
import type { Effects, RetryPolicy, Timeouts } from "../types.ts";

type Chance = Pick<Effects, "random">;

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, replyMs: 300_000, totalMs: 600_000, gapMs: 60_000 };
/** A whole answer's headers come when all of it is there: a limit on them would end answers that are only long. */
export const DEFAULT_WHOLE_TIMEOUTS: Timeouts = { ...DEFAULT_TIMEOUTS, replyMs: Infinity };
export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, baseMs: 500, maxMs: 8000, retryAfterCapMs: 60_000 };

/** What was said last, of each field; the order is: the call, the provider, the client, Koine. */
export function mergeSettings<T extends object>(defaults: T, ...said: readonly (Partial<T> | undefined)[]): T {
  const policy = { ...defaults };
  for (const each of said) {
    for (const field in each) {
      const value = each[field];
      if (value !== undefined) policy[field] = value;
    }
  }
  return policy;
}

/** How long a call may take, where the call or the client says so; else the default and what providers have of their own. */
export function callTimeOf(
  call: Partial<Timeouts> | undefined,
  client: Partial<Timeouts> | undefined,
  own: readonly (Partial<Timeouts> | undefined)[],
): number {
  const said = call?.totalMs ?? client?.totalMs;
  return said ?? own.reduce((sum, each) => sum + (each?.totalMs ?? 0), DEFAULT_TIMEOUTS.totalMs);
}

/** How long one provider may take of that: what the call says takes the place of the provider's own word. */
export function turnTimeOf(call: Partial<Timeouts> | undefined, own: Partial<Timeouts> | undefined): number {
  return call?.totalMs === undefined ? (own?.totalMs ?? Infinity) : Infinity;
}

/**
 * How long a target may take while others could be asked: the same for each, of the time that is left. One whose own
 * limit leaves them some is held by that alone.
 */
export function shareOf(timeLeft: number, targetsLeft: number, turnMs: number): number {
  return targetsLeft < 2 || turnMs < timeLeft ? Infinity : Math.round(timeLeft / targetsLeft);
}

/** Why a provider is not asked again, or how long to wait before it is. */
export type RetryDecision =
  | { again: true; waitMs: number }
  | { again: false; reason: "final" | "attempts" | "retry-after" };

/** Whether to ask again after the n-th attempt (from 1) failed. What the provider says about waiting counts first. */
export function decideRetry(error: ProviderError, n: number, policy: RetryPolicy, chance: Chance): RetryDecision {
  if (!isRetryable(error)) return { again: false, reason: "final" };
  if (n >= policy.attempts) return { again: false, reason: "attempts" };
  const { retryAfterMs = 0 } = error;
  if (retryAfterMs > policy.retryAfterCapMs) return { again: false, reason: "retry-after" };
  return {
    again: true,
    waitMs: retryAfterMs > 0 ? shortlyAfter(retryAfterMs, policy, chance) : backoff(n, policy, chance),
  };
}

/** Twice as long each time, a quarter more or less by chance: clients that failed together do not come back together. */
function backoff(n: number, { baseMs, maxMs }: RetryPolicy, chance: Chance): number {
  return Math.min(maxMs, Math.round(baseMs * 2 ** (n - 1) * (0.75 + chance.random() / 2)));
}

/** Never sooner than the provider says, and up to a quarter later: all that it sent away at once were told the same. */
function shortlyAfter(ms: number, { maxMs }: RetryPolicy, chance: Chance): number {
  return ms + Math.round(Math.min(ms / 4, maxMs) * chance.random());
}
