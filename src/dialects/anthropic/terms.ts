// Maps values of Anthropic's wire format to canonical values and back.
import type { UnifiedFinishReason } from "../../model/finish-reason.ts";
import type { ProviderErrorKind } from "../../model/provider-error.ts";
import { COMMON_STOP_REASONS, EFFORT_VALUES } from "../blocks/terms.ts";
import { ValueMap } from "../kit/fields/value-map.ts";

export const ID = "anthropic";

export const STOP_REASONS = new ValueMap<UnifiedFinishReason, string>([
  ...COMMON_STOP_REASONS,
  ["pause", "pause_turn"],
  ["pause", "compaction"],
  ["refusal", "refusal"],
  ["content-filter", "refusal"],
]);

export const TOOL_CHOICES = new ValueMap<"auto" | "none" | "required", "auto" | "none" | "any">([
  ["auto", "auto"],
  ["none", "none"],
  ["required", "any"],
]);

export const EFFORTS = new ValueMap<string, string>(EFFORT_VALUES);

export const ERROR_TYPES = new ValueMap<ProviderErrorKind, string>([
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

/** Block types of calls to tools that the provider runs. */
export const PROVIDER_CALLS: ReadonlySet<unknown> = new Set(["server_tool_use", "mcp_tool_use"]);

/** The only type of block for results of provider tools that has the field `is_error`. */
export const MCP_RESULT = "mcp_tool_result";

/** Block types of results of tools that the provider runs. */
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
