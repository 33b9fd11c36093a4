// Decodes and encodes citations of a text block as annotations of a text part. The positions of a citation refer to the
// cited document, not to the citing text. They are therefore stored as residue with the citation's type, not as the
// annotation's span.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Annotation, TextPart } from "../../../model/parts.ts";
import { storeField } from "../../blocks/fields.ts";
import type { DecodeContext } from "../../dialect.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { restoreResidue, storeForm } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { addSeal, reportUnsentSeals, findSealValue } from "../../kit/seals/seals.ts";
import type { AnthropicLoss } from "../losses.ts";
import type { AnthropicCitation } from "../types.ts";
import type { AnthropicEncodeState } from "./encode-state.ts";

type AnnotationField = "citedText" | "title" | "url" | "source" | "fileId";
type WireFields = Readonly<Partial<Record<AnnotationField, string>>>;

const WEB_LOCATION = "web_search_result_location";
const ENCRYPTED_INDEX = "encrypted_index";
const DOCUMENT_FIELDS: WireFields = { citedText: "cited_text", title: "document_title", fileId: "file_id" };

/** Wire names of the annotation fields, for each type of citation. */
const WIRE_FIELDS = new Map<unknown, WireFields>([
  [WEB_LOCATION, { citedText: "cited_text", title: "title", url: "url" }],
  ["search_result_location", { citedText: "cited_text", title: "title", source: "source" }],
  ["char_location", DOCUMENT_FIELDS],
  ["page_location", DOCUMENT_FIELDS],
  ["content_block_location", DOCUMENT_FIELDS],
]);
const FIELDS: readonly AnnotationField[] = ["citedText", "title", "url", "source", "fileId"];

/** True if a text block has citations. An empty list counts as no citations. */
export function hasCitations(citations: unknown): citations is JsonObject[] {
  return Array.isArray(citations) && citations.length > 0 && citations.every(isObject);
}

/** Decodes the citations of a text block into `part`; returns false if the block has no citations. */
export function decodeCitations(citations: unknown, part: TextPart, context: DecodeContext): boolean {
  if (!hasCitations(citations)) return false;
  part.annotations = citations.map((citation) => decodeCitation(citation, context));
  return true;
}

/**
 * Decodes a citation. Its type is stored as residue, unless the URL and the seal already identify it as a web citation.
 */
export function decodeCitation(citation: JsonObject, context: DecodeContext): Annotation {
  const { type, [ENCRYPTED_INDEX]: index } = citation;
  const wireFields = WIRE_FIELDS.get(type);
  const annotation: Annotation = {
    kind: type === WEB_LOCATION ? "url" : wireFields === undefined ? "other" : "document",
  };
  const decoded = new Set<string>();
  for (const field of FIELDS) {
    const wireField = wireFields?.[field];
    const value = wireField === undefined ? undefined : citation[wireField];
    if (wireField === undefined || typeof value !== "string") continue;
    annotation[field] = value;
    decoded.add(wireField);
  }
  if (annotation.url !== undefined && typeof index === "string") {
    addSeal(annotation, "encrypted", index, context);
    decoded.add("type").add(ENCRYPTED_INDEX);
  }
  for (const key in citation) if (!decoded.has(key)) storeField(annotation, citation, key, context.dialect);
  if (annotation.extra === undefined && !decoded.has("type")) storeForm(annotation, context.dialect, "type", "none");
  return annotation;
}

/**
 * Encodes the annotations of a text as citations. Returns undefined if the text has no list of annotations, or if it
 * has annotations but none of them can be sent as a citation.
 */
export function encodeCitations(
  { annotations }: TextPart,
  state: AnthropicEncodeState,
): AnthropicCitation[] | undefined {
  if (annotations === undefined) return undefined;
  const { pathTracker } = state.context;
  const encoded = pathTracker.each("annotations", annotations, (annotation) => encodeCitation(annotation, state));
  const citations = encoded.filter((citation) => citation !== undefined);
  return citations.length > 0 || annotations.length === 0 ? citations : undefined;
}

const SUPPORTED: ReadonlySet<string> = new Set(["kind", "extra", "seals", ...FIELDS]);

/**
 * Encodes an annotation as a citation. An annotation without residue or a seal of this dialect came from another
 * dialect and cannot refer to a document of this request: its loss is reported, and undefined is returned.
 */
export function encodeCitation(
  annotation: Annotation,
  { context }: AnthropicEncodeState,
): AnthropicCitation | undefined {
  const residue = annotation.extra?.[context.dialect];
  const index = residue?.["type"] === undefined ? findSealValue(annotation, "encrypted", context) : undefined;
  const isWeb = index !== undefined && annotation.url !== undefined;
  if (residue === undefined && !isWeb) {
    context.report.addLoss("annotation-unsupported");
    return undefined;
  }
  const wire: JsonObject = isWeb ? { type: WEB_LOCATION, [ENCRYPTED_INDEX]: index } : {};
  const wireFields = WIRE_FIELDS.get(isWeb ? WEB_LOCATION : residue?.["type"]);
  for (const field of FIELDS) {
    const [wireField, value] = [wireFields?.[field], annotation[field]];
    if (value === undefined) continue;
    if (wireField === undefined) context.report.addLoss("field-unsupported", field);
    else wire[wireField] = value;
  }
  restoreResidue(wire, annotation, context);
  reportNotPortableResidue<AnthropicLoss>(annotation, context);
  reportUnsentSeals(annotation, context, isWeb ? "encrypted" : undefined);
  reportUnsupportedFields(annotation, SUPPORTED, context, "field-unsupported");
  // The cast is necessary for citations of other types, whose fields are restored from residue and are not declared by
  // AnthropicCitation.
  return wire as unknown as AnthropicCitation;
}
