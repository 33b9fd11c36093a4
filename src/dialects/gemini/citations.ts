// Citations: what an answer quotes at length, as annotations of its text. What annotations would not give back exactly
// stays as it came.
import type { JsonObject } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { Annotation, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { formOf, keepFields, keepForm, putBack } from "../kit/residue.ts";
import { Bytes } from "./bytes.ts";
import type { Code } from "./losses.ts";
import type { GeminiCitations } from "./types.ts";

/** What the list is called: by the Gemini API, which counts bytes of UTF-8, and by Google's cloud. */
const LISTS = ["citationSources", "citations"] as const;
type List = (typeof LISTS)[number];
const LIST = "list";
const KEPT = "citation";

/** Adds annotations to a text; which of the lists they say. */
export function decodeCitations(metadata: JsonObject, part: TextPart, dialect: string): List[] {
  const bytes = new Bytes(part.text);
  return LISTS.filter((list) => {
    const citations = metadata[list];
    if (!Array.isArray(citations) || citations.length === 0 || !citations.every(isObject)) return false;
    const annotations = citations.map((citation) => decodeCitation(citation, list, bytes, dialect));
    const again = annotations.map((annotation) => encodeCitation(annotation, bytes, dialect));
    if (!sameJson(again, citations)) return false;
    part.annotations = [...(part.annotations ?? []), ...annotations];
    return true;
  });
}

function decodeCitation(citation: JsonObject, list: List, bytes: Bytes, dialect: string): Annotation {
  const { uri, title, startIndex = 0, endIndex } = citation;
  const annotation: Annotation = { kind: typeof uri === "string" ? "url" : "document" };
  if (typeof uri === "string") annotation.url = uri;
  if (typeof title === "string") annotation.title = title;
  const [start, end] = [bytes.unit(startIndex), bytes.unit(endIndex)];
  // The cloud does not say what it counts: a place is certain only where bytes, units and characters are the same.
  const isCertain = list === "citationSources" || end === endIndex;
  if (start !== undefined && end !== undefined && start <= end && isCertain) annotation.span = { start, end };
  if (annotation.span !== undefined && citation["startIndex"] === 0) keepForm(annotation, dialect, "start", 0);
  const said = encodeCitation(annotation, bytes, dialect);
  const rest: JsonObject = {};
  for (const key of Object.keys(citation)) if (!Object.hasOwn(said, key)) copyField(citation, key, rest);
  if (Object.keys(rest).length > 0) keepFields(annotation, dialect, rest, KEPT);
  keepForm(annotation, dialect, LIST, list);
  return annotation;
}

function encodeCitation(
  annotation: Annotation,
  bytes: Bytes,
  dialect: string,
  clash: (...steps: string[]) => void = () => {},
): JsonObject {
  const { url, title, span } = annotation;
  const wire: JsonObject = {};
  if (span !== undefined) {
    const startIndex = bytes.byte(span.start);
    if (startIndex > 0 || formOf(annotation, dialect)["start"] === 0) wire["startIndex"] = startIndex;
    wire["endIndex"] = bytes.byte(span.end);
  }
  if (url !== undefined) wire["uri"] = url;
  if (title !== undefined) wire["title"] = title;
  const kept = annotation.extra?.[dialect]?.[KEPT];
  if (isObject(kept)) putBack(wire, kept, clash);
  return wire;
}

/** The list that an annotation was read from; undefined where that was none. */
export function citationList(annotation: Annotation, dialect: string): List | undefined {
  const list = annotation.extra === undefined ? undefined : formOf(annotation, dialect)[LIST];
  return LISTS.find((each) => each === list);
}

/** What the annotations of a text say as citations; the trail stands at the part. */
export function citationsOf(
  part: TextPart,
  annotations: readonly Annotation[],
  { dialect, report }: EncodeContext<Code>,
): GeminiCitations | undefined {
  let citations: GeminiCitations | undefined;
  const bytes = new Bytes(annotations.length === 0 ? "" : part.text);
  for (const annotation of annotations) {
    const list = citationList(annotation, dialect);
    if (list === undefined) continue;
    const at = part.annotations?.indexOf(annotation) ?? 0;
    const wire = encodeCitation(annotation, bytes, dialect, (...steps) =>
      report.lose("residue-clash", ["annotations", at, "extra", dialect, KEPT, ...steps]),
    );
    ((citations ??= {})[list] ??= []).push(wire);
  }
  return citations;
}
