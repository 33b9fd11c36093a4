// Messages of tasks on the wire: OpenAI's chat shape, narrowed to what the tasks' clients rely on. `content` is always
// there, and so is `tool_calls` on what the assistant says.
import { DialectError } from "../../dialects/errors.ts";
import { openaiChat } from "../../dialects/openai-chat/index.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { checkMessages } from "../../ledger/index.ts";
import {
  type JsonObject,
  type Message,
  stringifyJson,
  type ToolCallPart,
  type Usage,
  user,
} from "../../model/index.ts";
import { isObject, kindOf } from "../../model/kind.ts";
import { ServerError } from "../errors.ts";

/** A message as clients see it. */
export interface WireMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | object[];
  tool_calls?: object[];
  tool_call_id?: string;
}

const chat = openaiChat();

/** One message per result where a message holds several; none of a message that says nothing in this shape. */
export function encodeMessage(message: Message): WireMessage[] {
  // The wire of this dialect is a list of messages.
  return (chat.encodeMessages([message]).wire as JsonObject[]).map(narrow);
}

function narrow(wire: JsonObject): WireMessage {
  const { role, content, refusal, tool_calls: calls, tool_call_id: id } = wire;
  const said = typeof content === "string" || Array.isArray(content) ? content : "";
  const words = said === "" && typeof refusal === "string" ? refusal : said;
  const told: WireMessage = {
    // The shape knows no developers, and the dialect no other roles than these.
    role: role === "developer" ? "system" : (role as WireMessage["role"]),
    // Parts of a content are objects.
    content: words as WireMessage["content"],
  };
  if (told.role === "assistant") told.tool_calls = Array.isArray(calls) ? (calls as object[]) : [];
  if (typeof id === "string") told.tool_call_id = id;
  return told;
}

/** The text of a content, whichever form it has. */
export function flatten(content: WireMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part && typeof part.text === "string" ? part.text : "")).join("");
}

/** A call as the assistant's messages have it. */
export function encodeCall(call: ToolCallPart): object {
  const [told] = encodeMessage({ role: "assistant", parts: [call] });
  const fallback = { name: call.toolName, arguments: call.inputText ?? stringifyJson(call.input ?? {}) };
  return told?.tool_calls?.[0] ?? { id: call.toolCallId, type: "function", function: fallback };
}

/** Token counts, under the names of this shape and under OpenAI's. */
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

const SPEAKERS: ReadonlySet<string> = new Set(["user", "system", "developer"]);

/** What a client says to a task: a text, or a message. Throws an "invalid-request" that names the place. */
export function decodeInputMessage(wire: unknown, path = "/message"): Message {
  const message = typeof wire === "string" ? user(wire) : decodeObject(wire, path);
  if (message.parts.every((part) => part.type === "text" && part.text === "")) {
    throw new ServerError("invalid-request", "The message says nothing; give it a content.", { path });
  }
  return storable(message, path);
}

function decodeObject(wire: unknown, path: string): Message {
  if (!isObject(wire)) {
    const found = wire === undefined ? "nothing" : kindOf(wire);
    const expected = 'Expected a text or a message such as { "role": "user", "content": "…" }';
    throw new ServerError("invalid-request", `${expected}, found ${found}.`, { path });
  }
  const { role = "user" } = wire;
  if (typeof role !== "string" || !SPEAKERS.has(role)) {
    const found = typeof role === "string" ? `"${role.slice(0, 40)}"` : kindOf(role);
    throw new ServerError("invalid-request", `A task is told things by the role "user", not ${found}.`, {
      path: `${path}/role`,
    });
  }
  try {
    const [message] = chat.decodeMessages([{ ...wire, role, content: typed(wire["content"]) }]);
    if (message !== undefined) return message;
  } catch (cause) {
    if (!(cause instanceof DialectError)) throw cause;
    throw new ServerError("invalid-request", cause.message, {
      path: path + cause.path.replace(/^(\/messages)?\/0/, ""),
      cause,
    });
  }
  throw new ServerError("invalid-request", "The message cannot be read.", { path });
}

/** Parts of text need not say that they are. */
function typed(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) =>
    isObject(part) && part["type"] === undefined && typeof part["text"] === "string" ? { type: "text", ...part } : part,
  );
}

/** What the ledger refuses is refused before it is acknowledged. */
function storable(message: Message, path: string): Message {
  try {
    return checkMessages([message], path)[0] ?? message;
  } catch (cause) {
    if (!(cause instanceof LedgerError)) throw cause;
    throw new ServerError("invalid-request", cause.message, { path: cause.path.replace(`${path}/0`, path), cause });
  }
}
