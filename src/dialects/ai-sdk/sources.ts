// Decodes and encodes sources and citations, which are annotations of a text. A source is a part after the text; a
// citation is inside the text part and has a position. A source that follows no text becomes an opaque part.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Annotation, TextPart } from "../../model/parts.ts";
import { copyField, isObject, unknownFields } from "../kit/fields/read-wire.ts";
import { readForm, storeResidue, storeForm, restoreFields } from "../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NotPortableLoss } from "../kit/losses/catalog.ts";

/**
 * The id of the dialect of UI messages. Source parts belong to this dialect, because model messages do not have them.
 */
export const UI_DIALECT = "ai-sdk-ui";

type AnnotationContext = EncodeContext<"field-unsupported" | "residue-conflict" | "id-not-portable" | NotPortableLoss>;

/**
 * The wire format of a source, either as a part of a message or inside a citation: the name of its id field, and the
 * fields that mark it as a URL or as a document.
 */
interface SourceFormat {
  id: string;
  url: JsonObject;
  document: JsonObject;
}
const PART_FORMAT: SourceFormat = {
  id: "sourceId",
  url: { type: "source-url" },
  document: { type: "source-document" },
};
const CITATION_FORMAT: SourceFormat = {
  id: "id",
  url: { type: "source", sourceType: "url" },
  document: { type: "source", sourceType: "document" },
};

function hasFields(wire: JsonObject, typeFields: JsonObject): boolean {
  return Object.keys(typeFields).every((key) => wire[key] === typeFields[key]);
}

/** The media type that is written for a document, because annotations have none. */
const DEFAULT_DOCUMENT_TYPE = "text/plain";

function decodeSource(wire: JsonObject, format: SourceFormat): Annotation | undefined {
  const isUrl = hasFields(wire, format.url);
  if (!isUrl && !hasFields(wire, format.document)) return undefined;
  const { url, title, mediaType } = wire;
  const id = wire[format.id];
  const known = new Set(Object.keys(format.url));
  const annotation: Annotation = { kind: isUrl ? "url" : "document" };
  if (isUrl) {
    if (typeof url !== "string") return undefined;
    annotation.url = url;
    known.add("url");
  } else if (typeof title !== "string" || typeof mediaType !== "string") return undefined;
  else if (mediaType === DEFAULT_DOCUMENT_TYPE) known.add("mediaType");
  if (typeof title === "string") {
    annotation.title = title;
    known.add("title");
  }
  // The encoder writes the URL or title as the id of a source without a stored id. So a missing id is stored as a form,
  // and an id that equals the URL or title is not stored.
  if (id === undefined) storeForm(annotation, UI_DIALECT, "id", null);
  else if (id === (annotation.url ?? title)) known.add(format.id);
  storeResidue(annotation, UI_DIALECT, unknownFields(wire, known));
  return annotation;
}

/** Decodes a source part as an annotation; undefined for other parts. */
export function decodeSourcePart(wire: JsonObject): Annotation | undefined {
  return decodeSource(wire, PART_FORMAT);
}

/** Adds a source part to the annotations of the text before it; returns false if `wire` is not a source part. */
export function addSourceAnnotation(part: TextPart, wire: JsonObject): boolean {
  const annotation = decodeSourcePart(wire);
  if (annotation === undefined) return false;
  (part.annotations ??= []).push(annotation);
  return true;
}

const CITATION_FIELDS: ReadonlySet<string> = new Set(["source", "citedText"]);
const SPAN_FIELDS = ["startIndex", "endIndex"] as const;

/**
 * Sets the annotations of a text from its citations; returns false if the list is empty or a citation is unreadable.
 */
export function decodeCitations(part: TextPart, list: JsonValue | undefined): boolean {
  const annotations = decodeCitationList(list);
  if (annotations === undefined) return false;
  part.annotations = annotations;
  return true;
}

/** Decodes a list of citations; undefined if the list is empty or a citation is unreadable. */
export function decodeCitationList(list: JsonValue | undefined): Annotation[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const annotations: Annotation[] = [];
  for (const wire of list) {
    const annotation = isObject(wire) ? decodeCitation(wire) : undefined;
    if (annotation === undefined) return undefined;
    annotations.push(annotation);
  }
  return annotations;
}

