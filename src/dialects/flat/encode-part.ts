// Encodes one part into its field of a flat message.
import type { JsonValue } from "../../model/json/index.ts";
import type { OpaquePart, Part } from "../../model/parts.ts";
import type { FlatCalls } from "./tool-calls.ts";
import { encodeCall } from "./tool-calls.ts";
import { encodeContentItem, encodeText } from "./content-items.ts";
import type { FlatResidue } from "./residue.ts";
import { readFlatResidue } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { reportFlatFields, findSendableSeal } from "./report-part.ts";
import { encodeResult } from "./tool-results.ts";
import type { FlatSlot } from "./wire-names.ts";
import { FLAT, GEMINI, SLOTS, THINKING_BLOCKS } from "./wire-names.ts";
import type { EncodedFlatReasoning } from "./thinking.ts";
import { findClaudeSeal, encodeReasoning } from "./thinking.ts";

/** The encoded part and its field; for a result, the whole tool message. */
interface WrittenFlatPart extends EncodedFlatReasoning {
  slot: FlatSlot | "result";
}

/** An encoded part with the data that its message needs. */
export interface EncodedFlatPart extends WrittenFlatPart {
  /** The index of its field in `SLOTS`; -1 for a result. */
  rank: number;
  thoughtSignature: string | undefined;
  /** The form of a missing signature: an empty or absent list entry. */
  signatureForm: JsonValue | undefined;
}

/** The state of a message while its parts are encoded. */
export interface FlatMessageDraft {
  calls: FlatCalls;
  /** True if reasoning is also written as thinking blocks. */
  writesThinkingBlocks: boolean;
  /** The parts of each flat message: one result, or all parts between two results. */
  segments: EncodedFlatPart[][];
  /** The highest rank of the current segment so far. */
  lastRank: number;
}

/** Encodes the current part into the draft, or reports that the dialect does not support it. */
export function encodePart(part: Part, draft: FlatMessageDraft, context: FlatEncodeContext): void {
  const residue = readFlatResidue(part, context);
  const encoded = encodeInSlot(part, residue, draft, context);
  if (encoded === undefined) return;
  const thoughtSeal = findSendableSeal(part, GEMINI, "signature", context);
  const rank = SLOTS.findIndex((slot) => slot === encoded.slot);
  const encodedPart: EncodedFlatPart = {
    ...encoded,
    rank,
    thoughtSignature: thoughtSeal?.value,
    signatureForm: residue.takeForm("thought_signature"),
  };
  reportFlatFields(part, residue, context, [thoughtSeal, findClaudeSeal(part, context)]);
  const last = draft.segments.at(-1);
  if (last === undefined || rank < 0 || isResultSegment(last)) {
    draft.segments.push([encodedPart]);
    draft.lastRank = rank;
  } else {
    last.push(encodedPart);
    // Reported at `type`: a loss at the part itself would cover all its fields.
    if (rank < draft.lastRank) context.report.addLoss("parts-reordered", "type");
    else draft.lastRank = rank;
  }
}

export function isResultSegment([first]: readonly EncodedFlatPart[]): boolean {
  return first?.rank === -1;
}

function encodeInSlot(
  part: Part,
  residue: FlatResidue,
  draft: FlatMessageDraft,
  context: FlatEncodeContext,
): WrittenFlatPart | undefined {
  switch (part.type) {
    case "reasoning":
      return { slot: "reasoning", ...encodeReasoning(part, draft.writesThinkingBlocks, residue, context) };
    case "refusal":
      return { slot: "refusal", item: encodeText(part.text, residue) };
    case "tool-call":
    case "tool-result":
      if (part.executor === "provider") {
        context.report.addLoss("provider-tool-unsupported");
        return undefined;
      }
      return part.type === "tool-call"
        ? { slot: "tool_calls", item: encodeCall(part, residue, draft.calls, context) }
        : { slot: "result", item: encodeResult(part, residue, draft.calls, context) };
    case "opaque":
      return encodeOpaque(part, residue, draft.writesThinkingBlocks, context);
    default: {
      const item = encodeContentItem(part, residue, context);
      return item && { slot: "content", item };
    }
  }
}

function encodeOpaque(
  part: OpaquePart,
  residue: FlatResidue,
  withBlocks: boolean,
  context: FlatEncodeContext,
): WrittenFlatPart | undefined {
  const place = part.dialect === FLAT ? residue.takeForm("place") : undefined;
  const isBlock = place === THINKING_BLOCKS;
  // The decoder accepts signatures only if the thinking blocks match `reasoning`.
  if (isBlock !== withBlocks && (isBlock || place === "reasoning")) {
    context.report.addLoss("part-unsupported");
    return undefined;
  }
  // Values of the model are JSON.
  if (isBlock) return { slot: "reasoning", block: part.value as JsonValue };
  const item = encodeContentItem(part, residue, context);
  return item && { slot: SLOTS.find((each) => each === place) ?? "content", item };
}
