// What users, systems and tools say: texts, images, files and audio, in blocks.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { OpaquePart, Part, RefusalPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isOpaqueFor, opaquePart } from "../kit/opaque.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { isObject, readObject } from "../kit/read.ts";
import { storeForm, restoreResidue } from "../kit/residue.ts";
import { decodeAudio, decodeMedia, encodeMedia } from "./media.ts";
import type { InputText } from "./types.ts";
import type { Writing } from "./writing.ts";
import { carrying, reportPart, spelled } from "./writing.ts";

const BREAKPOINT = "prompt_cache_breakpoint";

/** The blocks of a list, each a part. The trail stands at the list. */
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
  return decodeKnown(block, context) ?? opaquePart(block, context);
}

function decodeKnown(block: JsonObject, context: DecodeContext): Part | undefined {
  const { type, text, [BREAKPOINT]: breakpoint } = block;
  const isBreakpoint = isObject(breakpoint) && breakpoint["mode"] === "explicit";
  // What is read as a breakpoint is no residue.
  const said = isBreakpoint ? { ...block } : block;
  if (isBreakpoint) delete said[BREAKPOINT];
  let part: Part | undefined;
  if (type === "input_text" && typeof text === "string") {
    part = { type: "text", text };
    for (const key in said) {
      if (key === "type" || key === "text") continue;
      keepOthers(part, said, ["type", "text"], context);
      break;
    }
  } else if (type === "input_image") part = decodeMedia(said, "image", context);
  else if (type === "input_file") part = decodeMedia(said, "file", context);
  else if (type === "input_audio") part = decodeAudio(said, context);
  if (part !== undefined && isBreakpoint) {
    part.cache = {};
    storeForm(part, context.dialect, "cache", "explicit");
    keepOthers(part, breakpoint, ["mode"], context, BREAKPOINT);
  }
  return part;
}

const TEXT = carrying("text", "cache");

/** A block; undefined where the part was left out. */
export function encodeBlock(part: Part, writing: Writing): JsonObject | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return finishBlock(encodeText(part, writing), part, writing);
    case "image":
    case "audio":
    case "video":
    case "file":
      return finishBlock(encodeMedia(part, writing), part, writing);
    default:
      return encodeOther(part, writing);
  }
}

function encodeText(part: TextPart | RefusalPart, writing: Writing): JsonObject {
  if (part.type === "refusal") writing.context.report.addLoss("refusal-as-text");
  reportPart(part, TEXT, writing);
  return { type: "input_text", text: part.text } satisfies InputText;
}

/** What is no content; only a block of this dialect's own can stand there. */
function encodeOther(part: Part, writing: Writing): JsonObject | undefined {
  if (part.type === "opaque") return encodeOpaque(part, writing);
  writing.context.report.addLoss(part.type === "reasoning" ? "reasoning-unsaid" : "part-unsayable");
  return undefined;
}

/** A breakpoint that was one here stays one; others are no promise that this model takes any. */
function finishBlock(block: JsonObject | undefined, part: Part, { context }: Writing): JsonObject | undefined {
  if (block === undefined) return undefined;
  const { cache } = part;
  if (cache !== undefined) {
    const isOwn = spelled(part, context)["cache"] === "explicit";
    if (isOwn) block[BREAKPOINT] = { mode: "explicit" };
    if (!isOwn) context.report.addLoss("bookkeeping", "cache");
    else if (cache.ttl !== undefined) context.report.addLoss("field-unsaid", ["cache", "ttl"]);
  }
  if (part.extra !== undefined) restoreResidue(block, part, context, BREAKPOINT, "input_audio");
  return block;
}

/** What was kept verbatim goes back verbatim, and has room for nothing beside it; `seal` goes out with its message. */
export function encodeOpaque(part: OpaquePart, writing: Writing, seal?: "id"): JsonObject | undefined {
  const { context } = writing;
  const { value } = part;
  if (!isOpaqueFor(part, context)) return undefined;
  if (!isObject(value)) {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  reportPart(part, OPAQUE, writing, seal);
  return value;
}

const OPAQUE = carrying("dialect", "value");
