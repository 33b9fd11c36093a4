// Decodes and encodes citation metadata (sources that an answer quotes at length) as annotations of its text. A list
// that the annotations cannot restore exactly is stored as residue.
import type { JsonObject } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { Annotation, TextPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeResidue, storeForm, restoreFields } from "../../kit/residue/residue.ts";
import { Utf8Offsets } from "./byte-offsets.ts";
import type { GeminiLossCode } from "../losses.ts";
import type { GeminiCitations } from "../types.ts";

/**
 * The fields for the list of citations: `citationSources` in the Gemini API, which counts UTF-8 bytes, and `citations`
 * in Vertex AI.
 */
const CITATION_LISTS = ["citationSources", "citations"] as const;
type CitationListName = (typeof CITATION_LISTS)[number];
const LIST_FORM = "list";
const CITATION_RESIDUE = "citation";

/** Adds the citations to the text as annotations; returns the names of the decoded lists. */
export function decodeCitations(metadata: JsonObject, part: TextPart, dialect: string): CitationListName[] {
  const bytes = new Utf8Offsets(part.text);
  return CITATION_LISTS.filter((list) => {
    const citations = metadata[list];
    if (!Array.isArray(citations) || citations.length === 0 || !citations.every(isObject)) return false;
    const annotations = citations.map((citation) => decodeCitation(citation, list, bytes, dialect));
    const encodedCitations = annotations.map((annotation) => encodeCitation(annotation, bytes, dialect));
    if (!sameJson(encodedCitations, citations)) return false;
    part.annotations = [...(part.annotations ?? []), ...annotations];
    return true;
  });
}

function decodeCitation(citation: JsonObject, list: CitationListName, bytes: Utf8Offsets, dialect: string): Annotation {
  const { uri, title, startIndex = 0, endIndex } = citation;
  const annotation: Annotation = { kind: typeof uri === "string" ? "url" : "document" };
  if (typeof uri === "string") annotation.url = uri;
  if (typeof title === "string") annotation.title = title;
  const [start, end] = [bytes.toUnit(startIndex), bytes.toUnit(endIndex)];
  // Vertex AI does not document whether its offsets count bytes or code units. They are used only if the end offset is
  // the same in both units.
  const hasKnownUnit = list === "citationSources" || end === endIndex;
  if (start !== undefined && end !== undefined && start <= end && hasKnownUnit) annotation.span = { start, end };
  if (annotation.span !== undefined && citation["startIndex"] === 0) storeForm(annotation, dialect, "start", 0);
  const encoded = encodeCitation(annotation, bytes, dialect);
  const rest: JsonObject = {};
  for (const key of Object.keys(citation)) if (!Object.hasOwn(encoded, key)) copyField(citation, key, rest);
  if (Object.keys(rest).length > 0) storeResidue(annotation, dialect, rest, CITATION_RESIDUE);
  storeForm(annotation, dialect, LIST_FORM, list);
  return annotation;
}

function encodeCitation(
  annotation: Annotation,
  bytes: Utf8Offsets,
  dialect: string,
  reportConflict: (...steps: string[]) => void = () => {},
): JsonObject {
  const { url, title, span } = annotation;
  const wire: JsonObject = {};
  if (span !== undefined) {
    const startIndex = bytes.toByte(span.start);
    if (startIndex > 0 || readForm(annotation, dialect)["start"] === 0) wire["startIndex"] = startIndex;
    wire["endIndex"] = bytes.toByte(span.end);
  }
  if (url !== undefined) wire["uri"] = url;
  if (title !== undefined) wire["title"] = title;
  const residue = annotation.extra?.[dialect]?.[CITATION_RESIDUE];
  if (isObject(residue)) restoreFields(wire, residue, reportConflict);
  return wire;
}

/**
 * Collects the annotations of an answer that are citations. Gemini returns citations only for answers with exactly one
 * text part.
 */
export class CitationCollector {
  citations: GeminiCitations | undefined;
  readonly #context: EncodeContext<GeminiLossCode>;
  /**
   * The only text part of the answer, which the citations refer to; undefined if the answer has no text or several
   * texts.
   */
  readonly #citedPart: TextPart | undefined;
  #bytes: Utf8Offsets | undefined;

  constructor(citedPart: TextPart | undefined, context: EncodeContext<GeminiLossCode>) {
    this.#citedPart = citedPart;
    this.#context = context;
  }

  /**
   * Adds an annotation that was decoded from a citation. Returns false for other annotations, and for a citation of a
   * text that is not the only text of the answer. The path tracker must be at the annotation.
   */
  addIfCitation(annotation: Annotation, part: TextPart): boolean {
    const { dialect, report } = this.#context;
    const form = annotation.extra === undefined ? undefined : readForm(annotation, dialect)[LIST_FORM];
    const list = CITATION_LISTS.find((each) => each === form);
    if (list === undefined) return false;
    if (part !== this.#citedPart) {
      report.addLoss("form-stale", ["extra", dialect, "$form", LIST_FORM]);
      if (annotation.extra?.[dialect]?.[CITATION_RESIDUE] !== undefined)
        report.addLoss("residue-conflict", ["extra", dialect, CITATION_RESIDUE]);
      return false;
    }
    const reportConflict = (...steps: string[]): void =>
      report.addLoss("residue-conflict", ["extra", dialect, CITATION_RESIDUE, ...steps]);
    const citation = encodeCitation(annotation, (this.#bytes ??= new Utf8Offsets(part.text)), dialect, reportConflict);
    ((this.citations ??= {})[list] ??= []).push(citation);
    return true;
  }
}
