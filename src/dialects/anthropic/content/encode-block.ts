// Encodes parts as Anthropic content blocks. A part that no block type can express is dropped and reported.
import type { JsonObject } from "../../../model/json/index.ts";
import type { OpaquePart, Part, ReasoningPart, RefusalPart, TextPart } from "../../../model/parts.ts";
import { createPartEncoder, readOpaqueBlock } from "../../blocks/encode-state.ts";
import { hasOnlyText } from "../../blocks/fields.ts";
import type { ReasoningBlocks } from "../../blocks/reasoning.ts";
import { encodeReasoningPart } from "../../blocks/reasoning.ts";
import type { EncodeContext } from "../../dialect.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import type { RenameTable } from "../../kit/tools/tool-renames.ts";
import type { AnthropicLoss } from "../losses.ts";
import type { TextBlock } from "../types.ts";
import { encodeCitations } from "./citations.ts";
import { encodeMedia } from "./encode-media.ts";
import type { AnthropicBlockPosition, AnthropicEncodeState } from "./encode-state.ts";
import { closeBlock, countCacheControl } from "./encode-state.ts";
import { encodeToolCall, encodeToolResult } from "./encode-tool-blocks.ts";

/** Creates the state for encoding messages. `names` is omitted for a response, in which nothing is renamed. */
export function createEncodeState(context: EncodeContext<AnthropicLoss>, names?: RenameTable): AnthropicEncodeState {
  return { context, names, calledTools: new Map(), encodeParts, cacheCount: 0 };
}

function encodeParts(
  parts: readonly Part[],
  key: string,
  position: AnthropicBlockPosition,
  state: AnthropicEncodeState,
): JsonObject[] {
  const blocks = state.context.pathTracker.each(key, parts, (part) => encodePart(part, position, state));
  return blocks.filter((block) => block !== undefined);
}

/** Encodes a part as a block; returns undefined if the part is dropped. The path tracker must be at the part. */
export const encodePart = createPartEncoder<AnthropicEncodeState, AnthropicBlockPosition>({
  text: (part, _position, state) => encodeText(part, state),
  reasoning: (part, state) => encodeReasoningPart(part, state, REASONING_BLOCKS),
  call: encodeToolCall,
  result: encodeToolResult,
  media: encodeMedia,
  opaque: encodeOpaque,
});

/** Encodes a part and appends its block to `blocks`. */
export function addPart(
  part: Part,
  position: AnthropicBlockPosition,
  state: AnthropicEncodeState,
  blocks: JsonObject[],
): void {
  const block = encodePart(part, position, state);
  if (block !== undefined) blocks.push(block);
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "annotations", "extra", "cache", "seals"]);

function encodeText(part: TextPart | RefusalPart, state: AnthropicEncodeState): TextBlock {
  const wire: TextBlock = { type: "text", text: part.text };
  if (state.isForeignAnswer === true) wire.citations = null;
  if (part.type === "refusal") state.context.report.addLoss("refusal-as-text", "type");
  else if (hasOnlyText(part)) return wire;
  else {
    const citations = encodeCitations(part, state);
    if (citations !== undefined) wire.citations = citations;
  }
  reportUnsentSeals(part, state.context);
  return closeBlock(wire, part, TEXT_FIELDS, state);
}

const REASONING_FIELDS: ReadonlySet<string> = new Set(["type", "text", "extra", "seals"]);
/**
 * The fields of a reasoning part that are sent if repairs are off. `cache` is included only here, because Anthropic
 * rejects a cache breakpoint on thinking.
 */
const UNREPAIRED_REASONING_FIELDS: ReadonlySet<string> = new Set([...REASONING_FIELDS, "cache"]);
const SUMMARY_FIELDS: ReadonlySet<string> = new Set([...REASONING_FIELDS, "summary"]);

const REASONING_BLOCKS: ReasoningBlocks<AnthropicEncodeState> = {
  signed: (thinking, signature) => ({ type: "thinking", thinking, signature }),
  redacted: (data) => ({ type: "redacted_thinking", data }),
  unsigned: (thinking) => ({ type: "thinking", thinking }),
  foreign: (thinking) => ({ type: "thinking", thinking, signature: "" }),
  acceptsUnsigned: () => false,
  close: closeReasoning,
};

function closeReasoning(
  block: JsonObject,
  part: ReasoningPart,
  state: AnthropicEncodeState,
  isForeign: boolean,
  hasSummary: boolean,
): JsonObject {
  const fields = isForeign || state.context.repair ? REASONING_FIELDS : UNREPAIRED_REASONING_FIELDS;
  return closeBlock(block, part, hasSummary ? SUMMARY_FIELDS : fields, state);
}

const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "issuer", "value", "extra", "seals"]);

/** Returns the block of an opaque part verbatim; reports the part's other fields as lost. */
function encodeOpaque(part: OpaquePart, state: AnthropicEncodeState): JsonObject | undefined {
  const { context } = state;
  const block = readOpaqueBlock(part, context);
  if (block === undefined) return undefined;
  countCacheControl(block["cache_control"], state);
  const hasResidue = Object.values(part.extra ?? {}).some((residue) => Object.keys(residue).length > 0);
  if (hasResidue) context.report.addLoss("field-unsupported", "extra");
  reportUnsentSeals(part, context);
  // The block need not be copied, because closeBlock does not change it: the passed part has no residue, and
  // OPAQUE_FIELDS has no `cache`.
  return closeBlock(block, { ...part, extra: {} }, OPAQUE_FIELDS, state);
}
