// Decodes and encodes text with citations. The positions of a citation refer to the cited document, not to the citing
// text, so they are stored as residue and not as the span of the annotation. Only a citation of a web page has a URL.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Annotation, TextPart } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { restoreResidue, storeForm } from "../../kit/residue/residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import type { BedrockLoss } from "../losses.ts";
import { storeRest } from "./cache-point.ts";
import type { BedrockEncodeState } from "./encode-state.ts";

export const CITATIONS_CONTENT = "citationsContent";

/** Decodes a text with citations; undefined unless its content is exactly one text. */
export function decodeCitationsContent(wire: JsonObject, context: DecodeContext): TextPart | undefined {
  const { content, citations } = wire;
  const text = findOnlyText(content);
  if (text === undefined) return undefined;
  const part: TextPart = { type: "text", text };
  const isDecoded = Array.isArray(citations) && citations.every(isObject);
  if (isDecoded) part.annotations = citations.map((citation) => decodeCitation(citation, context));
  if (!isDecoded || citations.length === 0) storeForm(part, context.dialect, "type", CITATIONS_CONTENT);
  return storeRest(part, wire, context.dialect, [CITATIONS_CONTENT], "content", isDecoded && "citations");
}

/** Returns the text of a list with one text block; undefined for every other list. */
function findOnlyText(content: unknown): string | undefined {
  const [only, ...others] = Array.isArray(content) ? (content as unknown[]) : [];
  if (!isObject(only) || others.length > 0 || Object.keys(only).length !== 1) return undefined;
  return typeof only["text"] === "string" ? only["text"] : undefined;
}

export function decodeCitation(citation: JsonObject, { dialect }: DecodeContext): Annotation {
  const { title, source, sourceContent, location } = citation;
  const web = isObject(location) ? location["web"] : undefined;
  const url = isObject(web) && typeof web["url"] === "string" ? web["url"] : undefined;
  const annotation: Annotation = { kind: url === undefined ? "document" : "url" };
  const decoded: string[] = [];
  for (const [field, value] of [["title", title] as const, ["source", source] as const]) {
    if (typeof value !== "string") continue;
    annotation[field] = value;
    decoded.push(field);
  }
  const citedText = findOnlyText(sourceContent);
  if (citedText !== undefined) {
    annotation.citedText = citedText;
    decoded.push("sourceContent");
  }
  if (url !== undefined && isObject(location) && isObject(web)) {
    annotation.url = url;
    decoded.push("location");
    storeRest(annotation, web, dialect, ["location", "web"], "url");
    storeRest(annotation, location, dialect, ["location"], "web");
  }
  return storeRest(annotation, citation, dialect, [], ...decoded);
}

/**
 * Encodes the annotations of a text as citations. Returns undefined if no citation can be written, so that the text
 * becomes a plain text block; an empty list if the text was decoded from a block with an empty list of citations.
 */
export function encodeCitations(part: TextPart, form: JsonObject, state: BedrockEncodeState): JsonObject[] | undefined {
  const { annotations } = part;
  if (annotations === undefined) return undefined;
  const { pathTracker, report } = state.context;
  const encoded = pathTracker.each("annotations", annotations, (annotation) => encodeCitation(annotation, state));
  const citations = encoded.filter((citation) => citation !== undefined);
  if (citations.length > 0) return citations;
  if (annotations.length > 0) return undefined;
  if (form["type"] === CITATIONS_CONTENT) return citations;
  report.addLoss("metadata-dropped", "annotations");
  return undefined;
}

const SUPPORTED: ReadonlySet<string> = new Set(["kind", "title", "source", "citedText", "extra", "seals"]);
const SUPPORTED_WITH_URL: ReadonlySet<string> = new Set([...SUPPORTED, "url"]);

/**
 * Encodes an annotation as a citation; undefined, with a loss, if the annotation cites neither a document nor a URL.
 */
export function encodeCitation(annotation: Annotation, { context }: BedrockEncodeState): JsonObject | undefined {
  const { kind, title, source, citedText, url } = annotation;
  const isWeb = kind === "url" && url !== undefined;
  if (!isWeb && kind !== "document") {
    context.report.addLoss("annotation-unsupported");
    return undefined;
  }
  const wire: JsonObject = {};
  if (title !== undefined) wire["title"] = title;
  if (source !== undefined) wire["source"] = source;
  if (citedText !== undefined) wire["sourceContent"] = [{ text: citedText }];
  if (isWeb) wire["location"] = { web: { url } };
  restoreResidue(wire, annotation, context, "location", "web");
  reportNotPortableResidue<BedrockLoss>(annotation, context);
  reportUnsentSeals(annotation, context);
  reportUnsupportedFields(annotation, isWeb ? SUPPORTED_WITH_URL : SUPPORTED, context, "field-unsupported");
  return wire;
}
