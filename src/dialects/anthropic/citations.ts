// Citations and annotations. A citation points into the cited document, not into the text that cites it, so that its
// positions are no span: they stay as residue, with the word for what kind of place they name.
import type { JsonObject } from "../../model/json.ts";
import type { Annotation, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import { storeForm, reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { addSeal, reportSeals, sealOf } from "../kit/seals.ts";
import { keepField } from "./fields.ts";
import type { Code } from "./losses.ts";
import type { Citation } from "./types.ts";
import type { Writing } from "./writing.ts";

type Field = "citedText" | "title" | "url" | "source" | "fileId";
type Names = Readonly<Partial<Record<Field, string>>>;

const WEB = "web_search_result_location";
const INDEX = "encrypted_index";
const IN_DOCUMENT: Names = { citedText: "cited_text", title: "document_title", fileId: "file_id" };

/** What the fields of an annotation are called in each type of citation. */
const NAMES = new Map<unknown, Names>([
  [WEB, { citedText: "cited_text", title: "title", url: "url" }],
  ["search_result_location", { citedText: "cited_text", title: "title", source: "source" }],
  ["char_location", IN_DOCUMENT],
  ["page_location", IN_DOCUMENT],
  ["content_block_location", IN_DOCUMENT],
]);
const FIELDS: readonly Field[] = ["citedText", "title", "url", "source", "fileId"];

/** Whether the citations of a text are there to be read: an empty list is a way to say that there are none. */
export function isCited(citations: unknown): citations is JsonObject[] {
  return Array.isArray(citations) && citations.length > 0 && citations.every(isObject);
}

/** Reads the citations of a text; false where there are none. */
export function readCitations(citations: unknown, part: TextPart, context: DecodeContext): boolean {
  if (!isCited(citations)) return false;
  part.annotations = citations.map((citation) => decodeCitation(citation, context));
  return true;
}

/** An annotation. Only a web citation that can be told by its seal does not keep the word for its type. */
export function decodeCitation(citation: JsonObject, context: DecodeContext): Annotation {
  const { type, [INDEX]: index } = citation;
  const names = NAMES.get(type);
  const annotation: Annotation = { kind: type === WEB ? "url" : names === undefined ? "other" : "document" };
  const taken = new Set<string>();
  for (const field of FIELDS) {
    const name = names?.[field];
    const value = name === undefined ? undefined : citation[name];
    if (name === undefined || typeof value !== "string") continue;
    annotation[field] = value;
    taken.add(name);
  }
  if (annotation.url !== undefined && typeof index === "string") {
    addSeal(annotation, "encrypted", index, context);
    taken.add("type").add(INDEX);
  }
  for (const key in citation) if (!taken.has(key)) keepField(annotation, citation, key, context.dialect);
  if (annotation.extra === undefined && !taken.has("type")) storeForm(annotation, context.dialect, "type", "none");
  return annotation;
}

/** The citations of a text; undefined where none can be said. */
export function encodeCitations({ annotations }: TextPart, writing: Writing): Citation[] | undefined {
  if (annotations === undefined) return undefined;
  const { pathTracker: trail } = writing.context;
  const citations = trail.each("annotations", annotations, (annotation) => encodeCitation(annotation, writing));
  const said = citations.filter((citation) => citation !== undefined);
  return said.length > 0 || annotations.length === 0 ? said : undefined;
}

const CARRIED: ReadonlySet<string> = new Set(["kind", "extra", "seals", ...FIELDS]);

/** An annotation that is not this dialect's own has nothing here to point to, and is reported. */
export function encodeCitation(annotation: Annotation, { context }: Writing): Citation | undefined {
  const own = annotation.extra?.[context.dialect];
  const index = own?.["type"] === undefined ? sealOf(annotation, "encrypted", context) : undefined;
  const isWeb = index !== undefined && annotation.url !== undefined;
  if (own === undefined && !isWeb) {
    context.report.addLoss("annotation-unsaid");
    return undefined;
  }
  const wire: JsonObject = isWeb ? { type: WEB, [INDEX]: index } : {};
  const names = NAMES.get(isWeb ? WEB : own?.["type"]);
  for (const field of FIELDS) {
    const [name, value] = [names?.[field], annotation[field]];
    if (value === undefined) continue;
    if (name === undefined) context.report.addLoss("field-unsaid", field);
    else wire[name] = value;
  }
  restoreResidue(wire, annotation, context);
  reportNotPortableResidue<Code>(annotation, context);
  reportSeals(annotation, context, isWeb ? "encrypted" : undefined);
  reportUnsupportedFields(annotation, CARRIED, context, "field-unsaid");
  // A web citation, or one of another type that goes back as it came.
  return wire as unknown as Citation;
}
