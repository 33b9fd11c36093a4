// One part of a message, on its way into the flat message and the field where it belongs.
import type { JsonValue } from "../../model/json.ts";
import type { OpaquePart, Part } from "../../model/parts.ts";
import type { Calls } from "./calls.ts";
import { encodeCall } from "./calls.ts";
import { encodeContent, encodeText } from "./items.ts";
import type { Kept } from "./kept.ts";
import { keptBy } from "./kept.ts";
import type { FlatContext } from "./losses.ts";
import { reportRest, sendableSeal } from "./rest.ts";
import { encodeResult } from "./results.ts";
import type { Slot } from "./terms.ts";
import { FLAT, GEMINI, SLOTS, THINKING_BLOCKS } from "./terms.ts";
import type { WrittenReasoning } from "./thinking.ts";
import { claudeSeal, encodeReasoning } from "./thinking.ts";

/** What stands in a field; of a result, the tool message. */
interface Written extends WrittenReasoning {
  slot: Slot | "result";
}

/** A part that was written. */
export interface Piece extends Written {
  /** The place of its field; -1 for a result. */
  rank: number;
  /** Its thought signature, and how it was spelled where it has none. */
  thought: string | undefined;
  spelled: JsonValue | undefined;
}

/** A message on its way. */
export interface Draft {
  calls: Calls;
  /** Whether reasoning is written as thinking blocks too. */
  listed: boolean;
  /** What becomes one flat message each: a result, or everything between two of them. */
  segments: Piece[][];
  /** The last field that something stands in by now. */
  furthest: number;
}

/** Writes the part in hand, or reports that it cannot be said. */
export function encodePart(part: Part, draft: Draft, context: FlatContext): void {
  const kept = keptBy(part, context);
  const written = writePart(part, kept, draft, context);
  if (written === undefined) return;
  const thought = sendableSeal(part, GEMINI, "signature", context);
  const rank = SLOTS.findIndex((slot) => slot === written.slot);
  const piece: Piece = { ...written, rank, thought: thought?.value, spelled: kept.take("thought_signature") };
  reportRest(part, kept, context, [thought, claudeSeal(part, context)]);
  const last = draft.segments.at(-1);
  if (last === undefined || rank < 0 || isResult(last)) {
    draft.segments.push([piece]);
    draft.furthest = rank;
  } else {
    last.push(piece);
    // At `type`, so that nothing else of the part seems reported.
    if (rank < draft.furthest) context.report.addLoss("order", "type");
    else draft.furthest = rank;
  }
}

export function isResult([first]: readonly Piece[]): boolean {
  return first?.rank === -1;
}

function writePart(part: Part, kept: Kept, draft: Draft, context: FlatContext): Written | undefined {
  switch (part.type) {
    case "reasoning":
      return { slot: "reasoning", ...encodeReasoning(part, draft.listed, kept, context) };
    case "refusal":
      return { slot: "refusal", item: encodeText(part.text, kept) };
    case "tool-call":
    case "tool-result":
      if (part.executor === "provider") {
        context.report.addLoss("provider-tool");
        return undefined;
      }
      return part.type === "tool-call"
        ? { slot: "tool_calls", item: encodeCall(part, kept, draft.calls, context) }
        : { slot: "result", item: encodeResult(part, kept, draft.calls, context) };
    case "opaque":
      return writeOpaque(part, kept, draft.listed, context);
    default: {
      const item = encodeContent(part, kept, context);
      return item && { slot: "content", item };
    }
  }
}

function writeOpaque(part: OpaquePart, kept: Kept, listed: boolean, context: FlatContext): Written | undefined {
  const place = part.dialect === FLAT ? kept.take("place") : undefined;
  const isBlock = place === THINKING_BLOCKS;
  // Thinking blocks and `reasoning` must say the same, or signatures would not count.
  if (isBlock !== listed && (isBlock || place === "reasoning")) {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  // The model holds plain JSON values only.
  if (isBlock) return { slot: "reasoning", block: part.value as JsonValue };
  const item = encodeContent(part, kept, context);
  return item && { slot: SLOTS.find((each) => each === place) ?? "content", item };
}
