// Messages: what dialects produce and consume, what a ledger stores, and how to make one by hand.
import type { Extra, Part, ToolCallPart, ToolResultPart } from "./parts.ts";
import type { FinishReason } from "./finish.ts";
import type { Usage } from "./usage.ts";

export const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
export type Role = (typeof ROLES)[number];

/** A tool call whose arguments could not be read, and why. */
export interface InvalidToolCall {
  toolCallId: string;
  reason: string;
}

/** Facts about a message. The named ones are Koine's; anybody may add their own. */
export interface Metadata {
  schemaVersion?: number;
  runId?: string;
  model?: string;
  provider?: string;
  finishReason?: FinishReason;
  usage?: Usage;
  /** The stream ended before its message did (B90). */
  interrupted?: boolean;
  invalidToolCalls?: InvalidToolCall[];
  [key: string]: unknown;
}

export interface Message {
  role: Role;
  parts: Part[];
  id?: string;
  name?: string;
  extra?: Extra;
  metadata?: Metadata;
}

/** A message in a durable transcript. */
export interface StoredMessage extends Message {
  /** A ULID, monotonic within a millisecond. */
  id: string;
  /** null: a root. */
  parentMessageId: string | null;
  /** ISO 8601. */
  createdAt: string;
  metadata: Metadata & { schemaVersion: number };
}

/** What a constructor takes: a text, or parts. */
export type Content = string | readonly Part[];

function message(role: Role, content: Content): Message {
  return { role, parts: typeof content === "string" ? [{ type: "text", text: content }] : [...content] };
}

export function system(content: Content): Message {
  return message("system", content);
}
export function developer(content: Content): Message {
  return message("developer", content);
}
export function user(content: Content): Message {
  return message("user", content);
}
export function assistant(content: Content): Message {
  return message("assistant", content);
}

/** What a tool result may say beside its output. */
export interface ToolResultOptions {
  isError?: boolean;
  content?: Part[];
}

/** The answer to a tool call: a tool message that holds one result. A string output is text, anything else JSON. */
export function toolResult(
  call: Pick<ToolCallPart, "toolCallId" | "toolName" | "executor" | "format" | "tool">,
  output: unknown,
  options: ToolResultOptions = {},
): Message {
  const result: ToolResultPart = {
    type: "tool-result",
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    isError: options.isError ?? false,
  };
  if (output !== undefined) result.output = output;
  if (options.content !== undefined) result.content = options.content;
  if (call.executor !== undefined) result.executor = call.executor;
  if (call.format !== undefined) result.format = call.format;
  if (call.tool !== undefined) result.tool = call.tool;
  return { role: "tool", parts: [result] };
}

/** What a message says: the text of its text parts, without reasoning, refusals and all else. */
export function textOf({ parts }: Pick<Message, "parts">): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The constructors under one name: `Message.user("…")`. */
export const Message = { system, developer, user, assistant, toolResult } as const;
