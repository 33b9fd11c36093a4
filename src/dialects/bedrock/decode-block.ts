// Content blocks as they are read, one part each; the one key of a block says what it is. What the model has no word
// for, or what lacks what it needs, stays as it is (B43). A cache point is a word on the part before it.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, ReasoningPart, TextPart } from "../../model/parts.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { CallBook } from "../kit/calls.ts";
import { opaquePart } from "../kit/opaque.ts";
import { isObject, readObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { addSeal } from "../kit/seals.ts";
import { readBytes } from "./bytes.ts";
import { decodeCited } from "./citations.ts";
import { decodeMedia, decodeSearchResult } from "./decode-media.ts";
import { decodeCall, decodeResult } from "./decode-tools.ts";
import { keepRest, readCachePoint } from "./fields.ts";
import type { Reading } from "./reading.ts";

/** `taken` are the ids of calls in earlier answers of the same stream. */
export function startReading(context: DecodeContext, names?: Renames, taken?: ReadonlySet<string>): Reading {
  return {
    context,
    calls: new CallBook(context.dialect, "", taken),
    served: new Set(),
    names,
    blocks: decodeBlocks,
    block: decodeBlock,
  };
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

/** The same where cache points may stand between the blocks. */
export function decodeCachedBlocks(list: readonly JsonValue[], key: string, reading: Reading): Part[] {
  const parts: Part[] = [];
  const { context } = reading;
  context.pathTracker.enter(key);
  for (let index = 0; index < list.length; index++) {
    context.pathTracker.enter(index);
    const block = readObject(list[index], context);
    const last = parts[parts.length - 1];
    const isPoint = block["cachePoint"] !== undefined && last !== undefined && last.cache === undefined;
    const cache = isPoint ? readCachePoint(block) : undefined;
    if (cache === undefined || last === undefined) parts.push(decodeBlock(block, reading));
    else last.cache = cache;
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
  return parts;
}

function decodeBlock(block: JsonObject, reading: Reading): Part {
  const { context } = reading;
  const { text } = block;
  if (typeof text === "string") {
    const part: TextPart = { type: "text", text };
    for (const key in block) if (key !== "text") return keepRest(part, block, context.dialect, [], "text");
    return part;
  }
  for (const key in block) {
    const inner = block[key];
    if (!isObject(inner)) continue;
    const part = decodeKnown(key, inner, reading);
    if (part !== undefined) return keepRest(part, block, context.dialect, [], key);
  }
  return opaquePart(block, context);
}

function decodeKnown(key: string, inner: JsonObject, reading: Reading): Part | undefined {
  switch (key) {
    case "toolUse":
      return decodeCall(inner, reading);
    case "toolResult":
      return decodeResult(inner, reading);
    case "reasoningContent":
      return decodeReasoning(inner, reading.context);
    case "image":
    case "document":
    case "video":
    case "audio":
      return decodeMedia(key, inner, [key], reading);
    case "searchResult":
      return decodeSearchResult(inner, reading);
    case "citationsContent":
      return decodeCited(inner, reading.context);
    case "guardContent":
      return decodeGuarded(inner, reading);
    default:
      return undefined;
  }
}

/** Reasoning is sealed by its signature. Without one it can be read, and goes back to models that do not sign. */
function decodeReasoning(inner: JsonObject, context: DecodeContext): ReasoningPart | undefined {
  const { dialect } = context;
  const { reasoningText, redactedContent } = inner;
  if (isObject(reasoningText)) {
    const { text, signature } = reasoningText;
    if (typeof text !== "string") return undefined;
    const part: ReasoningPart = { type: "reasoning", text };
    const isSigned = typeof signature === "string" && signature !== "";
    if (isSigned) addSeal(part, "signature", signature, context);
    else storeForm(part, dialect, "signature", "none");
    keepRest(part, reasoningText, dialect, ["reasoningContent", "reasoningText"], "text", isSigned && "signature");
    return keepRest(part, inner, dialect, ["reasoningContent"], "reasoningText");
  }
  const redacted = readBytes(redactedContent);
  if (redacted === undefined || redacted.data === "") return undefined;
  const part: ReasoningPart = { type: "reasoning", text: "" };
  addSeal(part, "redacted", redacted.data, context);
  if (redacted.form !== undefined) storeForm(part, dialect, "bytes", redacted.form);
  return keepRest(part, inner, dialect, ["reasoningContent"], "redactedContent");
}

/** What a guardrail looks at is said like everything else; that it does so is noted. */
function decodeGuarded(inner: JsonObject, reading: Reading): Part | undefined {
  const { dialect } = reading.context;
  const { text, image } = inner;
  let part: Part | undefined;
  if (isObject(text)) {
    if (typeof text["text"] !== "string") return undefined;
    const said: TextPart = { type: "text", text: text["text"] };
    part = keepRest(said, text, dialect, ["guardContent", "text"], "text");
  } else if (isObject(image)) part = decodeMedia("image", image, ["guardContent", "image"], reading);
  if (part === undefined) return undefined;
  storeForm(part, dialect, "type", "guardContent");
  return keepRest(part, inner, dialect, ["guardContent"], isObject(text) ? "text" : "image");
}
