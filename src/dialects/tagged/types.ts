// Wire types of the tagged shape: a list of messages with lists of parts; a part's `kind` names the field that holds its
// data. Roles and kinds are encoded in upper case; any case is decoded.

/** The role of a message. */
export type TaggedRole = "SYSTEM" | "DEVELOPER" | "USER" | "ASSISTANT" | "TOOL";

/** A tagged message. */
export interface TaggedMessage {
  role: TaggedRole;
  content: TaggedPart[];
  /** On TOOL: the call id of the message's only result; absent if it has several results. */
  tool_call_id?: string;
}

/** Any content part. */
export type TaggedPart =
  | TaggedText
  | TaggedImage
  | TaggedAudio
  | TaggedDocument
  | TaggedToolCall
  | TaggedToolResult
  | TaggedThinking
  | TaggedRedactedThinking;

/** A text part. */
export interface TaggedText {
  kind: "TEXT";
  text: string;
}

/** An image part. */
export interface TaggedImage {
  kind: "IMAGE";
  image: MediaData;
}
/** An audio part. */
export interface TaggedAudio {
  kind: "AUDIO";
  audio: MediaData;
}
/** A document part. */
export interface TaggedDocument {
  kind: "DOCUMENT";
  document: MediaData & { file_name?: string };
}

/** Either a URL or inline data. */
export interface MediaData {
  url?: string;
  /** Base64. */
  data?: string;
  media_type?: string;
}

/** A tool call. */
export interface TaggedToolCall {
  kind: "TOOL_CALL";
  tool_call: { id: string; name: string; arguments: Record<string, unknown> };
}

/** The result of a tool call. */
export interface TaggedToolResult {
  kind: "TOOL_RESULT";
  tool_result: { tool_call_id: string; content: string; is_error: boolean };
}

/** A thinking part with its signature. */
export interface TaggedThinking {
  kind: "THINKING";
  /** The signature is Anthropic's. */
  thinking: { text: string; signature?: string };
}

/** Redacted thinking: encrypted data only. */
export interface TaggedRedactedThinking {
  kind: "REDACTED_THINKING";
  redacted_thinking: { data: string };
}
