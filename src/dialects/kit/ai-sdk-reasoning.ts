// Reasoning in the AI SDK's shapes is a text. OpenAI's is a summary, of an item that may have several: the SDK makes a
// part of each, all with the item's id, and the model one part of all, as for every item (B12).
import { sameJson } from "../../model/json.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Part, PartBase, ReasoningPart, Seal } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { markOf, markShared } from "./ai-sdk-options.ts";
import { isObject } from "./read.ts";
import type { LossDeclaration } from "./report.ts";

export const summaryAsText = {
  "summary-as-text": {
    action: "approximated",
    level: "loss",
    message: "Only OpenAI's reasoning is told apart from its summaries; each went out as reasoning.",
  },
} as const satisfies Record<string, LossDeclaration>;

/** The id of the OpenAI item that a part is, or is a piece of. */
export function itemOf({ seals }: PartBase): string | undefined {
  return seals?.find(({ dialect, kind }) => dialect === "openai-responses" && kind === "id")?.value;
}

/** Puts the text of a part, whose seals are there, to where it belongs. */
export function setReasoning(part: ReasoningPart, text: string): void {
  if (text === "" || itemOf(part) === undefined) part.text = text;
  else part.summary = [text];
}

/** Whether a part goes on with the item of the one before. */
function continues(part: Part, before: Part | undefined): boolean {
  if (part.type !== "reasoning" || before?.type !== "reasoning") return false;
  const item = itemOf(part);
  return item !== undefined && item === itemOf(before);
}

/** Joins the pieces of one item. What their texts stand with is kept for each where it is not the same. */
export function joinReasoning(pieces: readonly ReasoningPart[]): ReasoningPart {
  const [first, ...others] = pieces;
  if (first === undefined || others.length === 0) return first ?? { type: "reasoning", text: "" };
  const summary = pieces.map((piece) => piece.summary?.[0] ?? piece.text);
  const isAlike = others.every((piece) => sameJson(besideText(piece), besideText(first)));
  if (isAlike) return { ...first, summary };
  const seals = new Map<string, Seal>();
  for (const piece of pieces) for (const seal of piece.seals ?? []) seals.set(`${seal.dialect} ${seal.kind}`, seal);
  const joined: ReasoningPart = { type: "reasoning", text: "", summary, seals: [...seals.values()] };
  markShared(joined, "each", pieces.map(besideText));
  return joined;
}

/** Seals, residue and breakpoint; a part is JSON, and so are these. */
function besideText({ seals, extra, cache }: ReasoningPart): JsonObject {
  const beside = { ...(seals && { seals }), ...(extra && { extra }), ...(cache && { cache }) };
  return beside as unknown as JsonObject;
}

/** Joins the neighbours among parts that are pieces of one item. */
export function joinPieces(parts: Part[]): Part[] {
  if (!parts.some((part, at) => continues(part, parts[at - 1]))) return parts;
  const joined: Part[] = [];
  let pieces: ReasoningPart[] = [];
  const flush = (): void => {
    if (pieces.length > 0) joined.push(joinReasoning(pieces));
    pieces = [];
  };
  for (const part of parts) {
    if (!continues(part, pieces.at(-1))) flush();
    if (part.type === "reasoning" && itemOf(part) !== undefined) pieces.push(part);
    else joined.push(part);
  }
  flush();
  return joined;
}

/** The pieces that a part goes out as, each with its text alone. */
export function splitReasoning(part: ReasoningPart, { report }: EncodeContext<"summary-as-text">): ReasoningPart[] {
  const { text, summary = [], ...beside } = part;
  const isItem = itemOf(part) !== undefined;
  if (isItem && text !== "") report.addLoss("summary-as-text", "text");
  if (!isItem && summary.length > 0) report.addLoss("summary-as-text", "summary");
  if (summary.length === 0) return [{ ...beside, text }];
  if (isItem && text === "") return summary.map((each, at) => ({ ...pieceOf(part, at, summary.length), text: each }));
  const texts = text === "" ? summary : [text, ...summary];
  const [first = "", ...others] = texts;
  return [{ ...beside, text: first }, ...others.map((each): ReasoningPart => ({ type: "reasoning", text: each }))];
}

function pieceOf(part: ReasoningPart, at: number, count: number): ReasoningPart {
  const { text: _, summary: __, ...beside } = part;
  const each: JsonValue | undefined = markOf(part, "each");
  const kept = Array.isArray(each) && each.length === count ? each[at] : undefined;
  return isObject(kept) ? { type: "reasoning", text: "", ...kept } : { ...beside, text: "" };
}

/** What a piece says from its beginning: the item that it belongs to. */
export function itemSeals(part: PartBase | undefined): PartBase {
  return part?.seals === undefined || itemOf(part) === undefined ? {} : { seals: part.seals };
}
