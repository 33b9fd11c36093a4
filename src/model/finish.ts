// Why an answer ended.

export const FINISH_REASONS = [
  "stop",
  "length",
  "tool-calls",
  "content-filter",
  "refusal",
  "pause",
  "error",
  "other",
] as const;
export type UnifiedFinishReason = (typeof FINISH_REASONS)[number];

/** Why the answer ended: one common word, and the provider's own where it has another (B61). */
export interface FinishReason {
  unified: UnifiedFinishReason;
  raw?: string;
}
