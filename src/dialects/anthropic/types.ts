// The wire types of what the encoders write for canonical values. They are aliases, so that they are JSON objects, and
// tests hold them against the official SDK's own types.
import type { JsonObject, JsonValue } from "../../model/json.ts";

export type CacheControl = { type: "ephemeral"; ttl?: "5m" | "1h" };

/** The one citation that the model has words for; of others the residue knows the type and the place. */
export type Citation = {
  type: "web_search_result_location";
  url: string;
  title: string | null;
  cited_text: string;
  encrypted_index: string;
};

export type TextBlock = { type: "text"; text: string; cache_control?: CacheControl; citations?: Citation[] | null };
/** A text in an answer. */
export type AnsweredText = TextBlock & { citations: Citation[] | null };
export type ThinkingBlock = { type: "thinking"; thinking: string; signature: string };
export type RedactedThinkingBlock = { type: "redacted_thinking"; data: string };

export type ImageMediaType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";
export type ImageSource =
  | { type: "base64"; media_type: ImageMediaType; data: string }
  | { type: "url"; url: string }
  | { type: "file"; file_id: string };
export type ImageBlock = { type: "image"; source: ImageSource; cache_control?: CacheControl };

export type DocumentSource =
  | { type: "base64"; media_type: "application/pdf"; data: string }
  | { type: "text"; media_type: "text/plain"; data: string }
  | { type: "url"; url: string }
  | { type: "file"; file_id: string }
  | { type: "content"; content: string | (TextBlock | ImageBlock)[] };
export type DocumentBlock = {
  type: "document";
  source: DocumentSource;
  title?: string;
  cache_control?: CacheControl;
};

export type ToolUseBlock = {
  type: "tool_use";
  id: string;
  name: string;
  input: JsonValue;
  cache_control?: CacheControl;
};
export type ToolResultBlock = {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (TextBlock | ImageBlock | DocumentBlock)[];
  is_error?: boolean;
  cache_control?: CacheControl;
};

/** What canonical parts become; a provider's own calls, results and verbatim blocks go back as they came. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ImageBlock
  | DocumentBlock
  | ToolUseBlock
  | ToolResultBlock;

export type UserMessage = { role: "user"; content: string | ContentBlock[] };
export type AssistantMessage = { role: "assistant"; content: string | ContentBlock[] };
export type SystemMessage = { role: "system"; content: string | TextBlock[] };
export type AnthropicMessage = UserMessage | AssistantMessage | SystemMessage;

export type CustomTool = {
  name: string;
  description?: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
  strict?: boolean;
  cache_control?: CacheControl;
};

export type ToolChoice =
  | { type: "auto"; disable_parallel_tool_use?: boolean }
  | { type: "any"; disable_parallel_tool_use?: boolean }
  | { type: "tool"; name: string; disable_parallel_tool_use?: boolean }
  | { type: "none" };

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";
export type Thinking =
  | { type: "enabled"; budget_tokens: number; display?: "summarized" }
  | { type: "adaptive"; display?: "summarized" }
  | { type: "disabled" };

export type AnthropicRequest = {
  model: string;
  max_tokens: number;
  messages: AnthropicMessage[];
  system?: string | TextBlock[];
  tools?: CustomTool[];
  tool_choice?: ToolChoice;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  stop_sequences?: string[];
  thinking?: Thinking;
  output_config?: { effort?: Effort; format?: { type: "json_schema"; schema: { [keyword: string]: unknown } } };
  metadata?: { user_id?: string };
  stream?: boolean;
};

export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

export type AnthropicUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  output_tokens_details?: { thinking_tokens: number };
};

export type AnthropicResponse = {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: (AnsweredText | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock)[];
  stop_reason: StopReason | null;
  stop_sequence: null;
  usage: AnthropicUsage;
};

export type ErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "billing_error"
  | "permission_error"
  | "not_found_error"
  | "rate_limit_error"
  | "timeout_error"
  | "api_error"
  | "overloaded_error";
export type AnthropicError = { type: "error"; error: { type: ErrorType; message: string } };

/** A message with whatever else was kept for it. */
export type WireMessage = JsonObject & { role: string; content?: string | JsonObject[] };
