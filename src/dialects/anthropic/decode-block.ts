// Content blocks as they are read, one part each. What the model has no word for, or what lacks what it needs, stays as
// it is (B43).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, ReasoningPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { CallBook } from "../kit/calls.ts";
import { opaquePart } from "../kit/opaque.ts";
import { readObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { addSeal } from "../kit/seals.ts";
import { readCitations } from "./citations.ts";
import { decodeDocument, decodeImage, decodeSearchResult } from "./decode-media.ts";
import { decodeCall, decodeProviderResult, decodeResult } from "./decode-tools.ts";
import { keepRest } from "./fields.ts";
import type { Reading } from "./reading.ts";
import { PROVIDER_CALLS, PROVIDER_RESULTS } from "./terms.ts";

export function startReading(context: DecodeContext, seed?: string, names?: Renames): Reading {
  return { context, calls: new CallBook(context.dialect, seed), names, blocks: decodeBlocks };
}

/** The blocks in the field `key` of the value in hand. */
export function decodeBlocks(list: readonly JsonValue[], key: string, reading: Reading): Part[] {
  const { context } = reading;
  const parts: Part[] = [];
  context.pathTracker.enter(key);
  for (let index = 0; index < list.length; index++) {
    context.pathTracker.enter(index);
    parts.push(decodeBlock(readObject(list[index], context), reading));
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
  return parts;
}

export function decodeBlock(block: JsonObject, reading: Reading): Part {
  return decodeKnown(block, reading) ?? opaquePart(block, reading.context);
}

function decodeKnown(block: JsonObject, reading: Reading): Part | undefined {
  const { type } = block;
  switch (type) {
    case "text":
      return decodeText(block, reading.context);
    case "thinking":
      return decodeThinking(block, reading.context);
    case "redacted_thinking":
      return decodeRedacted(block, reading.context);
    case "tool_use":
      return decodeCall(block, reading);
    case "tool_result":
      return decodeResult(block, reading);
    case "image":
      return decodeImage(block, reading);
    case "document":
      return decodeDocument(block, reading);
    case "search_result":
      return decodeSearchResult(block, reading);
    default:
      if (PROVIDER_CALLS.has(type)) return decodeCall(block, reading);
      return PROVIDER_RESULTS.has(type) ? decodeProviderResult(block, reading) : undefined;
  }
}

function decodeText(block: JsonObject, context: DecodeContext): TextPart | undefined {
  const { text } = block;
  if (typeof text !== "string") return undefined;
  const part: TextPart = { type: "text", text };
  for (const key in block) {
    if (key === "type" || key === "text") continue;
    const hasCitations = readCitations(block["citations"], part, context);
    return keepRest(part, block, context, "type", "text", hasCitations && "citations");
  }
  return part;
}

/** Thinking is sealed by its signature. Without one it can be read, but goes back only where nothing is mended (B6). */
function decodeThinking(block: JsonObject, context: DecodeContext): ReasoningPart | undefined {
  const { thinking, signature } = block;
  if (typeof thinking !== "string") return undefined;
  const part: ReasoningPart = { type: "reasoning", text: thinking };
  const isSigned = typeof signature === "string" && signature !== "";
  if (isSigned) addSeal(part, "signature", signature, context);
  else storeForm(part, context.dialect, "signature", "none");
  return keepRest(part, block, context, "type", "thinking", isSigned && "signature");
}

function decodeRedacted(block: JsonObject, context: DecodeContext): ReasoningPart | undefined {
  const { data } = block;
  if (typeof data !== "string") return undefined;
  const part: ReasoningPart = { type: "reasoning", text: "" };
  addSeal(part, "redacted", data, context);
  return keepRest(part, block, context, "type", "data");
}
