// Sources and citations. What a text was told to rest on is annotations: a source that stands behind it, and a citation
// that says where. A source that stands elsewhere belongs to no text, and is kept as it is.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Annotation, TextPart } from "../../model/parts.ts";
import { copyField, isObject, unknownFields } from "./read.ts";
import {
  readForm,
  storeResidue,
  storeForm,
  putBack,
  reportNotPortableResidue,
  reportUnsupportedFields,
} from "./residue.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NotPortableLoss } from "./residue.ts";

/** The dialect that sources belong to: of the SDK's two shapes, only messages for people hold them. */
export const UI = "ai-sdk-ui";

type Context = EncodeContext<"field-unsaid" | "residue-clash" | "id-foreign" | NotPortableLoss>;

/** What a source is called in each place: among the parts, and within a citation. */
interface Spelling {
  id: string;
  url: JsonObject;
  document: JsonObject;
}
const PART: Spelling = { id: "sourceId", url: { type: "source-url" }, document: { type: "source-document" } };
const CITED: Spelling = {
  id: "id",
  url: { type: "source", sourceType: "url" },
  document: { type: "source", sourceType: "document" },
};

function isSpelled(wire: JsonObject, words: JsonObject): boolean {
  return Object.keys(words).every((key) => wire[key] === words[key]);
}

/** Plain media type of a document that nobody gave one. */
const PLAIN = "text/plain";

function decodeSource(wire: JsonObject, spelling: Spelling): Annotation | undefined {
  const isUrl = isSpelled(wire, spelling.url);
  if (!isUrl && !isSpelled(wire, spelling.document)) return undefined;
  const { url, title, mediaType } = wire;
  const id = wire[spelling.id];
  const known = new Set(Object.keys(spelling.url));
  const annotation: Annotation = { kind: isUrl ? "url" : "document" };
  if (isUrl) {
    if (typeof url !== "string") return undefined;
    annotation.url = url;
    known.add("url");
  } else if (typeof title !== "string" || typeof mediaType !== "string") return undefined;
  else if (mediaType === PLAIN) known.add("mediaType");
  if (typeof title === "string") {
    annotation.title = title;
    known.add("title");
  }
  // Where nobody gave a source an id, it has that of what it names.
  if (id === undefined) storeForm(annotation, UI, "id", null);
  else if (id === (annotation.url ?? title)) known.add(spelling.id);
  storeResidue(annotation, UI, unknownFields(wire, known));
  return annotation;
}

/** The annotation that a source among the parts is. */
export function sourceAnnotation(wire: JsonObject): Annotation | undefined {
  return decodeSource(wire, PART);
}

/** Makes an annotation of a source that stands behind its text; false where it is none. */
export function annotate(part: TextPart, wire: JsonObject): boolean {
  const annotation = sourceAnnotation(wire);
  if (annotation === undefined) return false;
  (part.annotations ??= []).push(annotation);
  return true;
}

const CITATION: ReadonlySet<string> = new Set(["source", "citedText"]);
const SPAN = ["startIndex", "endIndex"] as const;

/** Takes over the citations of a text; false where one of them cannot be read. */
export function decodeCitations(part: TextPart, list: JsonValue | undefined): boolean {
  const annotations = decodeCitationList(list);
  if (annotations === undefined) return false;
  part.annotations = annotations;
  return true;
}

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

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

function decodeCitation(wire: JsonObject): Annotation | undefined {
  const { source, startIndex, endIndex, citedText } = wire;
  if (!isObject(source)) return undefined;
  const inner = decodeSource(source, CITED);
  if (inner === undefined || (citedText !== undefined && typeof citedText !== "string")) return undefined;
  const { extra: kept, ...said } = inner;
  const annotation: Annotation = said;
  const known = new Set(CITATION);
  if (citedText !== undefined) annotation.citedText = citedText;
  if (isCount(startIndex) && isCount(endIndex)) {
    annotation.span = { start: startIndex, end: endIndex };
    for (const field of SPAN) known.add(field);
  }
  // What was kept of the source stands within it.
  if (kept !== undefined) storeResidue(annotation, UI, { source: kept[UI] ?? {} });
  storeResidue(annotation, UI, unknownFields(wire, known));
  if (!isCitation(annotation)) storeForm(annotation, UI, "citation", true);
  return annotation;
}

