// Citations. They stand beside the text, and count its characters by code points; the model counts UTF-16 units.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Annotation, TextPart } from "../../model/parts.ts";
import { CodePoints } from "../kit/code-points.ts";
import { keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { isObject } from "../kit/read.ts";
import { storeResidue, reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportSeals } from "../kit/seals.ts";
import type { Reading } from "./reading.ts";
import type { ChatCitation } from "./types.ts";
import type { Writing } from "./writing.ts";
import { isFree } from "./writing.ts";

const CITATION = "url_citation";

/** The annotations of a text; undefined where the list is not one of objects. */
export function decodeAnnotations(list: JsonValue, text: string, reading: Reading): Annotation[] | undefined {
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) return undefined;
  const points = new CodePoints(text);
  return list.map((wire) => decodeAnnotation(wire, points, reading));
}

function isIndex(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function decodeAnnotation(wire: JsonObject, points: CodePoints, { context }: Reading): Annotation {
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
    annotation.span = { start: points.units(start), end: points.units(end) };
    known.push("start_index", "end_index");
  }
  noteAbsent(annotation, citation, ["title", "start_index", "end_index"], context);
  keepOthers(annotation, citation, known, context, CITATION);
  keepOthers(annotation, wire, ["type", CITATION], context);
  return annotation;
}

const CARRIED: ReadonlySet<string> = new Set(["kind", "url", "title", "span", "extra", "seals"]);

/** Where a text stands in all that goes out as one: `points` are of the whole. */
export interface TextPlace {
  readonly points: CodePoints;
  readonly start: number;
  readonly end: number;
}

/** Adds the citations of a text to those written so far. */
export function encodeAnnotations(part: TextPart, place: TextPlace, written: JsonObject[], writing: Writing): void {
  const { pathTracker: trail } = writing.context;
  trail.enter("annotations");
  for (const [at, annotation] of (part.annotations ?? []).entries()) {
    trail.enter(at);
    const wire = encodeAnnotation(annotation, place, writing);
    if (wire !== undefined) written.push(wire);
    trail.leave();
  }
  trail.leave();
}

function encodeAnnotation(annotation: Annotation, place: TextPlace, writing: Writing): JsonObject | undefined {
  const { context, dialect } = writing;
  const { kind, url } = annotation;
  const kept = annotation.extra?.[dialect];
  const isOwn = kind === "other" && kept !== undefined;
  if (!isOwn && (kind !== "url" || url === undefined)) {
    context.report.addLoss("annotation-unsaid");
    return undefined;
  }
  const wire: JsonObject = isOwn ? {} : { type: CITATION, [CITATION]: encodeCitation(annotation, place, writing) };
  reportUnsupportedFields(annotation, CARRIED, context, "field-unsaid");
  reportSeals(annotation, context);
  reportNotPortableResidue(annotation, context);
  restoreResidue(wire, annotation, context, CITATION);
  return wire;
}

function encodeCitation(
  annotation: Annotation,
  { points, start: offset, end: offsetEnd }: TextPlace,
  writing: Writing,
): Partial<ChatCitation[typeof CITATION]> {
  const { report } = writing.context;
  const { url = "", title, span } = annotation;
  const citation: Partial<ChatCitation[typeof CITATION]> = { url };
  if (title !== undefined) citation.title = title;
  else if (isFree(annotation, "title", writing, CITATION)) {
    citation.title = "";
    report.addLoss("field-filled", "title");
  }
  if (span !== undefined) {
    const [start, end] = [offset + span.start, offset + span.end];
    citation.start_index = points.points(start);
    citation.end_index = points.points(end);
    // Half a character has no number.
    const isExact = points.units(citation.start_index) === start && points.units(citation.end_index) === end;
    if (!isExact) report.addLoss("field-unsaid", "span");
  } else if (["start_index", "end_index"].every((field) => isFree(annotation, field, writing, CITATION))) {
    citation.start_index = points.points(offset);
    citation.end_index = points.points(offsetEnd);
    report.addLoss("field-filled", "span");
  }
  return citation;
}
