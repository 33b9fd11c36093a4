// Detects whether a payload belongs to the Bedrock dialect and of which kind it is, from fields that no other dialect
// has.
import type { JsonObject } from "../../model/json/index.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";

/** Keys of stream events and of the exceptions that can end a stream. */
const EVENTS_KEY: ReadonlySet<string> = new Set([
  "messageStart",
  "messageStop",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "internalServerException",
  "modelStreamErrorException",
  "validationException",
  "throttlingException",
  "serviceUnavailableException",
]);
const REQUEST_SETTINGS = [
  "inferenceConfig",
  "toolConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
  "performanceConfig",
];
const BLOCK_KEYS = ["toolUse", "toolResult", "reasoningContent", "cachePoint", "citationsContent", "guardContent"];

/** Returns the kind of a Bedrock payload; undefined if the payload could also belong to another dialect. */
export function detectKind(wire: JsonObject): PayloadKind | undefined {
  const { messages, output, metadata, __type: type } = wire;
  const [only = "", ...others] = Object.keys(wire);
  if (others.length === 0 && isObject(wire[only])) {
    if (EVENTS_KEY.has(only)) return "stream";
    if (isObject(metadata) && isObject(metadata["usage"]) && "inputTokens" in metadata["usage"]) return "stream";
  }
  if (isObject(output)) return isObject(output["message"]) && "stopReason" in wire ? "response" : undefined;
  if (typeof type === "string") return type.endsWith("Exception") && "message" in wire ? "error" : undefined;
  const hasSetting = REQUEST_SETTINGS.some((key) => isObject(wire[key]) || Array.isArray(wire[key]));
  if (hasSetting && !("contents" in wire)) return "request";
  if (!Array.isArray(messages)) return undefined;
  return typeof wire["modelId"] === "string" || messages.some(hasKnownBlock) ? "request" : undefined;
}

/** True if a message has a block with a key that only Bedrock uses. */
function hasKnownBlock(message: unknown): boolean {
  if (!isObject(message) || !Array.isArray(message["content"])) return false;
  return message["content"].some((block) => isObject(block) && BLOCK_KEYS.some((key) => isObject(block[key])));
}
