// What a payload is, where it can be no other dialect's.
import type { JsonObject } from "../../model/json.ts";
import type { PayloadKind } from "../dialect.ts";
import { isObject } from "../kit/read.ts";

/** The events of a stream; exceptions are events, too. */
const EVENTS: ReadonlySet<string> = new Set([
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
const SETTINGS = [
  "inferenceConfig",
  "toolConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
  "performanceConfig",
];
const BLOCKS = ["toolUse", "toolResult", "reasoningContent", "cachePoint", "citationsContent", "guardContent"];

export function recognise(wire: JsonObject): PayloadKind | undefined {
  const { messages, output, metadata, __type: type } = wire;
  const [only = "", ...others] = Object.keys(wire);
  if (others.length === 0 && isObject(wire[only])) {
    if (EVENTS.has(only)) return "stream";
    if (isObject(metadata) && isObject(metadata["usage"]) && "inputTokens" in metadata["usage"]) return "stream";
  }
  if (isObject(output)) return isObject(output["message"]) && "stopReason" in wire ? "response" : undefined;
  if (typeof type === "string") return type.endsWith("Exception") && "message" in wire ? "error" : undefined;
  if (SETTINGS.some((key) => isObject(wire[key]) || Array.isArray(wire[key])) && !("contents" in wire))
    return "request";
  if (!Array.isArray(messages)) return undefined;
  return typeof wire["modelId"] === "string" || messages.some(isMessage) ? "request" : undefined;
}

/** Whether a message is made of blocks that say what they are by their one key. */
function isMessage(message: unknown): boolean {
  if (!isObject(message) || !Array.isArray(message["content"])) return false;
  return message["content"].some((block) => isObject(block) && BLOCKS.some((key) => isObject(block[key])));
}
