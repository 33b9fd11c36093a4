// Defines the message types and the functions that create messages.
import { ArgumentError, assertObject } from "./argument-error.ts";
import type { Extra, Part, ToolCallPart, ToolResultPart } from "./parts.ts";
import type { FinishReason } from "./finish-reason.ts";
import type { Usage } from "./usage.ts";

/** Every role of a message. */
export const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
/** One of `ROLES`. */
export type Role = (typeof ROLES)[number];

/** The id of a tool call whose arguments are not valid, and the reason. */
export interface InvalidToolCall {
  toolCallId: string;
  reason: string;
}

/** Data about a message that is not part of its content. Koine writes the named fields; callers may add their own. */
export interface Metadata {
  schemaVersion?: number;
  runId?: string;
  model?: string;
  provider?: string;
  finishReason?: FinishReason;
  usage?: Usage;
  /** True if the stream ended before the message was complete (B90). */
  interrupted?: boolean;
  invalidToolCalls?: InvalidToolCall[];
  [key: string]: unknown;
}

/** A message of a conversation: decoders return it and encoders accept it. */
export interface Message {
  role: Role;
  parts: Part[];
  id?: string;
  name?: string;
  extra?: Extra;
  metadata?: Metadata;
}

/** A message in a ledger. */
export interface StoredMessage extends Message {
  /** A ULID. Ids increase with the time of creation, also among messages of the same millisecond. */
  id: string;
  /** The id of the previous message of the branch; null for the first message. */
  parentMessageId: string | null;
  /** The time at which the message was stored, in ISO 8601. */
  createdAt: string;
  metadata: Metadata & { schemaVersion: number };
}

/** The argument of a message constructor: a text or a list of parts. */
export type MessageContent = string | readonly Part[];

function createMessage(role: Role, content: MessageContent): Message {
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw new ArgumentError(role, "content", "a string or a list of parts", content);
  }
  return { role, parts: typeof content === "string" ? [{ type: "text", text: content }] : [...content] };
}

/**
 * Creates a system message.
 *
 * @example
 * ```ts
 * import { system, user } from "koine";
 *
 * const messages = [system("Answer in one sentence."), user("Hello")];
 * console.log(messages.map(({ role }) => role)); // ["system","user"]
 * ```
 */
export function system(content: MessageContent): Message {
  return createMessage("system", content);
}

/** Creates a developer message. */
export function developer(content: MessageContent): Message {
  return createMessage("developer", content);
}

/**
 * Creates a user message from a text or from parts.
 *
 * @example
 * ```ts
 * import { image, text, user } from "koine";
 *
 * console.log(user("Hello")); // {"role":"user","parts":[{"type":"text","text":"Hello"}]}
 * const question = user([text("What is this?"), image({ url: "https://example.com/cat.png" })]);
 * console.log(question.parts.map(({ type }) => type)); // ["text","image"]
 * ```
 */
export function user(content: MessageContent): Message {
  return createMessage("user", content);
}

/**
 * Creates an assistant message.
 *
 * @example
 * ```ts
 * import { assistant, text, toolCall } from "koine";
 *
 * console.log(assistant("Hello").parts); // [{"type":"text","text":"Hello"}]
 * const answer = assistant([text("I will look."), toolCall("call_1", "weather", { city: "Rome" })]);
 * console.log(answer.parts.map(({ type }) => type)); // ["text","tool-call"]
 * ```
 */
export function assistant(content: MessageContent): Message {
  return createMessage("assistant", content);
}

/** Options of `toolResult`. */
export interface ToolResultOptions {
  isError?: boolean;
  content?: Part[];
}

/**
 * Creates a tool message with the result of one tool call. A string output is text; any other value is JSON.
 *
 * @example
 * ```ts
 * import { toolCall, toolResult } from "koine";
 *
 * const call = toolCall("call_1", "weather", { city: "Rome" });
 * console.log(toolResult(call, { temperature: 21 }).role); // tool
 * const failure = toolResult(call, "The city is unknown.", { isError: true });
 * console.log(failure.parts.map((part) => part.type === "tool-result" && part.isError)); // [true]
 * ```
 */
export function toolResult(
  call: Pick<ToolCallPart, "toolCallId" | "toolName" | "executor" | "format" | "tool">,
  output: unknown,
  options: ToolResultOptions = {},
): Message {
  assertObject("toolResult", "call", call);
  assertObject("toolResult", "options", options);
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

/**
 * Returns the joined text of a message's text parts, without reasoning and refusals.
 *
 * @example
 * ```ts
 * import { assistant, getText, reasoning, text } from "koine";
 *
 * const answer = assistant([reasoning("A greeting."), text("Hello, "), text("world.")]);
 * console.log(getText(answer)); // Hello, world.
 * ```
 */
export function getText(message: Pick<Message, "parts">): string {
  assertObject("getText", "message", message);
  const { parts } = message;
  if (!Array.isArray(parts)) throw new ArgumentError("getText", "message.parts", "a list", parts);
  return parts.map((part) => (part?.type === "text" ? part.text : "")).join("");
}

/** The message constructors as an object: `Message.user("…")`. */
export const Message = { system, developer, user, assistant, toolResult } as const;
