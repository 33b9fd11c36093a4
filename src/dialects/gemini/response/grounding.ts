// Decodes and encodes grounding metadata (sources, and the text segments that they support) as annotations of the
// answer's texts. Segments count UTF-8 bytes within a part. Metadata that the annotations cannot restore exactly is
// stored as residue.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { assignObject, sameJson, stringifyJson } from "../../../model/json/index.ts";
import type { Annotation, Part, TextPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import { Utf8Offsets } from "./byte-offsets.ts";
import { readPieceOffsets, readEmptyTextsBefore } from "../content/split-texts.ts";
import type { CitationCollector } from "./citations.ts";
import type { GeminiLossCode } from "../losses.ts";

/** Fields of a source, and the annotation fields that they become; a `web` source has no text. */
const SOURCE_FIELDS = [
  ["uri", "url"],
  ["title", "title"],
  ["text", "citedText"],
] as const;
const CHUNK = "groundingChunk";
const SCORE = "confidenceScore";
const SEGMENT = "segment";

export interface GroundedText {
  /**
   * The index of the text in the wire parts; the index of its first piece if the text is split into several wire parts
   * (pieces).
   */
  index: number;
  part: TextPart;
  annotations: readonly Annotation[];
}

interface PositionedText extends GroundedText {
  annotations: Annotation[];
  bytes: Utf8Offsets;
  /** Start offsets of the pieces of the text, then the end offset of the last piece; `[0]` if the text is not split. */
  pieceOffsets: readonly number[];
}

/**
 * Returns the texts of an answer with annotations for its grounding. Undefined if the metadata has no sources or the
 * answer has no text, or if encoding the annotations would not give the same metadata.
 */
export function decodeGrounding(
  metadata: JsonObject,
  parts: readonly Part[],
  dialect: string,
): GroundedText[] | undefined {
  const { groundingChunks: chunks, groundingSupports: supports = [] } = metadata;
  if (!Array.isArray(chunks) || chunks.length === 0 || !chunks.every(isObject) || !Array.isArray(supports))
    return undefined;
  const texts: PositionedText[] = [];
  const byIndex = new Map<unknown, PositionedText>();
  let index = 0;
  for (const part of parts) {
    index += readEmptyTextsBefore(part, dialect).length;
    const pieceOffsets = readPieceOffsets(part, dialect) ?? ONE_PIECE;
    const pieces = Math.max(1, pieceOffsets.length - 1);
    if (part.type === "text") {
      const text = { index, part, annotations: [], bytes: new Utf8Offsets(part.text), pieceOffsets };
      texts.push(text);
      for (let at = 0; at < pieces; at++) byIndex.set(index + at, text);
    }
    index += pieces;
  }
  const [first] = texts;
  if (first === undefined) return undefined;
  let introducedCount = 0;
  /**
   * Adds annotations without a span for the sources before index `to` that no segment has cited yet, so that the
   * encoder numbers all sources in the order of the wire.
   */
  const addUncitedSources = (to: number, text: { annotations: Annotation[] }): void => {
    for (; introducedCount < to; introducedCount++)
      text.annotations.push(decodeSource(chunks[introducedCount], dialect));
  };
  for (const support of supports) {
    if (!isObject(support) || !isObject(support[SEGMENT]) || !Array.isArray(support["groundingChunkIndices"]))
      return undefined;
    const segment = support[SEGMENT];
    const text = byIndex.get(segment["partIndex"]) ?? first;
    for (const [at, index] of support["groundingChunkIndices"].entries()) {
      if (typeof index !== "number" || chunks[index] === undefined) return undefined;
      addUncitedSources(index, text);
      if (index === introducedCount) introducedCount++;
      const annotation = decodeSource(chunks[index], dialect);
      setSpan(annotation, segment, text, dialect);
      const scores = support["confidenceScores"];
      if (Array.isArray(scores) && typeof scores[at] === "number") {
        const residue: JsonObject = {};
        copyField(scores, String(at), residue, SCORE);
        storeResidue(annotation, dialect, residue);
      }
      text.annotations.push(annotation);
    }
  }
  addUncitedSources(chunks.length, first);
  const encoded = encodeGrounding(texts, dialect);
  const isRestorable =
    sameJson(encoded["groundingChunks"], chunks) &&
    sameJson(encoded["groundingSupports"], metadata["groundingSupports"]);
  return isRestorable ? texts : undefined;
}

/** Decodes a source into an annotation without a span. */
function decodeSource(chunk: JsonValue | undefined, dialect: string): Annotation {
  const [kind = "", ...more] = isObject(chunk) ? Object.keys(chunk) : [];
  const data = isObject(chunk) ? chunk[kind] : undefined;
  const annotation: Annotation = { kind: kind === "retrievedContext" ? "document" : "url" };
  if (!isObject(data) || more.length > 0) {
    storeResidue(annotation, dialect, { [CHUNK]: chunk ?? null });
    return { ...annotation, kind: "other" };
  }
  const rest: JsonObject = {};
  for (const key of Object.keys(data)) {
    const field = SOURCE_FIELDS.find(([name]) => name === key)?.[1];
    const value = data[key];
    if (field === undefined || typeof value !== "string" || (kind === "web" && key === "text"))
      copyField(data, key, rest);
    else annotation[field] = value;
  }
  const isPlain = kind === "web" && Object.keys(rest).length === 0 && Object.keys(annotation).length > 1;
  if (!isPlain) storeResidue(annotation, dialect, { [CHUNK]: { [kind]: rest } });
  return annotation;
}

/**
 * Sets the span of an annotation. If the offsets are invalid, or if the text at the span differs from the text of the
 * segment, stores the segment as residue instead.
 */
function setSpan(
  annotation: Annotation,
  segment: JsonObject,
  { part, bytes, index, pieceOffsets }: PositionedText,
  dialect: string,
): void {
  const { startIndex = 0, endIndex = 0, text, partIndex } = segment;
  const base = bytes.toByte(typeof partIndex === "number" ? (pieceOffsets[partIndex - index] ?? 0) : 0);
  const [start, end] = [bytes.toUnit(Number(startIndex) + base), bytes.toUnit(Number(endIndex) + base)];
  if (start === undefined || end === undefined || text !== part.text.slice(start, end)) {
    storeResidue(annotation, dialect, { [SEGMENT]: segment });
    return;
  }
  annotation.span = { start, end };
  if (segment["startIndex"] === 0) storeForm(annotation, dialect, "start", 0);
  const expectedPart = index + findPiece(annotation.span, pieceOffsets);
  if (partIndex === undefined && expectedPart > 0) storeForm(annotation, dialect, "part", null);
  // An empty span between two pieces fits both pieces. The form stores the piece that the wire had if it is not the
  // piece that the encoder would choose.
  else if (typeof partIndex === "number" && partIndex !== expectedPart)
    storeForm(annotation, dialect, "part", partIndex - index);
}

/** The piece offsets of a text that is not split. */
const ONE_PIECE: readonly number[] = [0];

/** Returns the index of the piece that contains a span; 0 if the span extends over several pieces. */
function findPiece({ start, end }: { start: number; end: number }, pieceOffsets: readonly number[]): number {
  // The last offset is the end of the text, so the last piece starts at the offset before it.
  let [low, high] = [0, pieceOffsets.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieceOffsets[middle] ?? 0) <= start) low = middle;
    else high = middle - 1;
  }
  return end <= (pieceOffsets[low + 1] ?? -1) ? low : 0;
}

