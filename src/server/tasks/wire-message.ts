// Encodes and decodes messages of tasks in OpenAI's chat format. Encoded messages always have `content`, and encoded
// assistant messages always have `tool_calls`.
import { DialectError } from "../../dialects/errors.ts";
import { openaiChat } from "../../dialects/openai-chat/index.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { assertStorableMessages } from "../../ledger/index.ts";
import {
  type JsonObject,
  type Message,
  stringifyJson,
  type ToolCallPart,
  type Usage,
  user,
} from "../../model/index.ts";
import { isObject, describeKind } from "../../model/value-kind.ts";
import { ServerError } from "../errors.ts";
import { fromDialectError } from "../http/server-error.ts";

/** A message in the format that clients receive. */
export interface TaskWireMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | object[];
  tool_calls?: object[];
  tool_call_id?: string;
}

const chat = openaiChat();

/**
 * Encodes a message. A tool message becomes one wire message for each tool result. Returns an empty list if OpenAI's
 * chat format supports none of the message's content.
 */
export function encodeMessage(message: Message): TaskWireMessage[] {
  // The cast is safe: the Chat dialect encodes messages as a list of objects.
  return (chat.encodeMessages([message]).wire as JsonObject[]).map(toWireMessage);
}

function toWireMessage(wire: JsonObject): TaskWireMessage {
  const { role, content, refusal, tool_calls: calls, tool_call_id: id } = wire;
  const contentOrEmpty = typeof content === "string" || Array.isArray(content) ? content : "";
  const contentOrRefusal = contentOrEmpty === "" && typeof refusal === "string" ? refusal : contentOrEmpty;
  const wireMessage: TaskWireMessage = {
    // Messages of tasks have no developer role. The cast is safe, because the Chat dialect writes only the role
    // "developer" and the roles of `TaskWireMessage`.
    role: role === "developer" ? "system" : (role as TaskWireMessage["role"]),
    // The cast is safe: the content is a string or a list, and the elements of a list are objects.
    content: contentOrRefusal as TaskWireMessage["content"],
  };
  if (wireMessage.role === "assistant") wireMessage.tool_calls = Array.isArray(calls) ? (calls as object[]) : [];
  if (typeof id === "string") wireMessage.tool_call_id = id;
  return wireMessage;
}

/** Returns the text of a message's content, which is a string or a list of parts. */
export function contentText(content: TaskWireMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part && typeof part.text === "string" ? part.text : "")).join("");
}

/** Encodes a tool call as an entry of `tool_calls`. */
export function encodeCall(call: ToolCallPart): object {
  const [wireMessage] = encodeMessage({ role: "assistant", parts: [call] });
  const fallback = { name: call.toolName, arguments: call.inputText ?? stringifyJson(call.input ?? {}) };
  return wireMessage?.tool_calls?.[0] ?? { id: call.toolCallId, type: "function", function: fallback };
}

/**
 * Encodes the usage. The token counts are written under Koine's names, such as `input_tokens`, and again under OpenAI's
 * names, such as `prompt_tokens`.
 */
export function encodeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, totalTokens, cacheReadTokens, reasoningTokens, cost } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    ...(cacheReadTokens !== undefined && { cache_read_tokens: cacheReadTokens }),
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    ...(cacheReadTokens !== undefined && { prompt_tokens_details: { cached_tokens: cacheReadTokens } }),
    ...(reasoningTokens !== undefined && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
    ...(cost !== undefined && { cost }),
  };
}

const INPUT_ROLES: ReadonlySet<string> = new Set(["user", "system", "developer"]);

/**
 * Decodes a message that is posted to a task: a text or a message object. Throws "invalid-request" if it is invalid.
 */
export function decodeInputMessage(wire: unknown, path = "/message"): Message {
  const message = typeof wire === "string" ? user(wire) : decodeObject(wire, path);
  if (message.parts.every((part) => part.type === "text" && part.text === "")) {
    throw new ServerError("invalid-request", "The message is empty: set its content.", { path });
  }
  return assertStorable(message, path);
}

function decodeObject(wire: unknown, path: string): Message {
  if (!isObject(wire)) {
    const actual = wire === undefined ? "nothing" : describeKind(wire);
    const expected = 'Expected a text or a message such as { "role": "user", "content": "…" }';
    throw new ServerError("invalid-request", `${expected}, found ${actual}.`, { path });
  }
  const { role = "user" } = wire;
  if (typeof role !== "string" || !INPUT_ROLES.has(role)) {
    const actual = typeof role === "string" ? `"${role.slice(0, 40)}"` : describeKind(role);
    throw new ServerError(
      "invalid-request",
      `A message to a task must have the role "user", "system" or "developer", not ${actual}.`,
      {
        path: `${path}/role`,
      },
    );
  }
  try {
    const [message] = chat.decodeMessages([{ ...wire, role, content: withTextType(wire["content"]) }]);
    if (message !== undefined) return message;
  } catch (cause) {
    if (!(cause instanceof DialectError)) throw cause;
    throw fromDialectError(cause, path + cause.path.replace(/^(\/messages)?\/0/, ""));
  }
  throw new ServerError("invalid-request", "The message cannot be decoded: use OpenAI's chat format.", { path });
}

/** Adds the type "text" to content parts that have a text but no type. */
function withTextType(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) =>
    isObject(part) && part["type"] === undefined && typeof part["text"] === "string" ? { type: "text", ...part } : part,
  );
}

/**
 * Checks with the ledger's `assertStorableMessages` that the message can be stored, and returns the checked message.
 * Throws "invalid-request" if it cannot be stored.
 */
function assertStorable(message: Message, path: string): Message {
  try {
    return assertStorableMessages([message], path)[0] ?? message;
  } catch (cause) {
    if (!(cause instanceof LedgerError)) throw cause;
    throw new ServerError("invalid-request", cause.message, { path: cause.path.replace(`${path}/0`, path), cause });
  }
}
