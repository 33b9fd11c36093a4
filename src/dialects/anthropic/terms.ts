// The wire's vocabulary, two ways.
import type { UnifiedFinishReason } from "../../model/finish.ts";
import type { ProviderErrorKind } from "../../model/provider-error.ts";
import { Terms } from "../kit/terms.ts";

export const ID = "anthropic";

export const FINISH = new Terms<UnifiedFinishReason, string>([
  ["stop", "end_turn"],
  ["stop", "stop_sequence"],
  ["length", "max_tokens"],
  ["length", "model_context_window_exceeded"],
  ["tool-calls", "tool_use"],
  ["pause", "pause_turn"],
  ["pause", "compaction"],
  ["refusal", "refusal"],
  ["content-filter", "refusal"],
]);

export const CHOICE = new Terms<"auto" | "none" | "required", "auto" | "none" | "any">([
  ["auto", "auto"],
  ["none", "none"],
  ["required", "any"],
]);

/** Words for effort. Of the model's words without one of their own here, the nearest. */
export const EFFORT = new Terms<string, string>([
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "xhigh"],
  ["max", "max"],
  ["minimal", "low"],
]);

export const ERROR_KIND = new Terms<ProviderErrorKind, string>([
  ["invalid-request", "invalid_request_error"],
  ["context-length", "invalid_request_error"],
  ["content-filter", "invalid_request_error"],
  ["invalid-request", "request_too_large"],
  ["authentication", "authentication_error"],
  ["quota", "billing_error"],
  ["permission", "permission_error"],
  ["not-found", "not_found_error"],
  ["rate-limit", "rate_limit_error"],
  ["timeout", "timeout_error"],
  ["server", "api_error"],
  ["network", "api_error"],
  ["truncated", "api_error"],
  ["unknown", "api_error"],
  ["overloaded", "overloaded_error"],
]);

/** Calls that the provider runs itself. */
export const PROVIDER_CALLS: ReadonlySet<unknown> = new Set(["server_tool_use", "mcp_tool_use"]);

/** The one result of the provider's that says by a field whether it failed. */
export const MCP_RESULT = "mcp_tool_result";

/** Results of what the provider ran. */
export const PROVIDER_RESULTS: ReadonlySet<unknown> = new Set([
  MCP_RESULT,
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "advisor_tool_result",
]);
