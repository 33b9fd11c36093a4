// Texts with citations. A citation points into what is cited, not into the text that cites it, so that its positions
// are no span: they stay as residue. What is cited on the web has a URL.
import type { JsonObject } from "../../model/json.ts";
import type { Annotation, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import { storeForm, reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportSeals } from "../kit/seals.ts";
import { keepRest } from "./fields.ts";
import type { Code } from "./losses.ts";
import type { Writing } from "./writing.ts";

export const CITED = "citationsContent";

/** The text of a block with citations; one that comes in several pieces stays as it is. */
export function decodeCited(wire: JsonObject, context: DecodeContext): TextPart | undefined {
  const { content, citations } = wire;
  const [only, ...others] = Array.isArray(content) ? content : [];
  if (!isObject(only) || others.length > 0 || Object.keys(only).length !== 1) return undefined;
  const { text } = only;
  if (typeof text !== "string") return undefined;
  const part: TextPart = { type: "text", text };
  const isRead = Array.isArray(citations) && citations.every(isObject);
  if (isRead) part.annotations = citations.map((citation) => decodeCitation(citation, context));
  if (!isRead || citations.length === 0) storeForm(part, context.dialect, "type", CITED);
  return keepRest(part, wire, context.dialect, [CITED], "content", isRead && "citations");
}

export function decodeCitation(citation: JsonObject, { dialect }: DecodeContext): Annotation {
  const { title, source, sourceContent, location } = citation;
  const web = isObject(location) ? location["web"] : undefined;
  const url = isObject(web) && typeof web["url"] === "string" ? web["url"] : undefined;
  const annotation: Annotation = { kind: url === undefined ? "document" : "url" };
  const taken: string[] = [];
  for (const [field, value] of [["title", title] as const, ["source", source] as const]) {
    if (typeof value !== "string") continue;
    annotation[field] = value;
    taken.push(field);
  }
  const cited = citedText(sourceContent);
  if (cited !== undefined) {
    annotation.citedText = cited;
    taken.push("sourceContent");
  }
  if (url !== undefined && isObject(location) && isObject(web)) {
    annotation.url = url;
    taken.push("location");
    keepRest(annotation, web, dialect, ["location", "web"], "url");
    keepRest(annotation, location, dialect, ["location"], "web");
  }
  return keepRest(annotation, citation, dialect, [], ...taken);
}

/** What is cited, where it is one text. */
function citedText(sourceContent: unknown): string | undefined {
  const [only, ...others] = Array.isArray(sourceContent) ? (sourceContent as unknown[]) : [];
  if (!isObject(only) || others.length > 0 || Object.keys(only).length !== 1) return undefined;
  return typeof only["text"] === "string" ? only["text"] : undefined;
}

/** The citations of a text; undefined where there is none to say. */
export function encodeCitations(part: TextPart, form: JsonObject, writing: Writing): JsonObject[] | undefined {
  const { annotations } = part;
  if (annotations === undefined) return undefined;
  const { pathTracker: trail, report } = writing.context;
  const all = trail.each("annotations", annotations, (annotation) => encodeCitation(annotation, writing));
  const said = all.filter((citation) => citation !== undefined);
  if (said.length > 0) return said;
  if (annotations.length > 0) return undefined;
  if (form["type"] === CITED) return said;
  report.addLoss("bookkeeping", "annotations");
  return undefined;
}

const CARRIED: ReadonlySet<string> = new Set(["kind", "title", "source", "citedText", "extra", "seals"]);
const CARRIED_WEB: ReadonlySet<string> = new Set([...CARRIED, "url"]);

/** A citation of what has no URL and is no document cannot be said. */
export function encodeCitation(annotation: Annotation, { context }: Writing): JsonObject | undefined {
  const { kind, title, source, citedText: cited, url } = annotation;
  const isWeb = kind === "url" && url !== undefined;
  if (!isWeb && kind !== "document") {
    context.report.addLoss("annotation-unsaid");
    return undefined;
  }
  const wire: JsonObject = {};
  if (title !== undefined) wire["title"] = title;
  if (source !== undefined) wire["source"] = source;
  if (cited !== undefined) wire["sourceContent"] = [{ text: cited }];
  if (isWeb) wire["location"] = { web: { url } };
  restoreResidue(wire, annotation, context, "location", "web");
  reportNotPortableResidue<Code>(annotation, context);
  reportSeals(annotation, context);
  reportUnsupportedFields(annotation, isWeb ? CARRIED_WEB : CARRIED, context, "field-unsaid");
  return wire;
}
