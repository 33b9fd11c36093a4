// What a payload is, where it can be nothing else.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/read.ts";

/** Parameters that no other provider has beside a list of messages. */
const OWN = [
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
const ROLES: ReadonlySet<JsonValue | undefined> = new Set(["system", "developer", "tool", "function"]);
const BLOCKS: ReadonlySet<JsonValue | undefined> = new Set(["image_url", "input_audio", "refusal"]);
/** What a conversation elsewhere has beside, or instead of, these messages. */
const OTHERS = ["system", "anthropic_version", "input", "contents", "modelId"];

export function recognise(wire: JsonObject): PayloadKind | undefined {
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
  if (OTHERS.some((field) => wire[field] !== undefined)) return undefined;
  // Anthropic's requests must say `max_tokens`; without, plain texts can only be Chat's.
  const isPlain = wire["max_tokens"] === undefined && messages.length > 0 && messages.every(isPlainMessage);
  const isOwn = OWN.some((field) => wire[field] !== undefined) || hasOwnTools(wire);
  // Where the model stands in the URL, messages alone could be anybody's.
  return isOwn || (model !== undefined && (isPlain || messages.some(isOwnMessage))) ? "request" : undefined;
}

function isPlainMessage(message: JsonValue): boolean {
  return isObject(message) && typeof message["role"] === "string" && typeof message["content"] === "string";
}

function isOwnMessage(message: JsonValue): boolean {
  if (!isObject(message)) return false;
  const { role, content, tool_calls: calls } = message;
  // Other shapes have these roles, too, but say what they say as parts.
  if (message["parts"] !== undefined || (content !== null && typeof content === "object" && !isList(content)))
    return false;
  if (Array.isArray(calls) && calls.some((call) => isObject(call) && call["function"] !== undefined)) return true;
  if (typeof content === "string" && ROLES.has(role)) return role !== "tool" || message["tool_call_id"] !== undefined;
  return isList(content) && content.some((block) => isObject(block) && BLOCKS.has(block["type"]));
}

function isList(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value);
}

function hasOwnTools({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && isObject(tool["function"]));
}
