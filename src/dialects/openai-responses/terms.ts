// Words that map one to one: how an answer ended.
import type { UnifiedFinishReason } from "../../model/finish.ts";
import { Terms } from "../kit/terms.ts";

/** The statuses of a response. What is no status is the reason why it is incomplete. */
export const STATUSES: ReadonlySet<string> = new Set([
  "completed",
  "failed",
  "in_progress",
  "cancelled",
  "queued",
  "incomplete",
]);

/** How an answer ended: its status, or the reason why it is incomplete. */
export const ENDINGS = new Terms<UnifiedFinishReason, string>([
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
