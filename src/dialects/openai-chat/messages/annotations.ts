// Decodes and encodes citations of URLs. The wire counts code points; the canonical model counts UTF-16 units.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Annotation, TextPart } from "../../../model/parts.ts";
import { CodePointIndex } from "../../kit/fields/code-points.ts";
import { storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { storeResidue, restoreResidue } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import type { ChatCitation } from "../types.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField } from "../encode-state.ts";

const CITATION = "url_citation";

/** Returns the decoded annotations of a text; undefined if the value is not a list of objects or the list is empty. */
export function decodeAnnotations(list: JsonValue, text: string, state: ChatDecodeState): Annotation[] | undefined {
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) return undefined;
  const points = new CodePointIndex(text);
  return list.map((wire) => decodeAnnotation(wire, points, state));
}

function isIndex(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function decodeAnnotation(wire: JsonObject, points: CodePointIndex, { context }: ChatDecodeState): Annotation {
  const citation = wire[CITATION];
  if (wire["type"] !== CITATION || !isObject(citation) || typeof citation["url"] !== "string") {
    const annotation: Annotation = { kind: "other" };
    storeResidue(annotation, context.dialect, wire);
    return annotation;
  }
  const { url, title, start_index: start, end_index: end } = citation;
  const annotation: Annotation = { kind: "url", url };
  const known = ["url"];
  if (typeof title === "string") {
    annotation.title = title;
    known.push("title");
  }
  if (isIndex(start) && isIndex(end)) {
    annotation.span = { start: points.toUnitOffset(start), end: points.toUnitOffset(end) };
    known.push("start_index", "end_index");
  }
  storeAbsentFields(annotation, citation, ["title", "start_index", "end_index"], context);
  storeUnknownFields(annotation, citation, known, context, CITATION);
  storeUnknownFields(annotation, wire, ["type", CITATION], context);
  return annotation;
}

const SUPPORTED: ReadonlySet<string> = new Set(["kind", "url", "title", "span", "extra", "seals"]);

/**
 * The range of one text in the joined content, in UTF-16 units. `points` is the code point index of the joined content.
 */
export interface TextRange {
  readonly points: CodePointIndex;
  readonly start: number;
  readonly end: number;
}

/** Appends the citations of a text to `citations`. */
export function encodeAnnotations(
  part: TextPart,
  range: TextRange,
  citations: JsonObject[],
  state: ChatEncodeState,
): void {
  const { pathTracker } = state.context;
  pathTracker.enter("annotations");
  for (const [index, annotation] of (part.annotations ?? []).entries()) {
    pathTracker.enter(index);
    const wire = encodeAnnotation(annotation, range, state);
    if (wire !== undefined) citations.push(wire);
    pathTracker.leave();
  }
  pathTracker.leave();
}

function encodeAnnotation(annotation: Annotation, range: TextRange, state: ChatEncodeState): JsonObject | undefined {
  const { context, dialect } = state;
  const { kind, url } = annotation;
  const residue = annotation.extra?.[dialect];
  const isChatAnnotation = kind === "other" && residue !== undefined;
  if (!isChatAnnotation && (kind !== "url" || url === undefined)) {
    context.report.addLoss("annotation-unsupported");
    return undefined;
  }
  const wire: JsonObject = isChatAnnotation
    ? {}
    : { type: CITATION, [CITATION]: encodeCitation(annotation, range, state) };
  reportUnsupportedFields(annotation, SUPPORTED, context, "field-unsupported");
  reportUnsentSeals(annotation, context);
  reportNotPortableResidue(annotation, context);
  restoreResidue(wire, annotation, context, CITATION);
  return wire;
}

function encodeCitation(
  annotation: Annotation,
  { points, start: offset, end: offsetEnd }: TextRange,
  state: ChatEncodeState,
): Partial<ChatCitation[typeof CITATION]> {
  const { report } = state.context;
  const { url = "", title, span } = annotation;
  const citation: Partial<ChatCitation[typeof CITATION]> = { url };
  if (title !== undefined) citation.title = title;
  else if (canFillField(annotation, "title", state, CITATION)) {
    citation.title = "";
    report.addLoss("field-synthesized", "title");
  }
  if (span !== undefined) {
    const [start, end] = [offset + span.start, offset + span.end];
    citation.start_index = points.toCodePointOffset(start);
    citation.end_index = points.toCodePointOffset(end);
    // A position inside a surrogate pair has no code point offset, so the wire offset is not exact.
    const isExact =
      points.toUnitOffset(citation.start_index) === start && points.toUnitOffset(citation.end_index) === end;
    if (!isExact) report.addLoss("field-unsupported", "span");
  } else if (["start_index", "end_index"].every((field) => canFillField(annotation, field, state, CITATION))) {
    citation.start_index = points.toCodePointOffset(offset);
    citation.end_index = points.toCodePointOffset(offsetEnd);
    report.addLoss("field-synthesized", "span");
  }
  return citation;
}