function isOffset(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

function decodeCitation(wire: JsonObject): Annotation | undefined {
  const { source, startIndex, endIndex, citedText } = wire;
  if (!isObject(source)) return undefined;
  const inner = decodeSource(source, CITATION_FORMAT);
  if (inner === undefined || (citedText !== undefined && typeof citedText !== "string")) return undefined;
  const { extra: sourceExtra, ...annotationFields } = inner;
  const annotation: Annotation = annotationFields;
  const known = new Set(CITATION_FIELDS);
  if (citedText !== undefined) annotation.citedText = citedText;
  if (isOffset(startIndex) && isOffset(endIndex)) {
    annotation.span = { start: startIndex, end: endIndex };
    for (const field of SPAN_FIELDS) known.add(field);
  }
  // The residue of the source is stored under `source` in the residue of the citation.
  if (sourceExtra !== undefined) storeResidue(annotation, UI_DIALECT, { source: sourceExtra[UI_DIALECT] ?? {} });
  storeResidue(annotation, UI_DIALECT, unknownFields(wire, known));
  if (!isCitation(annotation)) storeForm(annotation, UI_DIALECT, "citation", true);
  return annotation;
}

function isCitation({ span, citedText }: Annotation): boolean {
  return span !== undefined || citedText !== undefined;
}

const ANNOTATION_FIELDS: ReadonlySet<string> = new Set(["kind", "url", "title", "citedText", "span", "extra", "seals"]);

/** Encodes the annotations of a text: citations are written inside the text part, sources as parts after it. */
export function encodeAnnotations(
  part: TextPart,
  context: AnnotationContext,
): { citations: JsonObject[]; sources: JsonObject[] } {
  const citations: JsonObject[] = [];
  const sources: JsonObject[] = [];
  context.pathTracker.each("annotations", part.annotations ?? [], (annotation) => {
    const { citation, source } = encodeAnnotation(annotation, context);
    if (citation !== undefined) citations.push(citation);
    if (source !== undefined) sources.push(source);
  });
  return { citations, sources };
}

/**
 * Encodes an annotation and returns it as `source` or as `citation`. If it cannot be encoded, reports a loss and
 * returns an empty object.
 */
export function encodeAnnotation(
  annotation: Annotation,
  context: AnnotationContext,
): { citation?: JsonObject; source?: JsonObject } {
  const { report } = context;
  const { kind, url, title } = annotation;
  if (kind === "other" || (kind === "url" && url === undefined) || (kind === "file" && title === undefined)) {
    report.addLoss("field-unsupported");
    return {};
  }
  if (kind === "file") report.addLoss("field-unsupported", "kind");
  reportUnsupportedFields(annotation, ANNOTATION_FIELDS, context, "field-unsupported");
  if (kind !== "url" && url !== undefined) report.addLoss("field-unsupported", "url");
  annotation.seals?.forEach((seal, at) =>
    report.addLoss(seal.kind === "id" ? "id-not-portable" : "seal-not-portable", ["seals", at]),
  );
  // The residue of sources is always stored under the dialect of UI messages, even by the decoder of the `streamText`
  // stream. So only the residue of other dialects is reported.
  reportNotPortableResidue(annotation, { ...context, dialect: UI_DIALECT });
  const residue = annotation.extra?.[UI_DIALECT] ?? {};
  const isCited = isCitation(annotation) || readForm(annotation, UI_DIALECT)["citation"] === true;
  if (!isCited) return { source: encodeSource(annotation, PART_FORMAT, residue, context) };
  const inner = isObject(residue["source"]) ? residue["source"] : {};
  const citation: JsonObject = { source: encodeSource(annotation, CITATION_FORMAT, inner, context) };
  if (annotation.span !== undefined) {
    citation["startIndex"] = annotation.span.start;
    citation["endIndex"] = annotation.span.end;
  }
  if (annotation.citedText !== undefined) citation["citedText"] = annotation.citedText;
  const { source: _, ...others } = residue;
  restoreFields(citation, others, (...path) => report.addLoss("residue-conflict", ["extra", UI_DIALECT, ...path]));
  return { citation };
}

function encodeSource(
  annotation: Annotation,
  format: SourceFormat,
  residue: JsonObject,
  { report }: AnnotationContext,
): JsonObject {
  const { kind, url, title } = annotation;
  const isUrl = kind === "url";
  const wire: JsonObject = { ...(isUrl ? format.url : format.document) };
  const form = readForm({ extra: { [UI_DIALECT]: residue } }, UI_DIALECT);
  if (form["id"] !== null && residue[format.id] === undefined) wire[format.id] = (isUrl ? url : title) ?? "";
  if (isUrl) wire["url"] = url ?? "";
  else if (residue["mediaType"] === undefined) wire["mediaType"] = DEFAULT_DOCUMENT_TYPE;
  if (title !== undefined) wire["title"] = title;
  else if (!isUrl && residue["title"] === undefined) wire["title"] = "";
  restoreFields(wire, residue, (...path) => report.addLoss("residue-conflict", ["extra", UI_DIALECT, ...path]));
  return wire;
}

/** Converts a source event to a source part; undefined if its source type is unknown. */
export function toSourcePart(wire: JsonObject): JsonObject | undefined {
  const { type: _, sourceType, id, ...others } = wire;
  const typeFields =
    sourceType === "url" ? PART_FORMAT.url : sourceType === "document" ? PART_FORMAT.document : undefined;
  if (typeFields === undefined) return undefined;
  const part: JsonObject = { ...typeFields };
  if (id !== undefined) part[PART_FORMAT.id] = id;
  for (const key of Object.keys(others)) if (others[key] !== undefined) copyField(others, key, part);
  return part;
}

/** Converts a source part to a source event; undefined for other parts. */
export function toSourceEvent(wire: JsonObject): JsonObject | undefined {
  const isUrl = hasFields(wire, PART_FORMAT.url);
  if (!isUrl && !hasFields(wire, PART_FORMAT.document)) return undefined;
  const { type: _, sourceId, ...others } = wire;
  const source: JsonObject = { ...(isUrl ? CITATION_FORMAT.url : CITATION_FORMAT.document), id: sourceId ?? "" };
  for (const key of Object.keys(others)) copyField(others, key, source);
  return source;
}
