// Decodes Bedrock content blocks, each as one part; the only key of a block is its type. A block of an unknown type, or
// without a required field, becomes an opaque part (B43). A cache point becomes `cache` of the part before it.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part, ReasoningPart, TextPart } from "../../../model/parts.ts";
import { decodeObjectList } from "../../kit/fields/decode-list.ts";
import type { DecodeContext, Renames } from "../../dialect.ts";
import { isObject, readObject } from "../../kit/fields/read-wire.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { addSeal } from "../../kit/seals/seals.ts";
import { ToolCallIds } from "../../kit/tools/tool-call-ids.ts";
import { decodeBytes } from "./bytes.ts";
import { readCachePoint, storeRest } from "./cache-point.ts";
import { decodeCitationsContent } from "./citations.ts";
import { decodeMedia, decodeSearchResult } from "./decode-media.ts";
import type { BedrockDecodeState } from "./decode-state.ts";
import { decodeToolResult, decodeToolUse } from "./decode-tool-blocks.ts";

/** Creates the state of a decoding pass; `usedCallIds` are the call ids of earlier answers of the same stream. */
export function createDecodeState(
  context: DecodeContext,
  names?: Renames,
  usedCallIds?: ReadonlySet<string>,
): BedrockDecodeState {
  return {
    context,
    calls: new ToolCallIds(context.dialect, "", usedCallIds),
    providerCallIds: new Set(),
    names,
    decodeBlocks,
    decodeBlock,
  };
}

/** Decodes the blocks in the field `key` of the current wire object. */
export function decodeBlocks(list: readonly JsonValue[], key: string, state: BedrockDecodeState): Part[] {
  return decodeObjectList(list, key, state, decodeBlock);
}

/** Decodes a list of blocks and cache points; a cache point becomes `cache` of the part before it. */
export function decodeBlocksWithCachePoints(
  list: readonly JsonValue[],
  key: string,
  state: BedrockDecodeState,
): Part[] {
  const parts: Part[] = [];
  const { context } = state;
  context.pathTracker.enter(key);
  for (let index = 0; index < list.length; index++) {
    context.pathTracker.enter(index);
    const block = readObject(list[index], context);
    const last = parts[parts.length - 1];
    const canCache = block["cachePoint"] !== undefined && last !== undefined && last.cache === undefined;
    const cache = canCache ? readCachePoint(block) : undefined;
    if (cache === undefined || last === undefined) parts.push(decodeBlock(block, state));
    else last.cache = cache;
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
  return parts;
}

function decodeBlock(block: JsonObject, state: BedrockDecodeState): Part {
  const { context } = state;
  const { text } = block;
  if (typeof text === "string") {
    const part: TextPart = { type: "text", text };
    for (const key in block) if (key !== "text") return storeRest(part, block, context.dialect, [], "text");
    return part;
  }
  for (const key in block) {
    const inner = block[key];
    if (!isObject(inner)) continue;
    const part = decodeKnownBlock(key, inner, state);
    if (part !== undefined) return storeRest(part, block, context.dialect, [], key);
  }
  return toOpaquePart(block, context);
}

/** Decodes the value `inner` of a block's key; undefined if the key is unknown or the value is malformed. */
function decodeKnownBlock(key: string, inner: JsonObject, state: BedrockDecodeState): Part | undefined {
  switch (key) {
    case "toolUse":
      return decodeToolUse(inner, state);
    case "toolResult":
      return decodeToolResult(inner, state);
    case "reasoningContent":
      return decodeReasoning(inner, state.context);
    case "image":
    case "document":
    case "video":
    case "audio":
      return decodeMedia(key, inner, [key], state);
    case "searchResult":
      return decodeSearchResult(inner, state);
    case "citationsContent":
      return decodeCitationsContent(inner, state.context);
    case "guardContent":
      return decodeGuardContent(inner, state);
    default:
      return undefined;
  }
}

/**
 * Decodes reasoning; its signature becomes a seal. A missing signature is stored as a form, because models that do not
 * sign accept unsigned reasoning. Undefined if the block has neither text nor redacted content.
 */
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
    storeRest(part, reasoningText, dialect, ["reasoningContent", "reasoningText"], "text", isSigned && "signature");
    return storeRest(part, inner, dialect, ["reasoningContent"], "reasoningText");
  }
  const redacted = decodeBytes(redactedContent);
  if (redacted === undefined || redacted.data === "") return undefined;
  const part: ReasoningPart = { type: "reasoning", text: "" };
  addSeal(part, "redacted", redacted.data, context);
  if (redacted.form !== undefined) storeForm(part, dialect, "bytes", redacted.form);
  return storeRest(part, inner, dialect, ["reasoningContent"], "redactedContent");
}

/** Decodes text or an image that a guardrail is to check as a plain part with the form `guardContent`. */
function decodeGuardContent(inner: JsonObject, state: BedrockDecodeState): Part | undefined {
  const { dialect } = state.context;
  const { text, image } = inner;
  let part: Part | undefined;
  if (isObject(text)) {
    if (typeof text["text"] !== "string") return undefined;
    const textPart: TextPart = { type: "text", text: text["text"] };
    part = storeRest(textPart, text, dialect, ["guardContent", "text"], "text");
  } else if (isObject(image)) part = decodeMedia("image", image, ["guardContent", "image"], state);
  if (part === undefined) return undefined;
  storeForm(part, dialect, "type", "guardContent");
  return storeRest(part, inner, dialect, ["guardContent"], isObject(text) ? "text" : "image");
}
