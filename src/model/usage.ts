// Token counts. They are stored inclusive, so that both habits of the field derive exactly (B63):
// OpenAI and Gemini count cached tokens within the input, Anthropic beside it.
import type { Extra } from "./parts.ts";

export interface Usage {
  /** Every input token: fresh, read from a cache, written to a cache. */
  inputTokens: number;
  /** Every output token, reasoning included. */
  outputTokens: number;
  totalTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  cacheWrite5mTokens?: number;
  cacheWrite1hTokens?: number;
  reasoningTokens?: number;
  /** In US dollars. */
  cost?: number;
  extra?: Extra;
  /** The provider's own words, for people; no encoder reads it. */
  raw?: unknown;
}

/** The exclusive view: `inputTokens` are the fresh ones only, `outputTokens` the visible ones only. */
export interface ExclusiveUsage {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** The split of the cache writes, where it is known (B64). */
  cacheWrite5mTokens?: number;
  cacheWrite1hTokens?: number;
  outputTokens: number;
  reasoningTokens: number;
}

/** Everything in a usage that is counted. */
export const COUNTS = [
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

const SPLIT = ["cacheWrite5mTokens", "cacheWrite1hTokens"] as const;

/** Splits a usage into disjoint counts. Never negative, even where a provider's numbers contradict each other (B66). */
export function exclusiveUsage(usage: Usage): ExclusiveUsage {
  const { cacheReadTokens = 0, cacheWrite5mTokens = 0, cacheWrite1hTokens = 0, reasoningTokens = 0 } = usage;
  const cacheWriteTokens = usage.cacheWriteTokens ?? cacheWrite5mTokens + cacheWrite1hTokens;
  const view: ExclusiveUsage = {
    inputTokens: Math.max(0, usage.inputTokens - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: Math.max(0, usage.outputTokens - reasoningTokens),
    reasoningTokens,
  };
  for (const part of SPLIT) if (usage[part] !== undefined) view[part] = usage[part];
  return view;
}

/** The inverse of `exclusiveUsage`: from disjoint counts to the stored, inclusive form. Absent counts stay absent. */
export function inclusiveUsage(
  view: Pick<ExclusiveUsage, "inputTokens" | "outputTokens"> & Partial<ExclusiveUsage>,
): Usage {
  const inputTokens = view.inputTokens + (view.cacheReadTokens ?? 0) + (view.cacheWriteTokens ?? 0);
  const outputTokens = view.outputTokens + (view.reasoningTokens ?? 0);
  const usage: Usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  for (const part of ["cacheReadTokens", "cacheWriteTokens", "reasoningTokens", ...SPLIT] as const) {
    if (view[part] !== undefined) usage[part] = view[part];
  }
  return usage;
}

/**
 * The sum of two calls' usage. A count that neither has stays absent; `raw` and `extra` belong to one call and are
 * not summed.
 */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  for (const count of COUNTS) {
    const left = a[count];
    const right = b[count];
    if (left !== undefined || right !== undefined) sum[count] = (left ?? 0) + (right ?? 0);
  }
  return sum;
}
