// Detects whether a payload is a Chat Completions request, response or stream chunk. A payload that could as well
// belong to another API is not detected.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";

/** Request parameters that only Chat Completions has beside `messages`. */
const CHAT_PARAMETERS = [
  "max_completion_tokens",
  "reasoning_effort",
  "response_format",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "parallel_tool_calls",
  "stream_options",
  "functions",
  "function_call",
  "n",
  "seed",
];
const CHAT_ROLES: ReadonlySet<JsonValue | undefined> = new Set(["system", "developer", "tool", "function"]);
const CHAT_BLOCKS: ReadonlySet<JsonValue | undefined> = new Set(["image_url", "input_audio", "refusal"]);
/** Request fields of other APIs. A payload with one of these fields is not a Chat request. */
const FOREIGN_FIELDS = ["system", "anthropic_version", "input", "contents", "modelId"];

export function detectKind(wire: JsonObject): PayloadKind | undefined {
  const { object, choices, messages } = wire;
  if (object === "chat.completion") return "response";
  if (object === "chat.completion.chunk") return "stream";
  if (Array.isArray(choices)) {
    const [choice] = choices;
    if (!isObject(choice)) return undefined;
    return isObject(choice["message"]) ? "response" : isObject(choice["delta"]) ? "stream" : undefined;
  }
  const { model } = wire;
  if (!Array.isArray(messages) || (model !== undefined && typeof model !== "string")) return undefined;
  if (FOREIGN_FIELDS.some((field) => wire[field] !== undefined)) return undefined;
  // Messages with only strings as content are valid for Anthropic too, but Anthropic requires `max_tokens`. Without
  // `max_tokens`, the payload is a Chat request.
  const isPlain = wire["max_tokens"] === undefined && messages.length > 0 && messages.every(isPlainMessage);
  const isChat = CHAT_PARAMETERS.some((field) => wire[field] !== undefined) || hasChatTools(wire);
  // A payload without `model` (the model can be in the URL) is detected only by Chat's parameters or tools, because its
  // messages alone could also belong to another API.
  return isChat || (model !== undefined && (isPlain || messages.some(isChatMessage))) ? "request" : undefined;
}

function isPlainMessage(message: JsonValue): boolean {
  return isObject(message) && typeof message["role"] === "string" && typeof message["content"] === "string";
}

function isChatMessage(message: JsonValue): boolean {
  if (!isObject(message)) return false;
  const { role, content, tool_calls: calls } = message;
  // Messages with `parts`, or with an object as content, belong to other formats with the same roles.
  if (message["parts"] !== undefined || (content !== null && typeof content === "object" && !isList(content)))
    return false;
  if (Array.isArray(calls) && calls.some((call) => isObject(call) && call["function"] !== undefined)) return true;
  if (typeof content === "string" && CHAT_ROLES.has(role))
    return role !== "tool" || message["tool_call_id"] !== undefined;
  return isList(content) && content.some((block) => isObject(block) && CHAT_BLOCKS.has(block["type"]));
}

function isList(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value);
}

function hasChatTools({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && isObject(tool["function"]));
}
