// What a payload is, where it can be no other dialect's.
import type { JsonObject } from "../../model/json.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import { ERROR_KIND } from "./terms.ts";

const EVENTS: ReadonlySet<unknown> = new Set([
  "message_start",
  "message_delta",
  "message_stop",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "ping",
]);
const BLOCKS: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
]);

export function recognise(wire: JsonObject): PayloadKind | undefined {
  const { type, error, messages } = wire;
  if (EVENTS.has(type)) return "stream";
  if (type === "message") return wire["role"] === "assistant" && "stop_reason" in wire ? "response" : undefined;
  if (type === "error") return isObject(error) && isErrorType(error) && !("code" in error) ? "error" : undefined;
  return Array.isArray(messages) && isRequest(wire, messages) ? "request" : undefined;
}

function isErrorType({ type }: JsonObject): boolean {
  return typeof type === "string" && ERROR_KIND.ours(type) !== undefined;
}

function isRequest(wire: JsonObject, messages: readonly unknown[]): boolean {
  const { system, tools, anthropic_version: version } = wire;
  if (typeof version === "string" || typeof system === "string") return true;
  if (hasSome(system, ({ type }) => type === "text") || hasSome(tools, (tool) => "input_schema" in tool)) return true;
  return hasSome(messages, ({ content }) =>
    hasSome(content, ({ type, source }) => BLOCKS.has(type) || (isObject(source) && "type" in source)),
  );
}

function hasSome(list: unknown, test: (value: JsonObject) => boolean): boolean {
  return Array.isArray(list) && list.some((value) => isObject(value) && test(value));
}
