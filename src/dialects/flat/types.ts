// Declares the wire types of the flat dialect: one message type for every provider.
import type { JsonValue } from "../../model/json/index.ts";

/** A text part. */
export interface FlatText {
  type: "text";
  text: string;
}

/** An image, audio or file; one of `data`, `url` and `file_id` is the source. */
export interface FlatMedia {
  type: "image" | "audio" | "file";
  /** A MIME type or its short form, such as "png". */
  format?: string;
  file_id?: string;
  name?: string;
  url?: string;
  /** The media data in base64. */
  data?: string;
}

/** One part of a content list. */
export type FlatContentPart = FlatText | FlatMedia;

/** A tool call of an assistant message. */
export interface FlatToolCall {
  name: string;
  /** The arguments as JSON text. */
  arguments: string;
  id?: string;
  /** The call id; it takes precedence over `id`. */
  call_id?: string;
}

/** A thinking block of Claude in `extra.claude.thinking_blocks`. */
export type FlatThinkingBlock =
  | { type: "thinking"; thinking: string; signature?: string }
  | { type: "redacted_thinking"; data: string };

/** Provider-specific data, keyed by provider name. */
export interface FlatExtra {
  claude?: { thinking_blocks?: FlatThinkingBlock[]; [field: string]: unknown };
  /**
   * `thought_signatures` has one entry per part of the message, in the order reasoning, content, refusal, tool calls.
   */
  gemini?: { thought_signatures?: (string | null)[]; [field: string]: unknown };
  [provider: string]: JsonValue | object | undefined;
}

/** A flat message. */
export interface FlatMessage {
  role: string;
  content: string | FlatContentPart[];
  reasoning?: string | FlatContentPart[];
  refusal?: string | FlatContentPart[];
  tool_calls?: FlatToolCall[];
  id?: string;
  /** The call that a `tool` message answers; absent on other messages. */
  call_id?: string;
  name?: string;
  extra?: FlatExtra;
}