/** True if `piece`, the value of the form `part`, is the index of a piece that contains the span. */
function isWithinPiece(
  piece: JsonValue | undefined,
  { start, end }: { start: number; end: number },
  pieceOffsets: readonly number[],
): piece is number {
  return (
    typeof piece === "number" && start >= (pieceOffsets[piece] ?? Infinity) && end <= (pieceOffsets[piece + 1] ?? -1)
  );
}

/**
 * Encodes annotations as grounding metadata, with a list of distinct sources and a list of segments that refer to them.
 */
export function encodeGrounding(texts: readonly GroundedText[], dialect: string): JsonObject {
  const chunks: JsonValue[] = [];
  const supports: JsonObject[] = [];
  const chunkIndexes = new Map<string, number>();
  let lastSegmentKey = "";
  for (const text of texts) {
    const bytes = new Utf8Offsets(text.part.text);
    const pieceOffsets = readPieceOffsets(text.part, dialect) ?? ONE_PIECE;
    for (const annotation of text.annotations) {
      const chunk = encodeChunk(annotation, dialect);
      const chunkJson = stringifyJson(chunk);
      const chunkIndex = chunkIndexes.get(chunkJson) ?? chunks.push(chunk) - 1;
      chunkIndexes.set(chunkJson, chunkIndex);
      const segment = encodeSegment(annotation, { ...text, bytes, pieceOffsets }, dialect);
      if (segment === undefined) continue;
      const segmentKey = `${text.index} ${stringifyJson(segment)}`;
      if (segmentKey !== lastSegmentKey) supports.push({ [SEGMENT]: segment, groundingChunkIndices: [] });
      lastSegmentKey = segmentKey;
      const support = supports.at(-1) ?? {};
      (support["groundingChunkIndices"] as JsonValue[]).push(chunkIndex);
      const residue = annotation.extra?.[dialect] ?? {};
      if (typeof residue[SCORE] !== "number") continue;
      const scores = (support["confidenceScores"] ??= []) as JsonValue[];
      copyField(residue, SCORE, scores, String(scores.length));
    }
  }
  return { groundingChunks: chunks, ...(supports.length > 0 && { groundingSupports: supports }) };
}

