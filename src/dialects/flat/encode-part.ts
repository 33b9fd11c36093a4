// Encodes one part as an item of its field in a flat message.
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
import type { FlatPartField } from "./field-names.ts";
import { FLAT, GEMINI, PART_FIELDS, THINKING_BLOCKS } from "./field-names.ts";
import type { EncodedFlatReasoning } from "./thinking.ts";
import { findClaudeSeal, encodeReasoning } from "./thinking.ts";

/** An encoded part and the field that contains it; for a tool result, `item` is the whole tool message. */
interface WrittenFlatPart extends EncodedFlatReasoning {
  field: FlatPartField | "result";
}

/** An encoded part with the data that the encoder of its message needs: its position and its thought signature. */
export interface EncodedFlatPart extends WrittenFlatPart {
  /** The index of the part's field in `PART_FIELDS`; −1 for a tool result. */
  rank: number;
  thoughtSignature: string | undefined;
  /**
   * The stored form of a missing signature, that is, its spelling in `thought_signatures`: null, "" or "absent" (no
   * entry); undefined if no form is stored.
   */
  signatureForm: JsonValue | undefined;
}

/** The state of a message while its parts are encoded. */
export interface FlatMessageDraft {
  calls: FlatCalls;
  /** True if reasoning is also written as thinking blocks. */
  writesThinkingBlocks: boolean;
  /**
   * The encoded parts of each flat message that the canonical message becomes: one tool result, or all parts between
   * two tool results.
   */
  segments: EncodedFlatPart[][];
  /** The highest `rank` of the parts in the last segment. */
  lastRank: number;
}

/** Encodes a part and adds it to the draft, or reports that flat messages do not support the part. */
export function encodePart(part: Part, draft: FlatMessageDraft, context: FlatEncodeContext): void {
  const residue = readFlatResidue(part, context);
  const encoded = encodeInField(part, residue, draft, context);
  if (encoded === undefined) return;
  const thoughtSeal = findSendableSeal(part, GEMINI, "signature", context);
  const rank = PART_FIELDS.findIndex((field) => field === encoded.field);
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
    // The fields have a fixed order, so this part moves before an earlier part. The loss is reported at `type`, because
    // a loss at the part itself would mean that all fields of the part are lost.
    if (rank < draft.lastRank) context.report.addLoss("parts-reordered", "type");
    else draft.lastRank = rank;
  }
}

export function isResultSegment([first]: readonly EncodedFlatPart[]): boolean {
  return first?.rank === -1;
}

function encodeInField(
  part: Part,
  residue: FlatResidue,
  draft: FlatMessageDraft,
  context: FlatEncodeContext,
): WrittenFlatPart | undefined {
  switch (part.type) {
    case "reasoning":
      return { field: "reasoning", ...encodeReasoning(part, draft.writesThinkingBlocks, residue, context) };
    case "refusal":
      return { field: "refusal", item: encodeText(part.text, residue) };
    case "tool-call":
    case "tool-result":
      if (part.executor === "provider") {
        context.report.addLoss("provider-tool-unsupported");
        return undefined;
      }
      return part.type === "tool-call"
        ? { field: "tool_calls", item: encodeCall(part, residue, draft.calls, context) }
        : { field: "result", item: encodeResult(part, residue, draft.calls, context) };
    case "opaque":
      return encodeOpaque(part, residue, draft.writesThinkingBlocks, context);
    default: {
      const item = encodeContentItem(part, residue, context);
      return item && { field: "content", item };
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
  // An opaque thinking block is written only together with other thinking blocks, and an opaque item of `reasoning`
  // only without them, because the decoder accepts thinking blocks only if they match `reasoning`.
  if (isBlock !== withBlocks && (isBlock || place === "reasoning")) {
    context.report.addLoss("part-unsupported");
    return undefined;
  }
  // The cast is safe, because values of opaque parts are JSON.
  if (isBlock) return { field: "reasoning", block: part.value as JsonValue };
  const item = encodeContentItem(part, residue, context);
  return item && { field: PART_FIELDS.find((each) => each === place) ?? "content", item };
}
