// Declares the wire types of the values that the encoders write. They are type aliases, because an interface is not
// assignable to `JsonObject`. Tests compare them with the types of the official SDK, which has byte arrays in place of
// base64 strings.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";

export type CachePointBlock = { cachePoint: { type: "default"; ttl?: "5m" | "1h" } };
export type TextBlock = { text: string };
export type ReasoningBlock = {
  reasoningContent: { reasoningText: { text: string; signature?: string } } | { redactedContent: string };
};

export type BedrockMediaSource = { bytes: string } | { s3Location: { uri: string } };
export type ImageBlock = { image: { format: "png" | "jpeg" | "gif" | "webp"; source: BedrockMediaSource } };
export type VideoFormat = "mkv" | "mov" | "mp4" | "webm" | "flv" | "mpeg" | "mpg" | "wmv" | "three_gp";
export type VideoBlock = { video: { format: VideoFormat; source: BedrockMediaSource } };
export type AudioFormat = "mp3" | "opus" | "wav" | "aac" | "flac" | "mp4" | "ogg" | "mkv" | "mka" | "m4a" | "webm";
export type AudioBlock = { audio: { format: AudioFormat; source: BedrockMediaSource } };
export type DocumentFormat = "pdf" | "csv" | "doc" | "docx" | "xls" | "xlsx" | "html" | "txt" | "md";
export type DocumentBlock = {
  document: {
    format?: DocumentFormat;
    name: string;
    source: BedrockMediaSource | TextBlock | { content: TextBlock[] };
  };
};

export type BedrockCitation = {
  title?: string;
  source?: string;
  sourceContent?: TextBlock[];
  location?: { web: { url: string } };
};
export type CitationsBlock = { citationsContent: { content: TextBlock[]; citations: BedrockCitation[] } };

export type ToolUseBlock = {
  toolUse: { toolUseId: string; name: string; input: JsonValue; type?: "server_tool_use" };
};
export type ToolResultContent = TextBlock | { json: JsonObject } | ImageBlock | DocumentBlock | VideoBlock;
export type ToolResultBlock = {
  toolResult: { toolUseId: string; content: ToolResultContent[]; status?: "success" | "error"; type?: string };
};

/**
 * A block that the encoder writes for a canonical part. Blocks of opaque parts are not listed, because they can have
 * any shape.
 */
export type ContentBlock =
  | TextBlock
  | ReasoningBlock
  | ImageBlock
  | VideoBlock
  | AudioBlock
  | DocumentBlock
  | CitationsBlock
  | ToolUseBlock
  | ToolResultBlock
  | CachePointBlock;

/** A message in the `messages` field of a request. */
export type BedrockMessage = { role: "user" | "assistant" | "system"; content: ContentBlock[] };

export type ToolSpec = {
  toolSpec: {
    name: string;
    description?: string;
    inputSchema: { json: { [keyword: string]: JsonValue } };
    strict?: boolean;
  };
};
export type BedrockToolChoice = { auto: {} } | { any: {} } | { tool: { name: string } };

/** The body of a Converse request. */
export type BedrockRequest = {
  messages: BedrockMessage[];
  system?: (TextBlock | CachePointBlock)[];
  inferenceConfig?: { maxTokens?: number; temperature?: number; topP?: number; stopSequences?: string[] };
  toolConfig?: { tools: (ToolSpec | CachePointBlock)[]; toolChoice?: BedrockToolChoice };
  additionalModelRequestFields?: { [field: string]: JsonValue };
  requestMetadata?: { [key: string]: string };
  outputConfig?: {
    effort?: string;
    textFormat?: {
      type: "json_schema";
      structure: { jsonSchema: { schema: string; name?: string; description?: string } };
    };
  };
};

export type BedrockStopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "guardrail_intervened"
  | "content_filtered"
  | "malformed_model_output"
  | "malformed_tool_use"
  | "model_context_window_exceeded";

/** The token counts of a response. */
export type BedrockUsage = {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  cacheReadInputTokens?: number;
  cacheWriteInputTokens?: number;
  cacheDetails?: { ttl: "5m" | "1h"; inputTokens: number }[];
};

/** A complete response of Converse. */
export type BedrockResponse = {
  output: { message: { role: "assistant"; content: ContentBlock[] } };
  stopReason: BedrockStopReason;
  usage: BedrockUsage;
};

/** The body of an error response. */
export type BedrockError = { __type: string; message: string };

/** The `delta` field of a contentBlockDelta event. */
export type BedrockBlockDelta =
  | TextBlock
  | { toolUse: { input: string } }
  | { reasoningContent: { text: string } | { signature: string } | { redactedContent: string } }
  | { citation: BedrockCitation };
/** One event of a ConverseStream stream. */
export type BedrockEvent =
  | { messageStart: { role: "assistant" } }
  | {
      contentBlockStart: {
        start: { toolUse: { toolUseId: string; name: string; type?: "server_tool_use" } };
        contentBlockIndex: number;
      };
    }
  | { contentBlockDelta: { delta: BedrockBlockDelta; contentBlockIndex: number } }
  | { contentBlockStop: { contentBlockIndex: number } }
  | { messageStop: { stopReason: BedrockStopReason } }
  | { metadata: { usage: BedrockUsage } };
