// Decodes each Anthropic content block into a part. A block that has an unknown type, or lacks a required field,
// becomes an opaque part (B43).
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part, ReasoningPart, TextPart } from "../../../model/parts.ts";
import { decodeObjectList } from "../../kit/fields/decode-list.ts";
import type { DecodeContext, Renames } from "../../dialect.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { addSeal } from "../../kit/seals/seals.ts";
import { ToolCallIds } from "../../kit/tools/tool-call-ids.ts";
import { PROVIDER_CALLS, PROVIDER_RESULTS } from "../terms.ts";
import { storeRest } from "./cache-control.ts";
import { decodeCitations } from "./citations.ts";
import { decodeDocument, decodeImage, decodeSearchResult } from "./decode-media.ts";
import type { AnthropicDecodeState } from "./decode-state.ts";
import { decodeProviderResult, decodeToolResult, decodeToolUse } from "./decode-tool-blocks.ts";

/** Creates the state for decoding messages. `seed` makes the generated call ids of different answers distinct. */
export function createDecodeState(context: DecodeContext, seed?: string, names?: Renames): AnthropicDecodeState {
  return { context, calls: new ToolCallIds(context.dialect, seed), names, decodeBlocks };
}

/** Decodes the blocks in the field `key` of the current wire object. */
export function decodeBlocks(list: readonly JsonValue[], key: string, state: AnthropicDecodeState): Part[] {
  return decodeObjectList(list, key, state, decodeBlock);
}

export function decodeBlock(block: JsonObject, state: AnthropicDecodeState): Part {
  return decodeKnownBlock(block, state) ?? toOpaquePart(block, state.context);
}

function decodeKnownBlock(block: JsonObject, state: AnthropicDecodeState): Part | undefined {
  const { type } = block;
  switch (type) {
    case "text":
      return decodeText(block, state.context);
    case "thinking":
      return decodeThinking(block, state.context);
    case "redacted_thinking":
      return decodeRedactedThinking(block, state.context);
    case "tool_use":
      return decodeToolUse(block, state);
    case "tool_result":
      return decodeToolResult(block, state);
    case "image":
      return decodeImage(block, state);
    case "document":
      return decodeDocument(block, state);
    case "search_result":
      return decodeSearchResult(block, state);
    default:
      if (PROVIDER_CALLS.has(type)) return decodeToolUse(block, state);
      return PROVIDER_RESULTS.has(type) ? decodeProviderResult(block, state) : undefined;
  }
}

function decodeText(block: JsonObject, context: DecodeContext): TextPart | undefined {
  const { text } = block;
  if (typeof text !== "string") return undefined;
  const part: TextPart = { type: "text", text };
  for (const key in block) {
    if (key === "type" || key === "text") continue;
    const isCited = decodeCitations(block["citations"], part, context);
    return storeRest(part, block, context, "type", "text", isCited && "citations");
  }
  return part;
}

/**
 * Decodes thinking, with its signature as a seal. The form marks unsigned thinking, which is not sent to a model again
 * (B6).
 */
function decodeThinking(block: JsonObject, context: DecodeContext): ReasoningPart | undefined {
  const { thinking, signature } = block;
  if (typeof thinking !== "string") return undefined;
  const part: ReasoningPart = { type: "reasoning", text: thinking };
  const isSigned = typeof signature === "string" && signature !== "";
  if (isSigned) addSeal(part, "signature", signature, context);
  else storeForm(part, context.dialect, "signature", "none");
  return storeRest(part, block, context, "type", "thinking", isSigned && "signature");
}

function decodeRedactedThinking(block: JsonObject, context: DecodeContext): ReasoningPart | undefined {
  const { data } = block;
  if (typeof data !== "string") return undefined;
  const part: ReasoningPart = { type: "reasoning", text: "" };
  addSeal(part, "redacted", data, context);
  return storeRest(part, block, context, "type", "data");
}
