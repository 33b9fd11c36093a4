// Declares the wire types of the run dialect: messages with parts, and the deltas of their streams.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";

/** The roles of run messages. */
export const RUN_ROLES = ["system", "user", "assistant", "tool"] as const;
/** One of `RUN_ROLES`. */
export type RunRole = (typeof RUN_ROLES)[number];

/** A message of a run. */
export interface RunMessage {
  runId: string;
  role: RunRole;
  parts: RunPart[];
  /** The time of the message in ISO 8601. */
  timestamp: string;
  /** Usage, traces, approvals and further data about the message. */
  meta?: JsonObject;
}

/** The payload type of each kind of part. */
export interface RunPayloads {
  text: { text: string };
  thinking: { text: string };
  tool_call: RunToolCall;
  tool_result: RunToolResult;
  image: { mimeType?: string; data?: string; url?: string };
  file_ref: { path: string; mimeType?: string; size?: number };
}
/** The kind of a part. */
export type RunPartKind = keyof RunPayloads;
/** A part: its kind and payload. */
export type RunPart = { [Kind in RunPartKind]: { kind: Kind; payload: RunPayloads[Kind] } }[RunPartKind];

/** The payload of a tool call. */
export interface RunToolCall {
  toolCallId: string;
  toolName: string;
  /** The parsed arguments; `{}` if the text could not be parsed. */
  arguments: JsonValue;
  /** The text from which the arguments were parsed. */
  rawArgsText?: string;
}

/** The payload of a tool result. */
export interface RunToolResult {
  toolCallId: string;
  isError: boolean;
  /** A list of parts, a JSON value, or a text. */
  content: RunPart[] | JsonValue;
}

/** One event of a stream. Its kinds and payloads are those of Koine's delta contract. */
export interface RunDelta {
  runId: string;
  seq: number;
  kind: string;
  payload: JsonObject;
  timestamp: string;
  providerRaw?: JsonValue;
}
