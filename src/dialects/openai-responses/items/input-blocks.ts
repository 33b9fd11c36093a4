// Decodes and encodes the content blocks of user, system, developer and tool messages: texts, images, files and audio.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { isMediaPart } from "../../../model/media-part.ts";
import type { OpaquePart, Part, RefusalPart, TextPart } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { canSendOpaque, toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { isObject, readObject } from "../../kit/fields/read-wire.ts";
import { storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { decodeAudio, decodeMedia, encodeMedia } from "./media.ts";
import type { InputText } from "../types.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";
import { supportedFields, reportPart, readOwnForm } from "../encode-state.ts";

const BREAKPOINT_FIELD = "prompt_cache_breakpoint";

/** Decodes a list of blocks. The path tracker must be at the list. */
export function decodeBlocks(list: readonly JsonValue[], context: DecodeContext): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < list.length; at++) {
    context.pathTracker.enter(at);
    parts.push(decodeBlock(readObject(list[at], context), context));
    context.pathTracker.leave();
  }
  return parts;
}

function decodeBlock(block: JsonObject, context: DecodeContext): Part {
  return decodeKnownBlock(block, context) ?? toOpaquePart(block, context);
}

function decodeKnownBlock(block: JsonObject, context: DecodeContext): Part | undefined {
  const { type, text, [BREAKPOINT_FIELD]: breakpoint } = block;
  const isBreakpoint = isObject(breakpoint) && breakpoint["mode"] === "explicit";
  // The block is copied without its cache breakpoint, so that the decoded breakpoint does not also become residue.
  const fields = isBreakpoint ? { ...block } : block;
  if (isBreakpoint) delete fields[BREAKPOINT_FIELD];
  let part: Part | undefined;
  if (type === "input_text" && typeof text === "string") {
    part = { type: "text", text };
    for (const key in fields) {
      if (key === "type" || key === "text") continue;
      storeUnknownFields(part, fields, ["type", "text"], context);
      break;
    }
  } else if (type === "input_image") part = decodeMedia(fields, "image", context);
  else if (type === "input_file") part = decodeMedia(fields, "file", context);
  else if (type === "input_audio") part = decodeAudio(fields, context);
  if (part !== undefined && isBreakpoint) {
    part.cache = {};
    storeForm(part, context.dialect, "cache", "explicit");
    storeUnknownFields(part, breakpoint, ["mode"], context, BREAKPOINT_FIELD);
  }
  return part;
}

const SUPPORTED_TEXT = supportedFields("text", "cache");

/** Encodes a part as an input block. Returns undefined and reports a loss if the part is dropped. */
export function encodeBlock(part: Part, state: ResponsesEncodeState): JsonObject | undefined {
  if (isMediaPart(part)) return finishBlock(encodeMedia(part, state), part, state);
  switch (part.type) {
    case "text":
    case "refusal":
      return finishBlock(encodeText(part, state), part, state);
    default:
      return encodeOtherPart(part, state);
  }
}

function encodeText(part: TextPart | RefusalPart, state: ResponsesEncodeState): JsonObject {
  if (part.type === "refusal") state.context.report.addLoss("refusal-as-text");
  reportPart(part, SUPPORTED_TEXT, state);
  return { type: "input_text", text: part.text } satisfies InputText;
}

/**
 * Encodes a part that is neither text nor media. Only an opaque part of this dialect can be encoded; any other part is
 * dropped with a loss.
 */
function encodeOtherPart(part: Part, state: ResponsesEncodeState): JsonObject | undefined {
  if (part.type === "opaque") return encodeOpaque(part, state);
  state.context.report.addLoss(part.type === "reasoning" ? "reasoning-unsupported" : "part-unsupported");
  return undefined;
}

/**
 * Completes a block with its residue and cache breakpoint. A breakpoint that was not decoded from this dialect is
 * dropped, because some models reject breakpoints.
 */
function finishBlock(
  block: JsonObject | undefined,
  part: Part,
  { context }: ResponsesEncodeState,
): JsonObject | undefined {
  if (block === undefined) return undefined;
  const { cache } = part;
  if (cache !== undefined) {
    const isOwn = readOwnForm(part, context)["cache"] === "explicit";
    if (isOwn) block[BREAKPOINT_FIELD] = { mode: "explicit" };
    if (!isOwn) context.report.addLoss("metadata-dropped", "cache");
    else if (cache.ttl !== undefined) context.report.addLoss("field-unsupported", ["cache", "ttl"]);
  }
  if (part.extra !== undefined) restoreResidue(block, part, context, BREAKPOINT_FIELD, "input_audio");
  return block;
}

/**
 * Returns the value of an opaque part unchanged; undefined if it is dropped. `seal` is the kind of seal that its
 * message item contains.
 */
export function encodeOpaque(part: OpaquePart, state: ResponsesEncodeState, seal?: "id"): JsonObject | undefined {
  const { context } = state;
  const { value } = part;
  if (!canSendOpaque(part, context)) return undefined;
  if (!isObject(value)) {
    context.report.addLoss("part-unsupported");
    return undefined;
  }
  reportPart(part, SUPPORTED_OPAQUE, state, seal);
  return value;
}

const SUPPORTED_OPAQUE = supportedFields("dialect", "value");