function encodeChunk(annotation: Annotation, dialect: string): JsonValue {
  const residue = annotation.extra?.[dialect]?.[CHUNK];
  const [kind = annotation.kind === "url" ? "web" : "retrievedContext", ...more] = isObject(residue)
    ? Object.keys(residue)
    : [];
  const rest = isObject(residue) ? residue[kind] : {};
  if (residue !== undefined && (!isObject(rest) || more.length > 0)) return residue;
  const data: JsonObject = {};
  for (const [key, field] of SOURCE_FIELDS) {
    const value = annotation[field];
    if (value !== undefined && (kind !== "web" || key !== "text")) data[key] = value;
  }
  return { [kind]: isObject(rest) ? assignObject(data, rest) : data };
}

function encodeSegment(
  annotation: Annotation,
  { index, part, bytes, pieceOffsets }: Omit<PositionedText, "annotations">,
  dialect: string,
): JsonObject | undefined {
  const { span } = annotation;
  if (span === undefined) {
    const residue = annotation.extra?.[dialect]?.[SEGMENT];
    return isObject(residue) ? residue : undefined;
  }
  const form = readForm(annotation, dialect);
  const piece =
    form["part"] === null
      ? 0
      : isWithinPiece(form["part"], span, pieceOffsets)
        ? form["part"]
        : findPiece(span, pieceOffsets);
  const base = bytes.toByte(pieceOffsets[piece] ?? 0);
  const [startIndex, endIndex] = [bytes.toByte(span.start) - base, bytes.toByte(span.end) - base];
  const segment: JsonObject = { endIndex, text: part.text.slice(span.start, span.end) };
  if (startIndex > 0 || form["start"] === 0) segment["startIndex"] = startIndex;
  if (index + piece > 0 && form["part"] !== null) segment["partIndex"] = index + piece;
  return segment;
}

const WEB_FIELDS: ReadonlySet<string> = new Set(["kind", "url", "title", "span", "extra", "seals"]);
const CONTEXT_FIELDS: ReadonlySet<string> = new Set([...WEB_FIELDS, "citedText"]);

/**
 * Returns the annotations to encode as grounding. Adds citations to `citations`, and reports annotations that cannot be
 * encoded. The path tracker must be at the part.
 */
export function selectGroundingAnnotations(
  part: TextPart,
  citations: CitationCollector,
  context: EncodeContext<GeminiLossCode>,
): Annotation[] {
  const groundingAnnotations: Annotation[] = [];
  context.pathTracker.each("annotations", part.annotations ?? [], (annotation) => {
    const { span, ...withoutSpan } = annotation;
    const hasValidSpan =
      span === undefined || (span.start >= 0 && span.start <= span.end && span.end <= part.text.length);
    const encodable = hasValidSpan ? annotation : withoutSpan;
    const { kind, url, title, citedText, extra } = annotation;
    const isCitation = citations.addIfCitation(encodable, part);
    const residue = extra?.[context.dialect]?.[CHUNK];
    const hasSource = url !== undefined || title !== undefined || (kind !== "url" && citedText !== undefined);
    if (!isCitation && residue === undefined && !hasSource) {
      context.report.addLoss("field-unsupported");
      return;
    }
    const isWeb = isCitation || (kind === "url" && residue === undefined);
    reportUnsupportedFields(annotation, isWeb ? WEB_FIELDS : CONTEXT_FIELDS, context, "field-unsupported");
    reportUnsentSeals(annotation, context);
    reportNotPortableResidue(annotation, context);
    if (!hasValidSpan) context.report.addLoss("field-unsupported", "span", "The span is outside the text.");
    if (!isCitation) groundingAnnotations.push(encodable);
  });
  return groundingAnnotations;
}
