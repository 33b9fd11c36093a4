// Detects payloads that only Anthropic's API can have produced.
import type { JsonObject } from "../../model/json/index.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { ERROR_TYPES } from "./terms.ts";

const EVENT_TYPES: ReadonlySet<unknown> = new Set([
  "message_start",
  "message_delta",
  "message_stop",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "ping",
]);
const BLOCK_TYPES: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
]);

export function detectKind(wire: JsonObject): PayloadKind | undefined {
  const { type, error, messages } = wire;
  if (EVENT_TYPES.has(type)) return "stream";
  if (type === "message") return wire["role"] === "assistant" && "stop_reason" in wire ? "response" : undefined;
  if (type === "error") return isObject(error) && hasErrorType(error) && !("code" in error) ? "error" : undefined;
  return Array.isArray(messages) && isRequest(wire, messages) ? "request" : undefined;
}

function hasErrorType({ type }: JsonObject): boolean {
  return typeof type === "string" && ERROR_TYPES.toModel(type) !== undefined;
}

function isRequest(wire: JsonObject, messages: readonly unknown[]): boolean {
  const { system, tools, anthropic_version: version } = wire;
  if (typeof version === "string" || typeof system === "string") return true;
  if (hasSome(system, ({ type }) => type === "text") || hasSome(tools, (tool) => "input_schema" in tool)) return true;
  return hasSome(messages, ({ content }) =>
    hasSome(content, ({ type, source }) => BLOCK_TYPES.has(type) || (isObject(source) && "type" in source)),
  );
}

function hasSome(list: unknown, test: (value: JsonObject) => boolean): boolean {
  return Array.isArray(list) && list.some((value) => isObject(value) && test(value));
}
