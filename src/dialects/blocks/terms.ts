// Lists wire values that both block dialects have, with their canonical values.
import type { UnifiedFinishReason } from "../../model/finish-reason.ts";

/** Pairs of a unified finish reason and its stop reason that both block dialects have. */
export const COMMON_STOP_REASONS: readonly (readonly [UnifiedFinishReason, string])[] = [
  ["stop", "end_turn"],
  ["stop", "stop_sequence"],
  ["length", "max_tokens"],
  ["length", "model_context_window_exceeded"],
  ["tool-calls", "tool_use"],
];

/** Pairs of a canonical effort and its wire value. The wire has no `minimal`, so `low` is written. */
export const EFFORT_VALUES: readonly (readonly [string, string])[] = [
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "xhigh"],
  ["max", "max"],
  ["minimal", "low"],
];
