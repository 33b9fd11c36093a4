// Encodes and decodes messages of tasks in OpenAI's chat format. `content` is always present, and `tool_calls` on
// assistant messages.
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

/** A message as clients see it. */
export interface TaskWireMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | object[];
  tool_calls?: object[];
  tool_call_id?: string;
}

const chat = openaiChat();

/** Returns one wire message per tool result, and none for a message without content in this format. */
export function encodeMessage(message: Message): TaskWireMessage[] {
  // This dialect encodes messages as a list.
  return (chat.encodeMessages([message]).wire as JsonObject[]).map(toWireMessage);
}

function toWireMessage(wire: JsonObject): TaskWireMessage {
  const { role, content, refusal, tool_calls: calls, tool_call_id: id } = wire;
  const contentOrEmpty = typeof content === "string" || Array.isArray(content) ? content : "";
  const contentOrRefusal = contentOrEmpty === "" && typeof refusal === "string" ? refusal : contentOrEmpty;
  const wireMessage: TaskWireMessage = {
    // The format has no developer role, and the dialect has only these roles.
    role: role === "developer" ? "system" : (role as TaskWireMessage["role"]),
    // Content parts are objects.
    content: contentOrRefusal as TaskWireMessage["content"],
  };
  if (wireMessage.role === "assistant") wireMessage.tool_calls = Array.isArray(calls) ? (calls as object[]) : [];
  if (typeof id === "string") wireMessage.tool_call_id = id;
  return wireMessage;
}

/** Returns the text of a content in either form. */
export function contentText(content: TaskWireMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part && typeof part.text === "string" ? part.text : "")).join("");
}

/** Encodes a call as in an assistant message. */
export function encodeCall(call: ToolCallPart): object {
  const [wireMessage] = encodeMessage({ role: "assistant", parts: [call] });
  const fallback = { name: call.toolName, arguments: call.inputText ?? stringifyJson(call.input ?? {}) };
  return wireMessage?.tool_calls?.[0] ?? { id: call.toolCallId, type: "function", function: fallback };
}

/** Encodes token counts under the names of this format and of OpenAI's. */
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

/** Decodes a message to a task: a text or a message object. Throws an "invalid-request" with the path. */
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

/** Adds the type to text parts without one. */
function withTextType(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) =>
    isObject(part) && part["type"] === undefined && typeof part["text"] === "string" ? { type: "text", ...part } : part,
  );
}

/** Throws before the message is acknowledged if the ledger cannot store it. */
function assertStorable(message: Message, path: string): Message {
  try {
    return assertStorableMessages([message], path)[0] ?? message;
  } catch (cause) {
    if (!(cause instanceof LedgerError)) throw cause;
    throw new ServerError("invalid-request", cause.message, { path: cause.path.replace(`${path}/0`, path), cause });
  }
}
