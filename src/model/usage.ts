// Defines token counts and converts between two conventions: OpenAI and Gemini count cached tokens as part of the
// input, Anthropic counts them separately. Stored counts are inclusive, because both conventions can be derived from
// them exactly (B63).
import { assertObject } from "./argument-error.ts";
import type { Extra } from "./parts.ts";

/** The token counts of one call. They are inclusive: input includes cached tokens, and output includes reasoning. */
export interface Usage {
  /** All input tokens: uncached, read from a cache, written to a cache. */
  inputTokens: number;
  /** All output tokens, including reasoning. */
  outputTokens: number;
  totalTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  cacheWrite5mTokens?: number;
  cacheWrite1hTokens?: number;
  reasoningTokens?: number;
  /** The cost of the call in US dollars. */
  cost?: number;
  extra?: Extra;
  /** The provider's usage object, for information only; no encoder reads it. */
  raw?: unknown;
}

/** Disjoint token counts: `inputTokens` are only the uncached input tokens, and `outputTokens` exclude reasoning. */
export interface ExclusiveUsage {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** The tokens written to the cache with a lifetime of 5 minutes, if known (B64). */
  cacheWrite5mTokens?: number;
  /** The tokens written to the cache with a lifetime of 1 hour, if known (B64). */
  cacheWrite1hTokens?: number;
  outputTokens: number;
  reasoningTokens: number;
}

/** The numeric fields of a usage. */
export const USAGE_COUNTS = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "reasoningTokens",
  "cost",
] as const satisfies readonly (keyof Usage)[];

const CACHE_WRITE_SPLIT = ["cacheWrite5mTokens", "cacheWrite1hTokens"] as const;

/**
 * Splits a usage into disjoint counts. Counts are never negative, even if a provider's numbers contradict each other
 * (B66).
 */
export function exclusiveUsage(usage: Usage): ExclusiveUsage {
  assertObject("exclusiveUsage", "usage", usage);
  const { cacheReadTokens = 0, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0, reasoningTokens = 0 } = usage;
  const cacheWriteTokens = usage.cacheWriteTokens ?? cacheWrite5mTokens + cacheWrite1hTokens;
  const view: ExclusiveUsage = {
    inputTokens: Math.max(0, usage.inputTokens - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: Math.max(0, usage.outputTokens - reasoningTokens),
    reasoningTokens,
  };
  for (const part of CACHE_WRITE_SPLIT) if (usage[part] !== undefined) view[part] = usage[part];
  return view;
}

/** Converts disjoint counts to inclusive counts; the inverse of `exclusiveUsage`. Absent counts stay absent. */
export function inclusiveUsage(
  view: Pick<ExclusiveUsage, "inputTokens" | "outputTokens"> & Partial<ExclusiveUsage>,
): Usage {
  assertObject("inclusiveUsage", "view", view);
  const inputTokens = view.inputTokens + (view.cacheReadTokens ?? 0) + (view.cacheWriteTokens ?? 0);
  const outputTokens = view.outputTokens + (view.reasoningTokens ?? 0);
  const usage: Usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  for (const part of ["cacheReadTokens", "cacheWriteTokens", "reasoningTokens", ...CACHE_WRITE_SPLIT] as const) {
    if (view[part] !== undefined) usage[part] = view[part];
  }
  return usage;
}

/**
 * Returns the sum of the usage of two calls. A count that is absent in both stays absent. `raw` and `extra` are
 * omitted, because they belong to a single call.
 */
export function addUsage(a: Usage, b: Usage): Usage {
  assertObject("addUsage", "a", a);
  assertObject("addUsage", "b", b);
  const sum: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  for (const count of USAGE_COUNTS) {
    const left = a[count];
    const right = b[count];
    if (left !== undefined || right !== undefined) sum[count] = (left ?? 0) + (right ?? 0);
  }
  return sum;
}
