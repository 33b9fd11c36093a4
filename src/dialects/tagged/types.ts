// Declares the wire types of the tagged dialect: messages with lists of parts. The `kind` of a part is also the name of
// the field with its data, in lower case. Roles and kinds are encoded in upper case and decoded in any case.

/** The role of a message. */
export type TaggedRole = "SYSTEM" | "DEVELOPER" | "USER" | "ASSISTANT" | "TOOL";

/** A tagged message. */
export interface TaggedMessage {
  role: TaggedRole;
  content: TaggedPart[];
  /** The call id of the only result in a TOOL message; absent if there are several results, and on other messages. */
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

/** The data of an image, audio or document: either a URL or inline data. */
export interface MediaData {
  url?: string;
  /** The media data in base64. */
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
  /** The text and Anthropic's signature of it. */
  thinking: { text: string; signature?: string };
}

/** A redacted thinking part, which has only encrypted data. */
export interface TaggedRedactedThinking {
  kind: "REDACTED_THINKING";
  redacted_thinking: { data: string };
}
