// Blocks of content: text, media, refusals, thinking. A block of another type, or one that lacks what it needs, is
// opaque.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import { isOpaqueFor, opaquePart } from "../kit/opaque.ts";
import { isBare } from "../kit/openai-reading.ts";
import { isObject, readObject } from "../kit/read.ts";
import { storeResidue, storeForm, reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue.ts";
import { readCache } from "./cache.ts";
import { carrying, finishPart } from "./finish-part.ts";
import { decodeMedia, encodeMedia } from "./media.ts";
import type { Reading } from "./reading.ts";
import { keep } from "./reading.ts";
import type { ChatRefusal, ChatText } from "./types.ts";
import type { Writing } from "./writing.ts";
import { placeOf, spelling } from "./writing.ts";

/** The parts of a list of blocks. */
export function decodeBlocks(list: readonly JsonValue[], reading: Reading): Part[] {
  const { context } = reading;
  const parts: Part[] = [];
  context.pathTracker.enter("content");
  for (let at = 0; at < list.length; at++) {
    context.pathTracker.enter(at);
    parts.push(decodeBlock(readObject(list[at], context), reading));
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
  return parts;
}

export function decodeBlock(wire: JsonObject, reading: Reading): Part {
  const { context } = reading;
  // Some say `{ text }` and leave the type to the reader.
  const isUntyped = wire["type"] === undefined && typeof wire["text"] === "string";
  const type = isUntyped ? "text" : wire["type"];
  const part = typeof type === "string" ? decodeKnown(type, wire, reading) : undefined;
  if (isUntyped && part !== undefined) storeForm(part, context.dialect, "type", "none");
  if (part === undefined) return opaquePart(wire, context);
  let rest: JsonObject | undefined;
  for (const key in wire) {
    // The data of every block stands under the name of its type.
    if (key === "type" || key === type || readCache(part, wire, key, context)) continue;
    rest = keep(rest, wire, key);
  }
  storeResidue(part, context.dialect, rest);
  return part;
}

function decodeKnown(type: string, wire: JsonObject, reading: Reading): Part | undefined {
  const value = Object.hasOwn(wire, type) ? wire[type] : undefined;
  switch (type) {
    case "text":
      return typeof value === "string" ? { type, text: value } : undefined;
    case "refusal":
      return typeof value === "string" ? placed({ type, text: value }, "content", reading) : undefined;
    case "thinking": {
      const text = thinkingOf(value);
      return text === undefined ? undefined : placed({ type: "reasoning", text }, type, reading);
    }
    default:
      return decodeMedia(type, wire, reading);
  }
}

/** Mistral's thinking is a list of blocks; one text is what there is in practice, anything else stays opaque. */
export function thinkingOf(value: JsonValue | undefined): string | undefined {
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const [only] = value;
  if (!isObject(only) || only["type"] !== "text" || Object.keys(only).length !== 2) return undefined;
  return typeof only["text"] === "string" ? only["text"] : undefined;
}

function placed<P extends Part>(part: P, place: string, { context }: Reading): P {
  storeForm(part, context.dialect, "in", place);
  return part;
}

const TEXT = carrying("text");
const SAID_TEXT = carrying("text", "annotations", "logprobs");

/**
 * A text as a block. Annotations and log probabilities have their place beside the content; `isSaid` tells that their
 * writer has seen to them.
 */
export function encodeText(part: TextPart, writing: Writing, isSaid = false): JsonObject {
  const wire: JsonObject = { type: "text", text: part.text } satisfies ChatText;
  if (spelling(part, "type", writing) === "none") delete wire["type"];
  return isBare(part) ? wire : finishPart(wire, part, isSaid ? SAID_TEXT : TEXT, writing);
}

/** A part as a block of content; undefined where it cannot be said, which is reported. */
export function encodeBlock(part: Part, writing: Writing): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return encodeText(part, writing);
    case "image":
    case "audio":
    case "video":
    case "file":
      return encodeMedia(part, writing);
    case "refusal":
      if (placeOf(part, writing) === "content") return encodeRefusal(part, writing);
      break;
    case "reasoning":
      if (placeOf(part, writing) === "thinking") return encodeThinking(part, writing);
      writing.context.report.addLoss("reasoning-unsaid");
      return undefined;
    case "opaque":
      return encodeOpaque(part, writing);
    default:
  }
  writing.context.report.addLoss("part-unsayable");
  return undefined;
}

function encodeRefusal(part: RefusalPart, writing: Writing): JsonObject {
  return finishPart({ type: "refusal", refusal: part.text } satisfies ChatRefusal, part, TEXT, writing);
}

export function encodeThinking(part: ReasoningPart, writing: Writing): JsonObject {
  const thinking = [{ type: "text", text: part.text }];
  return finishPart({ type: "thinking", thinking }, part, TEXT, writing);
}

const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "value", "extra", "issuer"]);

/** A verbatim block has room for nothing beside itself. */
function encodeOpaque(part: OpaquePart, { context, dialect }: Writing): JsonObject | undefined {
  const { value } = part;
  if (!isOpaqueFor(part, context)) return undefined;
  if (!isObject(value)) {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  reportUnsupportedFields(part, OPAQUE, context, "field-unsaid");
  // A bare list of messages may go anywhere, and does not name the issuer.
  if (part.issuer !== undefined && context.pathTracker.isInList) context.report.addLoss("bookkeeping", "issuer");
  reportNotPortableResidue(part, context);
  for (const key in part.extra?.[dialect]) {
    if (key !== "$form") context.report.addLoss("field-unsaid", ["extra", dialect, key]);
  }
  return value;
}

/** Whether a block says nothing but its text. */
export function isBareBlock(block: JsonObject): boolean {
  if (typeof block["text"] !== "string" || block["type"] !== "text") return false;
  for (const key in block) if (key !== "type" && key !== "text") return false;
  return true;
}

/** Whether content was a list where a string was possible. */
export function wasList(message: Message, writing: Writing): boolean {
  return spelling(message, "content", writing) === "list";
}
