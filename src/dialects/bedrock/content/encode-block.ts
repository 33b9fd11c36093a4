// Encodes parts as Bedrock content blocks. A part without a block is dropped and reported.
import type { JsonObject } from "../../../model/json/index.ts";
import type { OpaquePart, Part, RefusalPart, TextPart } from "../../../model/parts.ts";
import { createPartEncoder, readOpaqueBlock } from "../../blocks/encode-state.ts";
import { hasOnlyText } from "../../blocks/fields.ts";
import type { ReasoningBlocks } from "../../blocks/reasoning.ts";
import { encodeReasoningPart } from "../../blocks/reasoning.ts";
import type { EncodeContext } from "../../dialect.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import type { RenameTable } from "../../kit/tools/tool-renames.ts";
import type { BedrockLoss } from "../losses.ts";
import { encodeBytes } from "./bytes.ts";
import { CITATIONS_CONTENT, encodeCitations } from "./citations.ts";
import { encodeMedia } from "./encode-media.ts";
import type { BedrockBlockPosition, BedrockEncodeState } from "./encode-state.ts";
import { closeBlock, countCachePoint, encodeCachePoint } from "./encode-state.ts";
import { encodeToolCall, encodeToolResult } from "./encode-tool-blocks.ts";

/**
 * Creates the state of an encoding pass. Without `names` the pass encodes a response, in which no tool or call id is
 * renamed.
 */
export function createEncodeState(
  context: EncodeContext<BedrockLoss>,
  names?: RenameTable,
  signsReasoning = false,
): BedrockEncodeState {
  return { context, names, calls: new Map(), encodeParts, cacheCount: 0, generatedNames: 0, signsReasoning };
}

function encodeParts(
  parts: readonly Part[],
  key: string,
  position: BedrockBlockPosition,
  state: BedrockEncodeState,
): JsonObject[] {
  const blocks: JsonObject[] = [];
  state.context.pathTracker.each(key, parts, (part) => addPart(part, position, state, blocks));
  return blocks;
}

/** Encodes a part and appends its block and cache point to `blocks`; the path tracker is at the part. */
export function addPart(
  part: Part,
  position: BedrockBlockPosition,
  state: BedrockEncodeState,
  blocks: JsonObject[],
): void {
  const block = encodePart(part, position, state);
  if (block === undefined) return;
  blocks.push(block);
  if (part.cache === undefined) return;
  const cachePoint = encodeCachePoint(part, position, state);
  if (cachePoint !== undefined) blocks.push(cachePoint);
}

/**
 * Encodes a part as a block; undefined, with a loss, if Bedrock has no block for the part. The path tracker is at the
 * part.
 */
export const encodePart = createPartEncoder<BedrockEncodeState, BedrockBlockPosition>({
  text: encodeText,
  reasoning: (part, state) => encodeReasoningPart(part, state, REASONING_BLOCKS),
  call: encodeToolCall,
  result: encodeToolResult,
  media: encodeMedia,
  opaque: encodeOpaque,
});

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "annotations", "extra", "cache", "seals"]);
const BLANK = /^\s*$/;

function encodeText(
  part: TextPart | RefusalPart,
  position: BedrockBlockPosition,
  state: BedrockEncodeState,
): JsonObject | undefined {
  const { context } = state;
  const { text } = part;
  if (context.repair && (position === "result" || position === "document") && BLANK.test(text)) {
    context.report.addLoss("text-blank");
    return undefined;
  }
  if (part.type === "refusal") context.report.addLoss("refusal-as-text", "type");
  else if (hasOnlyText(part)) return { text };
  const form = part.extra === undefined ? {} : readForm(part, context.dialect);
  const citations = part.type === "text" ? encodeCitations(part, form, state) : undefined;
  reportUnsentSeals(part, context);
  const hasCitations = citations !== undefined || form["type"] === CITATIONS_CONTENT;
  let wire: JsonObject = { text };
  if (hasCitations) wire = { [CITATIONS_CONTENT]: { content: [{ text }], ...(citations && { citations }) } };
  else if (form["type"] === "guardContent") wire = { guardContent: { text: { text } } };
  return closeBlock(wire, part, TEXT_FIELDS, state);
}

const REASONING_FIELDS: ReadonlySet<string> = new Set(["type", "text", "extra", "cache", "seals"]);
const SUMMARY_FIELDS: ReadonlySet<string> = new Set([...REASONING_FIELDS, "summary"]);

const REASONING_BLOCKS: ReasoningBlocks<BedrockEncodeState> = {
  signed: (text, signature) => ({ reasoningContent: { reasoningText: { text, signature } } }),
  redacted: (data, form) => ({ reasoningContent: { redactedContent: encodeBytes(data, form["bytes"]) ?? data } }),
  unsigned: (text) => ({ reasoningContent: { reasoningText: { text } } }),
  foreign: (text) => ({ reasoningContent: { reasoningText: { text } } }),
  acceptsUnsigned: (state) => !state.signsReasoning,
  close: (block, part, state, _isForeign, hasSummary) =>
    closeBlock(block, part, hasSummary ? SUMMARY_FIELDS : REASONING_FIELDS, state),
};

const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "issuer", "value", "extra", "cache", "seals"]);

/**
 * Returns the block of an opaque part unchanged. Residue of an opaque part has no place in the block, so it is reported
 * as a loss.
 */
function encodeOpaque(part: OpaquePart, state: BedrockEncodeState): JsonObject | undefined {
  const { context } = state;
  const block = readOpaqueBlock(part, context);
  if (block === undefined) return undefined;
  countCachePoint(block, state);
  if (part.extra !== undefined) context.report.addLoss("field-unsupported", "extra");
  reportUnsentSeals(part, context);
  // `extra` is empty, so that `closeBlock` only reports losses: it must not add residue to the block, which belongs to
  // the caller.
  return closeBlock(block, { ...part, extra: {} }, OPAQUE_FIELDS, state);
}
