// Defines the finish reasons: the reasons why an answer ended.

/** Every unified finish reason: the values that Koine uses for all providers. */
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
/** One of `FINISH_REASONS`. */
export type UnifiedFinishReason = (typeof FINISH_REASONS)[number];

/** The reason why an answer ended: the unified value, and the provider's own value if it differs (B61). */
export interface FinishReason {
  unified: UnifiedFinishReason;
  raw?: string;
}
