// Wire values that both dialects have, with their canonical values.
import type { UnifiedFinishReason } from "../../model/finish-reason.ts";

/** Pairs of unified finish reason and stop reason that both dialects have. */
export const COMMON_STOP_REASONS: readonly (readonly [UnifiedFinishReason, string])[] = [
  ["stop", "end_turn"],
  ["stop", "stop_sequence"],
  ["length", "max_tokens"],
  ["length", "model_context_window_exceeded"],
  ["tool-calls", "tool_use"],
];

/** Pairs of effort and its value on the wire, which has no `minimal`. */
export const EFFORT_VALUES: readonly (readonly [string, string])[] = [
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "xhigh"],
  ["max", "max"],
  ["minimal", "low"],
];
