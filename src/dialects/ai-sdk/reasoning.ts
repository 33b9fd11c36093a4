// Converts reasoning of the AI SDK, which is one text per part. An OpenAI reasoning item can have several summaries:
// the AI SDK has one part per summary, all with the item's id; the canonical model has one part per item (B12).
import { sameJson } from "../../model/json/index.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Part, PartBase, ReasoningPart, Seal } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { readSharedForm, storeSharedForm } from "./provider-options.ts";
import { isObject } from "../kit/fields/read-wire.ts";

/** Returns the id of the OpenAI item that a part belongs to; undefined if it belongs to none. */
export function findOpenAiItemId({ seals }: PartBase): string | undefined {
  return seals?.find(({ dialect, kind }) => dialect === "openai-responses" && kind === "id")?.value;
}

/**
 * Sets the text of a part: as summary if the part belongs to an OpenAI item, else as text. The seals must be set
 * before, because they contain the item id.
 */
export function setReasoningText(part: ReasoningPart, text: string): void {
  if (text === "" || findOpenAiItemId(part) === undefined) part.text = text;
  else part.summary = [text];
}

/** True if a part belongs to the same OpenAI item as the previous part. */
function continuesItem(part: Part, previous: Part | undefined): boolean {
  if (part.type !== "reasoning" || previous?.type !== "reasoning") return false;
  const item = findOpenAiItemId(part);
  return item !== undefined && item === findOpenAiItemId(previous);
}

/**
 * Joins the parts of one OpenAI item into one part with several summaries. If the parts differ in seals, residue or
 * cache breakpoints, a form also stores these fields of each part.
 */
export function joinItemPieces(pieces: readonly ReasoningPart[]): ReasoningPart {
  const [first, ...others] = pieces;
  if (first === undefined || others.length === 0) return first ?? { type: "reasoning", text: "" };
  const summary = pieces.map((piece) => piece.summary?.[0] ?? piece.text);
  const haveSameFields = others.every((piece) => sameJson(readNonTextFields(piece), readNonTextFields(first)));
  if (haveSameFields) return { ...first, summary };
  const seals = new Map<string, Seal>();
  for (const piece of pieces) for (const seal of piece.seals ?? []) seals.set(`${seal.dialect} ${seal.kind}`, seal);
  const joined: ReasoningPart = { type: "reasoning", text: "", summary, seals: [...seals.values()] };
  storeSharedForm(joined, "each", pieces.map(readNonTextFields));
  return joined;
}

/**
 * Returns the seals, residue and cache breakpoint of a part. The cast is safe, because all fields of a part are JSON.
 */
function readNonTextFields({ seals, extra, cache }: ReasoningPart): JsonObject {
  const otherFields = { ...(seals && { seals }), ...(extra && { extra }), ...(cache && { cache }) };
  return otherFields as unknown as JsonObject;
}

/** Joins adjacent parts that belong to the same OpenAI item. */
export function joinReasoningItems(parts: Part[]): Part[] {
  if (!parts.some((part, at) => continuesItem(part, parts[at - 1]))) return parts;
  const joined: Part[] = [];
  let pieces: ReasoningPart[] = [];
  const flush = (): void => {
    if (pieces.length > 0) joined.push(joinItemPieces(pieces));
    pieces = [];
  };
  for (const part of parts) {
    if (!continuesItem(part, pieces.at(-1))) flush();
    if (part.type === "reasoning" && findOpenAiItemId(part) !== undefined) pieces.push(part);
    else joined.push(part);
  }
  flush();
  return joined;
}

/** Splits a reasoning part into parts with one text each, as the AI SDK requires. */
export function splitReasoning(part: ReasoningPart, { report }: EncodeContext<"summary-as-text">): ReasoningPart[] {
  const { text, summary = [], ...otherFields } = part;
  const isItem = findOpenAiItemId(part) !== undefined;
  if (isItem && text !== "") report.addLoss("summary-as-text", "text");
  if (!isItem && summary.length > 0) report.addLoss("summary-as-text", "summary");
  if (summary.length === 0) return [{ ...otherFields, text }];
  if (isItem && text === "") return summary.map((each, at) => ({ ...toPiece(part, at, summary.length), text: each }));
  const texts = text === "" ? summary : [text, ...summary];
  const [first = "", ...others] = texts;
  return [{ ...otherFields, text: first }, ...others.map((each): ReasoningPart => ({ type: "reasoning", text: each }))];
}

/**
 * Returns a part without text for the summary at index `at`: with the fields that a form stores for each summary, else
 * with the fields of the whole item.
 */
function toPiece(part: ReasoningPart, at: number, count: number): ReasoningPart {
  const { text: _, summary: __, ...otherFields } = part;
  const each: JsonValue | undefined = readSharedForm(part, "each");
  const pieceFields = Array.isArray(each) && each.length === count ? each[at] : undefined;
  return isObject(pieceFields) ? { type: "reasoning", text: "", ...pieceFields } : { ...otherFields, text: "" };
}

/**
 * Returns the seals that the start event of a reasoning text must have: the seals of its OpenAI item, or none if the
 * part belongs to no item.
 */
export function pickItemSeals(part: PartBase | undefined): PartBase {
  return part?.seals === undefined || findOpenAiItemId(part) === undefined ? {} : { seals: part.seals };
}
