// Grounding: the sources of an answer, and which words rest on them, as annotations of its texts. Gemini counts bytes of
// UTF-8 within a part. What annotations would not give back exactly stays as it came.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { assignObject, sameJson, stringifyJson } from "../../model/json.ts";
import type { Annotation, Part, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import {
  readForm,
  storeResidue,
  storeForm,
  reportNotPortableResidue,
  reportUnsupportedFields,
} from "../kit/residue.ts";
import { reportSeals } from "../kit/seals.ts";
import { Bytes } from "./bytes.ts";
import { cutsOf, framingOf } from "./chunks.ts";
import type { CitationWriter } from "./citations.ts";
import type { Code } from "./losses.ts";

/** What sources and annotations call the same; `web` has no text. */
const FIELDS = [
  ["uri", "url"],
  ["title", "title"],
  ["text", "citedText"],
] as const;
const CHUNK = "groundingChunk";
const SCORE = "confidenceScore";
const SEGMENT = "segment";

export interface GroundedText {
  /** Where the text, or its first piece, stands among the parts on the wire. */
  index: number;
  part: TextPart;
  annotations: readonly Annotation[];
}

interface PlacedText extends GroundedText {
  annotations: Annotation[];
  bytes: Bytes;
  /** Where its pieces begin. */
  cuts: readonly number[];
}

/** The texts of an answer with annotations for its grounding; undefined where these would not give it back. */
export function decodeGrounding(
  metadata: JsonObject,
  parts: readonly Part[],
  dialect: string,
): GroundedText[] | undefined {
  const { groundingChunks: chunks, groundingSupports: supports = [] } = metadata;
  if (!Array.isArray(chunks) || chunks.length === 0 || !chunks.every(isObject) || !Array.isArray(supports))
    return undefined;
  const texts: PlacedText[] = [];
  const byIndex = new Map<unknown, PlacedText>();
  let index = 0;
  for (const part of parts) {
    index += framingOf(part, dialect).length;
    const cuts = cutsOf(part, dialect) ?? WHOLE;
    const pieces = Math.max(1, cuts.length - 1);
    if (part.type === "text") {
      const text = { index, part, annotations: [], bytes: new Bytes(part.text), cuts };
      texts.push(text);
      for (let at = 0; at < pieces; at++) byIndex.set(index + at, text);
    }
    index += pieces;
  }
  const [first] = texts;
  if (first === undefined) return undefined;
  let known = 0;
  /** Sources are numbered as they first appear, so that one which nothing cites yet is named before. */
  const introduce = (to: number, text: { annotations: Annotation[] }): void => {
    for (; known < to; known++) text.annotations.push(source(chunks[known], dialect));
  };
  for (const support of supports) {
    if (!isObject(support) || !isObject(support[SEGMENT]) || !Array.isArray(support["groundingChunkIndices"]))
      return undefined;
    const segment = support[SEGMENT];
    const text = byIndex.get(segment["partIndex"]) ?? first;
    for (const [at, index] of support["groundingChunkIndices"].entries()) {
      if (typeof index !== "number" || chunks[index] === undefined) return undefined;
      introduce(index, text);
      if (index === known) known++;
      const annotation = source(chunks[index], dialect);
      place(annotation, segment, text, dialect);
      const scores = support["confidenceScores"];
      if (Array.isArray(scores) && typeof scores[at] === "number") {
        const kept: JsonObject = {};
        copyField(scores, String(at), kept, SCORE);
        storeResidue(annotation, dialect, kept);
      }
      text.annotations.push(annotation);
    }
  }
  introduce(chunks.length, first);
  const again = groundingOf(texts, dialect);
  const isSame =
    sameJson(again["groundingChunks"], chunks) && sameJson(again["groundingSupports"], metadata["groundingSupports"]);
  return isSame ? texts : undefined;
}

/** A source without a place. */
function source(chunk: JsonValue | undefined, dialect: string): Annotation {
  const [kind = "", ...more] = isObject(chunk) ? Object.keys(chunk) : [];
  const data = isObject(chunk) ? chunk[kind] : undefined;
  const annotation: Annotation = { kind: kind === "retrievedContext" ? "document" : "url" };
  if (!isObject(data) || more.length > 0) {
    storeResidue(annotation, dialect, { [CHUNK]: chunk ?? null });
    return { ...annotation, kind: "other" };
  }
  const rest: JsonObject = {};
  for (const key of Object.keys(data)) {
    const field = FIELDS.find(([name]) => name === key)?.[1];
    const value = data[key];
    if (field === undefined || typeof value !== "string" || (kind === "web" && key === "text"))
      copyField(data, key, rest);
    else annotation[field] = value;
  }
  const isPlain = kind === "web" && Object.keys(rest).length === 0 && Object.keys(annotation).length > 1;
  if (!isPlain) storeResidue(annotation, dialect, { [CHUNK]: { [kind]: rest } });
  return annotation;
}

/** Gives an annotation its place, where the words there are those that the segment says. */
function place(
  annotation: Annotation,
  segment: JsonObject,
  { part, bytes, index, cuts }: PlacedText,
  dialect: string,
): void {
  const { startIndex = 0, endIndex = 0, text, partIndex } = segment;
  const base = bytes.byte(typeof partIndex === "number" ? (cuts[partIndex - index] ?? 0) : 0);
  const [start, end] = [bytes.unit(Number(startIndex) + base), bytes.unit(Number(endIndex) + base)];
  if (start === undefined || end === undefined || text !== part.text.slice(start, end)) {
    storeResidue(annotation, dialect, { [SEGMENT]: segment });
    return;
  }
  annotation.span = { start, end };
  if (segment["startIndex"] === 0) storeForm(annotation, dialect, "start", 0);
  const usual = index + pieceOf(annotation.span, cuts);
  if (partIndex === undefined && usual > 0) storeForm(annotation, dialect, "part", null);
  // Nothing, where two pieces meet, is in either.
  else if (typeof partIndex === "number" && partIndex !== usual)
    storeForm(annotation, dialect, "part", partIndex - index);
}

/** Where a text that is one piece begins. */
const WHOLE: readonly number[] = [0];

/** Which of the pieces holds a span; the first where it is more than one. */
function pieceOf({ start, end }: { start: number; end: number }, cuts: readonly number[]): number {
  // The last of the cuts is the end.
  let [low, high] = [0, cuts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((cuts[middle] ?? 0) <= start) low = middle;
    else high = middle - 1;
  }
  return end <= (cuts[low + 1] ?? -1) ? low : 0;
}

/** Whether a span is within a piece that was named. */
function isPieceOf(
  piece: JsonValue | undefined,
  { start, end }: { start: number; end: number },
  cuts: readonly number[],
): piece is number {
  return typeof piece === "number" && start >= (cuts[piece] ?? Infinity) && end <= (cuts[piece + 1] ?? -1);
}

/** What annotations say as grounding: each source once, each place with its sources. */
export function groundingOf(texts: readonly GroundedText[], dialect: string): JsonObject {
  const chunks: JsonValue[] = [];
  const supports: JsonObject[] = [];
  const numbers = new Map<string, number>();
  let last = "";
  for (const text of texts) {
    const bytes = new Bytes(text.part.text);
    const cuts = cutsOf(text.part, dialect) ?? WHOLE;
    for (const annotation of text.annotations) {
      const chunk = chunkOf(annotation, dialect);
      const words = stringifyJson(chunk);
      const number = numbers.get(words) ?? chunks.push(chunk) - 1;
      numbers.set(words, number);
      const segment = segmentOf(annotation, { ...text, bytes, cuts }, dialect);
      if (segment === undefined) continue;
      const where = `${text.index} ${stringifyJson(segment)}`;
      if (where !== last) supports.push({ [SEGMENT]: segment, groundingChunkIndices: [] });
      last = where;
      const support = supports.at(-1) ?? {};
      (support["groundingChunkIndices"] as JsonValue[]).push(number);
      const residue = annotation.extra?.[dialect] ?? {};
      if (typeof residue[SCORE] !== "number") continue;
      const scores = (support["confidenceScores"] ??= []) as JsonValue[];
      copyField(residue, SCORE, scores, String(scores.length));
    }
  }
  return { groundingChunks: chunks, ...(supports.length > 0 && { groundingSupports: supports }) };
}

function chunkOf(annotation: Annotation, dialect: string): JsonValue {
  const kept = annotation.extra?.[dialect]?.[CHUNK];
  const [kind = annotation.kind === "url" ? "web" : "retrievedContext", ...more] = isObject(kept)
    ? Object.keys(kept)
    : [];
  const rest = isObject(kept) ? kept[kind] : {};
  if (kept !== undefined && (!isObject(rest) || more.length > 0)) return kept;
  const data: JsonObject = {};
  for (const [key, field] of FIELDS) {
    const value = annotation[field];
    if (value !== undefined && (kind !== "web" || key !== "text")) data[key] = value;
  }
  return { [kind]: isObject(rest) ? assignObject(data, rest) : data };
}

function segmentOf(
  annotation: Annotation,
  { index, part, bytes, cuts }: Omit<PlacedText, "annotations">,
  dialect: string,
): JsonObject | undefined {
  const { span } = annotation;
  if (span === undefined) {
    const kept = annotation.extra?.[dialect]?.[SEGMENT];
    return isObject(kept) ? kept : undefined;
  }
  const form = readForm(annotation, dialect);
  const piece = form["part"] === null ? 0 : isPieceOf(form["part"], span, cuts) ? form["part"] : pieceOf(span, cuts);
  const base = bytes.byte(cuts[piece] ?? 0);
  const [startIndex, endIndex] = [bytes.byte(span.start) - base, bytes.byte(span.end) - base];
  const segment: JsonObject = { endIndex, text: part.text.slice(span.start, span.end) };
  if (startIndex > 0 || form["start"] === 0) segment["startIndex"] = startIndex;
  if (index + piece > 0 && form["part"] !== null) segment["partIndex"] = index + piece;
  return segment;
}

const WEB: ReadonlySet<string> = new Set(["kind", "url", "title", "span", "extra", "seals"]);
const CONTEXT: ReadonlySet<string> = new Set([...WEB, "citedText"]);

/** The annotations that can be said as grounding, without citations; the trail stands at the part. What cannot is reported. */
export function sayableAnnotations(
  part: TextPart,
  citations: CitationWriter,
  context: EncodeContext<Code>,
): Annotation[] {
  const sayable: Annotation[] = [];
  context.pathTracker.each("annotations", part.annotations ?? [], (annotation) => {
    const { span, ...unplaced } = annotation;
    const isPlaced = span === undefined || (span.start >= 0 && span.start <= span.end && span.end <= part.text.length);
    const placed = isPlaced ? annotation : unplaced;
    const { kind, url, title, citedText, extra } = annotation;
    const isCitation = citations.take(placed, part);
    const kept = extra?.[context.dialect]?.[CHUNK];
    const hasSource = url !== undefined || title !== undefined || (kind !== "url" && citedText !== undefined);
    if (!isCitation && kept === undefined && !hasSource) {
      context.report.addLoss("field-unsaid");
      return;
    }
    const isWeb = isCitation || (kind === "url" && kept === undefined);
    reportUnsupportedFields(annotation, isWeb ? WEB : CONTEXT, context, "field-unsaid");
    reportSeals(annotation, context);
    reportNotPortableResidue(annotation, context);
    if (!isPlaced) context.report.addLoss("field-unsaid", "span", "It is not within the text.");
    if (!isCitation) sayable.push(placed);
  });
  return sayable;
}
