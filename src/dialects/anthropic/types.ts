// Defines the wire types of the values that the Anthropic encoders write. They are type aliases, because an interface
// is not assignable to `JsonObject`; tests compare them with the types of the official SDK.
import type { JsonValue } from "../../model/json/index.ts";

export type CacheControl = { type: "ephemeral"; ttl?: "5m" | "1h" };

/**
 * The citation of a web page. For citations of other types, the type and the position in the document come from
 * residue.
 */
export type AnthropicCitation = {
  type: "web_search_result_location";
  url: string;
  title: string | null;
  cited_text: string;
  encrypted_index: string;
};

export type TextBlock = {
  type: "text";
  text: string;
  cache_control?: CacheControl;
  citations?: AnthropicCitation[] | null;
};
/** A text block of a response. */
export type ResponseTextBlock = TextBlock & { citations: AnthropicCitation[] | null };
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

/** A block that encodes a canonical part; blocks of provider tools and opaque parts are not listed. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ImageBlock
  | DocumentBlock
  | ToolUseBlock
  | ToolResultBlock;

export type AnthropicUserMessage = { role: "user"; content: string | ContentBlock[] };
export type AnthropicAssistantMessage = { role: "assistant"; content: string | ContentBlock[] };
export type AnthropicSystemMessage = { role: "system"; content: string | TextBlock[] };
/** A message of the `messages` list. */
export type AnthropicMessage = AnthropicUserMessage | AnthropicAssistantMessage | AnthropicSystemMessage;

export type CustomTool = {
  name: string;
  description?: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
  strict?: boolean;
  cache_control?: CacheControl;
};

export type AnthropicToolChoice =
  | { type: "auto"; disable_parallel_tool_use?: boolean }
  | { type: "any"; disable_parallel_tool_use?: boolean }
  | { type: "tool"; name: string; disable_parallel_tool_use?: boolean }
  | { type: "none" };

export type AnthropicEffort = "low" | "medium" | "high" | "xhigh" | "max";
export type AnthropicThinking =
  | { type: "enabled"; budget_tokens: number; display?: "summarized" }
  | { type: "adaptive"; display?: "summarized" }
  | { type: "disabled" };

/** The body of a Messages request. */
export type AnthropicRequest = {
  model: string;
  max_tokens: number;
  messages: AnthropicMessage[];
  system?: string | TextBlock[];
  tools?: CustomTool[];
  tool_choice?: AnthropicToolChoice;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  stop_sequences?: string[];
  thinking?: AnthropicThinking;
  output_config?: {
    effort?: AnthropicEffort;
    format?: { type: "json_schema"; schema: { [keyword: string]: unknown } };
  };
  metadata?: { user_id?: string };
  stream?: boolean;
};

export type AnthropicStopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

/** The token counts of a response. */
export type AnthropicUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  output_tokens_details?: { thinking_tokens: number };
};

/** A complete response of the Messages API. */
export type AnthropicResponse = {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: (ResponseTextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock)[];
  stop_reason: AnthropicStopReason | null;
  stop_sequence: null;
  usage: AnthropicUsage;
};

export type AnthropicErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "billing_error"
  | "permission_error"
  | "not_found_error"
  | "rate_limit_error"
  | "timeout_error"
  | "api_error"
  | "overloaded_error";
/** The body of an error response. */
export type AnthropicError = { type: "error"; error: { type: AnthropicErrorType; message: string } };
