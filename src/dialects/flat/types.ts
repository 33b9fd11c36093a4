// Wire types of the flat interchange format: one message type for every provider.
import type { JsonValue } from "../../model/json/index.ts";

/** A text part. */
export interface FlatText {
  type: "text";
  text: string;
}

/** Images, audio and files have the same fields; one of `data`, `url` and `file_id` is the source. */
export interface FlatMedia {
  type: "image" | "audio" | "file";
  /** A mime type, or its short form: "png". */
  format?: string;
  file_id?: string;
  name?: string;
  url?: string;
  /** Base64. */
  data?: string;
}

/** One part of a content list. */
export type FlatContentPart = FlatText | FlatMedia;

/** A tool call of an assistant message. */
export interface FlatToolCall {
  name: string;
  /** JSON text. */
  arguments: string;
  id?: string;
  /** Wins over `id`. */
  call_id?: string;
}

/** A thinking block of Claude's, as `extra.claude.thinking_blocks` lists it. */
export type FlatThinkingBlock =
  | { type: "thinking"; thinking: string; signature?: string }
  | { type: "redacted_thinking"; data: string };

/** Provider-specific data, keyed by provider name. */
export interface FlatExtra {
  claude?: { thinking_blocks?: FlatThinkingBlock[]; [field: string]: unknown };
  /** `thought_signatures`: one per part of the message, in order: reasoning, content, refusal, tool calls. */
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
  /** On a `tool` message: the call that it answers. */
  call_id?: string;
  name?: string;
  extra?: FlatExtra;
}
