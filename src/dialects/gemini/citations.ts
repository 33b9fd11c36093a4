// Citations: what an answer quotes at length, as annotations of its text. What annotations would not give back exactly
// stays as it came.
import type { JsonObject } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { Annotation, TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeResidue, storeForm, putBack } from "../kit/residue.ts";
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
  if (annotation.span !== undefined && citation["startIndex"] === 0) storeForm(annotation, dialect, "start", 0);
  const said = encodeCitation(annotation, bytes, dialect);
  const rest: JsonObject = {};
  for (const key of Object.keys(citation)) if (!Object.hasOwn(said, key)) copyField(citation, key, rest);
  if (Object.keys(rest).length > 0) storeResidue(annotation, dialect, rest, KEPT);
  storeForm(annotation, dialect, LIST, list);
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
    if (startIndex > 0 || readForm(annotation, dialect)["start"] === 0) wire["startIndex"] = startIndex;
    wire["endIndex"] = bytes.byte(span.end);
  }
  if (url !== undefined) wire["uri"] = url;
  if (title !== undefined) wire["title"] = title;
  const kept = annotation.extra?.[dialect]?.[KEPT];
  if (isObject(kept)) putBack(wire, kept, clash);
  return wire;
}

/** Writes the annotations of a text that are citations; only the one text of an answer has them. */
export class CitationWriter {
  citations: GeminiCitations | undefined;
  readonly #context: EncodeContext<Code>;
  /** The text that citations are about. */
  readonly #only: TextPart | undefined;
  #bytes: Bytes | undefined;

  constructor(only: TextPart | undefined, context: EncodeContext<Code>) {
    this.#only = only;
    this.#context = context;
  }

  /** Takes an annotation that was read as a citation; false for every other. The trail stands at the annotation. */
  take(annotation: Annotation, part: TextPart): boolean {
    const { dialect, report } = this.#context;
    const form = annotation.extra === undefined ? undefined : readForm(annotation, dialect)[LIST];
    const list = LISTS.find((each) => each === form);
    if (list === undefined) return false;
    if (part !== this.#only) {
      report.addLoss("form-stale", ["extra", dialect, "$form", LIST]);
      if (annotation.extra?.[dialect]?.[KEPT] !== undefined) report.addLoss("residue-clash", ["extra", dialect, KEPT]);
      return false;
    }
    const clash = (...steps: string[]): void => report.addLoss("residue-clash", ["extra", dialect, KEPT, ...steps]);
    const citation = encodeCitation(annotation, (this.#bytes ??= new Bytes(part.text)), dialect, clash);
    ((this.citations ??= {})[list] ??= []).push(citation);
    return true;
  }
}
