// What tells messages from payloads, and the messages of one dialect from those of another.
import { detect, isObject } from "../../dialects/index.ts";
import type { JsonObject } from "../../model/index.ts";

/** Fields of payloads that no message has. */
const PAYLOAD = ["messages", "contents", "choices", "candidates", "error", "body", "promptFeedback"];

/** Whether an object is a message, or an item of a conversation, and no payload of its own. */
export function isMessage(value: JsonObject): boolean {
  if (PAYLOAD.some((field) => value[field] !== undefined) || value["object"] === "response") return false;
  if (typeof value["role"] !== "string" && !isItem(value)) return false;
  return detect(value) === undefined;
}

/** What Responses lists beside messages. */
function isItem({ type }: JsonObject): boolean {
  return typeof type === "string" && /^(reasoning|item_reference|compaction|\w+_call(_output)?)$/.test(type);
}

/** Whether messages say what they say as `parts`, as apps have them and no provider but Gemini. */
export function haveParts(list: unknown): boolean {
  return Array.isArray(list) && list.some((each) => isObject(each) && Array.isArray(each["parts"]));
}

/** The dialect of a list of messages, where it can be no other's. */
export function dialectOfMessages(list: readonly unknown[]): string | undefined {
  const objects = list.filter(isObject);
  if (objects.length < list.length || list.length === 0) return undefined;
  const parts = objects.flatMap((each) => partsOf(each["parts"]));
  if (parts.some((part) => "payload" in part)) return "run";
  if (parts.some((part) => "type" in part) || objects.every(isStored)) return typedShape(objects, parts);
  if (haveParts(objects)) return detect({ contents: objects })?.dialect;
  const content = objects.flatMap((each) => partsOf(each["content"]));
  if (content.some((part) => "kind" in part)) return "tagged";
  if (content.some(({ toolCallId }) => typeof toolCallId === "string")) return "ai-sdk-model";
  if (objects.some((each) => each["type"] === "message" || isItem(each))) return detect({ input: objects })?.dialect;
  // A limit, because without one plain texts would count as Chat's, which they need not be in a bare list.
  return detect({ model: "", max_tokens: 1, messages: objects })?.dialect;
}

/** Two shapes have parts with a type: Koine's own and the AI SDK's. Mere texts could be of either. */
function typedShape(messages: readonly JsonObject[], parts: readonly JsonObject[]): string | undefined {
  if (messages.some((each) => isStored(each) || each["parentMessageId"] !== undefined)) return "canonical";
  if (parts.some(isUiPart)) return "ai-sdk-ui";
  return parts.some(({ type, seals }) => seals !== undefined || OWN_TYPES.has(type)) ? "canonical" : undefined;
}

const OWN_TYPES: ReadonlySet<unknown> = new Set([
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

function partsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
