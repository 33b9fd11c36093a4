// Maps the statuses and incomplete reasons of a response to unified finish reasons.
import type { UnifiedFinishReason } from "../../../model/finish-reason.ts";
import { ValueMap } from "../../kit/fields/value-map.ts";

/**
 * The statuses of a response. Any other raw finish reason is the `incomplete_details.reason` of an incomplete response.
 */
export const STATUSES: ReadonlySet<string> = new Set([
  "completed",
  "failed",
  "in_progress",
  "cancelled",
  "queued",
  "incomplete",
]);

/**
 * Unified finish reasons with their statuses or incomplete reasons. The first entry of a reason is used for encoding.
 */
export const FINISH_REASONS = new ValueMap<UnifiedFinishReason, string>([
  ["stop", "completed"],
  ["length", "max_output_tokens"],
  ["content-filter", "content_filter"],
  ["error", "failed"],
  ["other", "incomplete"],
  ["other", "in_progress"],
  ["other", "queued"],
  ["other", "cancelled"],
  ["other", "max_messages"],
  ["other", "steered"],
]);