function isCitation({ span, citedText }: Annotation): boolean {
  return span !== undefined || citedText !== undefined;
}

const CARRIED: ReadonlySet<string> = new Set(["kind", "url", "title", "citedText", "span", "extra", "seals"]);

/** What a text's annotations go out as: citations in it, and sources behind it. */
export function encodeAnnotations(
  part: TextPart,
  context: Context,
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

/** The source or the citation that an annotation is; neither where it cannot be said. */
export function encodeAnnotation(
  annotation: Annotation,
  context: Context,
): { citation?: JsonObject; source?: JsonObject } {
  const { report } = context;
  const { kind, url, title } = annotation;
  if (kind === "other" || (kind === "url" && url === undefined) || (kind === "file" && title === undefined)) {
    report.addLoss("field-unsaid");
    return {};
  }
  if (kind === "file") report.addLoss("field-unsaid", "kind");
  reportUnsupportedFields(annotation, CARRIED, context, "field-unsaid");
  if (kind !== "url" && url !== undefined) report.addLoss("field-unsaid", "url");
  annotation.seals?.forEach((seal, at) =>
    report.addLoss(seal.kind === "id" ? "id-foreign" : "seal-foreign", ["seals", at]),
  );
  // What was kept of a source is for whoever writes sources.
  reportNotPortableResidue(annotation, { ...context, dialect: UI });
  const residue = annotation.extra?.[UI] ?? {};
  const isCited = isCitation(annotation) || readForm(annotation, UI)["citation"] === true;
  if (!isCited) return { source: encodeSource(annotation, PART, residue, context) };
  const inner = isObject(residue["source"]) ? residue["source"] : {};
  const citation: JsonObject = { source: encodeSource(annotation, CITED, inner, context) };
  if (annotation.span !== undefined) {
    citation["startIndex"] = annotation.span.start;
    citation["endIndex"] = annotation.span.end;
  }
  if (annotation.citedText !== undefined) citation["citedText"] = annotation.citedText;
  const { source: _, ...others } = residue;
  putBack(citation, others, (...path) => report.addLoss("residue-clash", ["extra", UI, ...path]));
  return { citation };
}

function encodeSource(
  annotation: Annotation,
  spelling: Spelling,
  residue: JsonObject,
  { report }: Context,
): JsonObject {
  const { kind, url, title } = annotation;
  const isUrl = kind === "url";
  const wire: JsonObject = { ...(isUrl ? spelling.url : spelling.document) };
  const form = readForm({ extra: { [UI]: residue } }, UI);
  if (form["id"] !== null && residue[spelling.id] === undefined) wire[spelling.id] = (isUrl ? url : title) ?? "";
  if (isUrl) wire["url"] = url ?? "";
  else if (residue["mediaType"] === undefined) wire["mediaType"] = PLAIN;
  if (title !== undefined) wire["title"] = title;
  else if (!isUrl && residue["title"] === undefined) wire["title"] = "";
  putBack(wire, residue, (...path) => report.addLoss("residue-clash", ["extra", UI, ...path]));
  return wire;
}

/** The source part that an answer named, in the form that UI messages have it. */
export function sourcePart(wire: JsonObject): JsonObject | undefined {
  const { type: _, sourceType, id, ...others } = wire;
  const words = sourceType === "url" ? PART.url : sourceType === "document" ? PART.document : undefined;
  if (words === undefined) return undefined;
  const part: JsonObject = { ...words };
  if (id !== undefined) part[PART.id] = id;
  for (const key of Object.keys(others)) if (others[key] !== undefined) copyField(others, key, part);
  return part;
}

/** A source part as an answer names it; undefined where it is none. */
export function partSource(wire: JsonObject): JsonObject | undefined {
  const isUrl = isSpelled(wire, PART.url);
  if (!isUrl && !isSpelled(wire, PART.document)) return undefined;
  const { type: _, sourceId, ...others } = wire;
  const source: JsonObject = { ...(isUrl ? CITED.url : CITED.document), id: sourceId ?? "" };
  for (const key of Object.keys(others)) copyField(others, key, source);
  return source;
}
