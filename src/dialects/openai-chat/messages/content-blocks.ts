// Decodes and encodes blocks of `content`: text, media, refusals, thinking. Unknown and incomplete blocks become opaque
// parts.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import { isMediaPart } from "../../../model/media-part.ts";
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../../model/parts.ts";
import { canSendOpaque, toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { isBareText } from "../../openai/unknown-fields.ts";
import { decodeObjectList } from "../../kit/fields/decode-list.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { decodeCacheBreakpoint } from "./cache-breakpoints.ts";
import { supportedFields, finishPart } from "./finish-part.ts";
import { decodeMedia, encodeMedia } from "./media.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { collectField } from "../decode-state.ts";
import type { ChatRefusal, ChatText } from "../types.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { readSourceField, readFormValue } from "../encode-state.ts";

/** Decodes the blocks of a `content` list into parts. */
export function decodeBlocks(list: readonly JsonValue[], state: ChatDecodeState): Part[] {
  return decodeObjectList(list, "content", state, decodeBlock);
}

export function decodeBlock(wire: JsonObject, state: ChatDecodeState): Part {
  const { context } = state;
  // Some vendors send `{ text }` without a type.
  const isUntyped = wire["type"] === undefined && typeof wire["text"] === "string";
  const type = isUntyped ? "text" : wire["type"];
  const part = typeof type === "string" ? decodeKnownBlock(type, wire, state) : undefined;
  if (isUntyped && part !== undefined) storeForm(part, context.dialect, "type", "none");
  if (part === undefined) return toOpaquePart(wire, context);
  let rest: JsonObject | undefined;
  for (const key in wire) {
    // The field with the name of the block's type (`text` in a text block) contains the data, which is already decoded.
    if (key === "type" || key === type || decodeCacheBreakpoint(part, wire, key, context)) continue;
    rest = collectField(rest, wire, key);
  }
  storeResidue(part, context.dialect, rest);
  return part;
}

function decodeKnownBlock(type: string, wire: JsonObject, state: ChatDecodeState): Part | undefined {
  const value = Object.hasOwn(wire, type) ? wire[type] : undefined;
  switch (type) {
    case "text":
      return typeof value === "string" ? { type, text: value } : undefined;
    case "refusal":
      return typeof value === "string" ? withSourceField({ type, text: value }, "content", state) : undefined;
    case "thinking": {
      const text = readThinkingText(value);
      return text === undefined ? undefined : withSourceField({ type: "reasoning", text }, type, state);
    }
    default:
      return decodeMedia(type, wire, state);
  }
}

/** Returns the text of Mistral's thinking, a list with one text block; undefined for any other value. */
export function readThinkingText(value: JsonValue | undefined): string | undefined {
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const [only] = value;
  if (!isObject(only) || only["type"] !== "text" || Object.keys(only).length !== 2) return undefined;
  return typeof only["text"] === "string" ? only["text"] : undefined;
}

function withSourceField<P extends Part>(part: P, field: string, { context }: ChatDecodeState): P {
  storeForm(part, context.dialect, "in", field);
  return part;
}

const SUPPORTED_TEXT = supportedFields("text");
const SUPPORTED_ASSISTANT_TEXT = supportedFields("text", "annotations", "logprobs");

/**
 * Encodes a text as a block. With `isAssistant`, annotations and log probabilities are not reported as losses, because
 * the caller encodes them beside the content.
 */
export function encodeText(part: TextPart, state: ChatEncodeState, isAssistant = false): JsonObject {
  const wire: JsonObject = { type: "text", text: part.text } satisfies ChatText;
  if (readFormValue(part, "type", state) === "none") delete wire["type"];
  return isBareText(part)
    ? wire
    : finishPart(wire, part, isAssistant ? SUPPORTED_ASSISTANT_TEXT : SUPPORTED_TEXT, state);
}

/** Encodes a part as a content block. Returns undefined and reports a loss if Chat has no block for the part. */
export function encodeBlock(part: Part, state: ChatEncodeState): JsonObject | undefined {
  if (isMediaPart(part)) return encodeMedia(part, state);
  switch (part.type) {
    case "text":
      return encodeText(part, state);
    case "refusal":
      if (readSourceField(part, state) === "content") return encodeRefusal(part, state);
      break;
    case "reasoning":
      if (readSourceField(part, state) === "thinking") return encodeThinking(part, state);
      state.context.report.addLoss("reasoning-unsupported");
      return undefined;
    case "opaque":
      return encodeOpaque(part, state);
    default:
  }
  state.context.report.addLoss("part-unsupported");
  return undefined;
}

function encodeRefusal(part: RefusalPart, state: ChatEncodeState): JsonObject {
  return finishPart({ type: "refusal", refusal: part.text } satisfies ChatRefusal, part, SUPPORTED_TEXT, state);
}

export function encodeThinking(part: ReasoningPart, state: ChatEncodeState): JsonObject {
  const thinking = [{ type: "text", text: part.text }];
  return finishPart({ type: "thinking", thinking }, part, SUPPORTED_TEXT, state);
}

const SUPPORTED_OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "value", "extra", "issuer"]);

/**
 * Returns the value of an opaque part unchanged and reports its other fields. Returns undefined if the target cannot
 * receive it.
 */
function encodeOpaque(part: OpaquePart, { context, dialect }: ChatEncodeState): JsonObject | undefined {
  const { value } = part;
  if (!canSendOpaque(part, context)) return undefined;
  if (!isObject(value)) {
    context.report.addLoss("part-unsupported");
    return undefined;
  }
  reportUnsupportedFields(part, SUPPORTED_OPAQUE, context, "field-unsupported");
  // In a bare list of messages (outside a request), nothing names the provider, so the issuer is lost.
  if (part.issuer !== undefined && context.pathTracker.isInList) context.report.addLoss("metadata-dropped", "issuer");
  reportNotPortableResidue(part, context);
  for (const key in part.extra?.[dialect]) {
    if (key !== "$form") context.report.addLoss("field-unsupported", ["extra", dialect, key]);
  }
  return value;
}

/** True for a text block that has no fields other than `type` and `text`. */
export function isBareTextBlock(block: JsonObject): boolean {
  if (typeof block["text"] !== "string" || block["type"] !== "text") return false;
  for (const key in block) if (key !== "type" && key !== "text") return false;
  return true;
}

/**
 * True if the decoded content was a list although a string would have been equivalent. The encoder then writes a list
 * again.
 */
export function wasContentList(message: Message, state: ChatEncodeState): boolean {
  return readFormValue(message, "content", state) === "list";
}
