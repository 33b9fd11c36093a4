// Checks and sums token counts that both block dialects have.
import type { Usage } from "../../model/usage.ts";

export function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Returns the number of input tokens read from and written to the cache; the wire's input count excludes them (B63).
 */
export function sumCachedTokens(usage: Usage): number {
  const { cacheReadTokens = 0, cacheWriteTokens, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0 } = usage;
  return cacheReadTokens + (cacheWriteTokens ?? cacheWrite5mTokens + cacheWrite1hTokens);
}
