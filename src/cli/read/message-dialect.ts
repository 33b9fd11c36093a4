// Distinguishes messages from other payloads (requests, responses, errors, stream events), and detects the dialect of a
// list of messages.
import { detectDialect } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { JsonObject } from "../../model/index.ts";

/** The fields of requests, responses and errors that no message has. */
const PAYLOAD_FIELDS = ["messages", "contents", "choices", "candidates", "error", "body", "promptFeedback"];

/** True if an object is a message or a Responses item; false for requests, responses, errors and stream events. */
export function isMessage(value: JsonObject): boolean {
  if (PAYLOAD_FIELDS.some((field) => value[field] !== undefined) || value["object"] === "response") return false;
  if (typeof value["role"] !== "string" && !isItem(value)) return false;
  return detectDialect(value) === undefined;
}

/** True for an item of a Responses input that is not a message, such as a function call. */
function isItem({ type }: JsonObject): boolean {
  return typeof type === "string" && /^(reasoning|item_reference|compaction|\w+_call(_output)?)$/.test(type);
}

/** True if a message of the list has its content in `parts`, as in the AI SDK, Koine and Gemini. */
export function hasMessagesWithParts(list: unknown): boolean {
  return Array.isArray(list) && list.some((each) => isObject(each) && Array.isArray(each["parts"]));
}

/** Detects the dialect of a list of messages; undefined if several dialects or none match. */
export function detectMessageDialect(list: readonly unknown[]): string | undefined {
  const objects = list.filter(isObject);
  if (objects.length < list.length || list.length === 0) return undefined;
  const parts = objects.flatMap((each) => readObjects(each["parts"]));
  if (parts.some((part) => "payload" in part)) return "run";
  if (parts.some((part) => "type" in part) || objects.every(isStored)) return detectTypedPartsDialect(objects, parts);
  if (hasMessagesWithParts(objects)) return detectDialect({ contents: objects })?.dialect;
  const content = objects.flatMap((each) => readObjects(each["content"]));
  if (content.some((part) => "kind" in part)) return "tagged";
  if (content.some(({ toolCallId }) => typeof toolCallId === "string")) return "ai-sdk-model";
  if (objects.some((each) => each["type"] === "message" || isItem(each)))
    return detectDialect({ input: objects })?.dialect;
  // The messages are detected as part of a request with `max_tokens`. Without that field, messages with only text would
  // be detected as Chat, although they can also be Anthropic's.
  return detectDialect({ model: "", max_tokens: 1, messages: objects })?.dialect;
}

/** Returns "canonical" or "ai-sdk-ui"; undefined for plain texts, which are the same in both dialects. */
function detectTypedPartsDialect(messages: readonly JsonObject[], parts: readonly JsonObject[]): string | undefined {
  if (messages.some((each) => isStored(each) || each["parentMessageId"] !== undefined)) return "canonical";
  if (parts.some(isUiPart)) return "ai-sdk-ui";
  return parts.some(({ type, seals }) => seals !== undefined || CANONICAL_PART_TYPES.has(type))
    ? "canonical"
    : undefined;
}

const CANONICAL_PART_TYPES: ReadonlySet<unknown> = new Set([
  "tool-call",
  "tool-result",
  "refusal",
  "image",
  "audio",
  "video",
  "opaque",
]);

function isUiPart({ type, state, mediaType }: JsonObject): boolean {
  if (typeof type !== "string") return false;
  if (/^(step-start|dynamic-tool|source-url|source-document|data-.+)$/.test(type) || mediaType !== undefined)
    return true;
  return type.startsWith("tool-") && typeof state === "string";
}

function isStored({ parts, metadata }: JsonObject): boolean {
  return Array.isArray(parts) && isObject(metadata) && metadata["schemaVersion"] !== undefined;
}

function readObjects(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
