// Defines the retry policy and the time limits of a call: defaults, precedence of settings, and the wait before a
// retry.
import type { ProviderError } from "../model/index.ts";
import { isRetryable } from "../model/index.ts";
import type { Effects, RetryPolicy, Timeouts } from "./types.ts";

type RandomSource = Pick<Effects, "random">;

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, replyMs: 300_000, totalMs: 600_000, gapMs: 60_000 };
/**
 * The default time limits of an answer that is not streamed. `replyMs` is infinite, because the headers arrive only
 * when the answer is complete.
 */
export const DEFAULT_WHOLE_TIMEOUTS: Timeouts = { ...DEFAULT_TIMEOUTS, replyMs: Infinity };
export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, baseMs: 500, maxMs: 8000, retryAfterCapMs: 60_000 };

/**
 * Merges settings field by field; later values win. The usual order is: Koine's defaults, the client, the provider, the
 * call.
 */
export function mergeSettings<T extends object>(defaults: T, ...overrides: readonly (Partial<T> | undefined)[]): T {
  const merged = { ...defaults };
  for (const each of overrides) {
    for (const field in each) {
      const value = each[field];
      if (value !== undefined) merged[field] = value;
    }
  }
  return merged;
}

/**
 * Returns the time limit of a call in milliseconds: `totalMs` of the call or, if it has none, of the client. If neither
 * has one, the limit is the default plus the `totalMs` of each provider of the call.
 */
export function computeCallTimeout(
  ofCall: Partial<Timeouts> | undefined,
  ofClient: Partial<Timeouts> | undefined,
  ofProviders: readonly (Partial<Timeouts> | undefined)[],
): number {
  const limit = ofCall?.totalMs ?? ofClient?.totalMs;
  return limit ?? ofProviders.reduce((sum, each) => sum + (each?.totalMs ?? 0), DEFAULT_TIMEOUTS.totalMs);
}

/**
 * Returns the time limit of one target in milliseconds: the provider's `totalMs`. Returns Infinity if the provider has
 * none, or if the call has its own `totalMs`, which replaces those of the providers.
 */
export function computeTargetTimeout(
  ofCall: Partial<Timeouts> | undefined,
  ofProvider: Partial<Timeouts> | undefined,
): number {
  return ofCall?.totalMs === undefined ? (ofProvider?.totalMs ?? Infinity) : Infinity;
}

/**
 * Returns the share of the remaining time, in milliseconds, that a target may use: the time divided equally among the
 * targets left. Returns Infinity if no fallback is left, or if the target's own limit leaves time for the fallbacks.
 */
export function computeTimeShare(timeLeft: number, targetsLeft: number, targetMs: number): number {
  return targetsLeft < 2 || targetMs < timeLeft ? Infinity : Math.round(timeLeft / targetsLeft);
}

/** The wait before a retry in milliseconds, or the reason why no retry follows. */
export type RetryDecision =
  | { retry: true; waitMs: number }
  | { retry: false; reason: "final" | "attempts" | "retry-after" };

/**
 * Decides whether a failed attempt is repeated; `n` counts attempts from 1. A wait that the provider requests replaces
 * the computed wait.
 */
export function decideRetry(error: ProviderError, n: number, policy: RetryPolicy, random: RandomSource): RetryDecision {
  if (!isRetryable(error)) return { retry: false, reason: "final" };
  if (n >= policy.attempts) return { retry: false, reason: "attempts" };
  const { retryAfterMs = 0 } = error;
  if (retryAfterMs > policy.retryAfterCapMs) return { retry: false, reason: "retry-after" };
  return {
    retry: true,
    waitMs: retryAfterMs > 0 ? addJitter(retryAfterMs, policy, random) : backoff(n, policy, random),
  };
}

/**
 * Returns a wait that doubles with each attempt, ±25 % at random, so that clients that failed together do not retry
 * together.
 */
function backoff(n: number, { baseMs, maxMs }: RetryPolicy, { random }: RandomSource): number {
  return Math.min(maxMs, Math.round(baseMs * 2 ** (n - 1) * (0.75 + random() / 2)));
}

/**
 * Adds up to 25 % at random to a wait that the provider requested, because a provider requests the same wait from all
 * rejected clients. The wait is never shortened.
 */
function addJitter(ms: number, { maxMs }: RetryPolicy, { random }: RandomSource): number {
  return ms + Math.round(Math.min(ms / 4, maxMs) * random());
}
