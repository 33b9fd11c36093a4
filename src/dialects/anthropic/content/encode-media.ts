// Encodes media parts as Anthropic image, document and search result blocks.
import { readDataUrl } from "../../../model/data-url.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { FilePart, ImagePart, MediaPart, MediaSources } from "../../../model/parts.ts";
import { decodeBase64Text, sniffVisualMimeType, TEXTUAL_TYPE } from "../../blocks/media.ts";
import { isSealFor } from "../../kit/seals/seals.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import type { AnthropicBlockPosition, AnthropicEncodeState } from "./encode-state.ts";
import { closeBlock } from "./encode-state.ts";

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const PDF = "application/pdf";
const PLAIN_TEXT = "text/plain";

/** The sources of a media part that Anthropic supports, in the order of preference. */
const SOURCE_FIELDS = ["data", "url", "fileId", "text", "content"] as const;
type AnthropicSourceField = (typeof SOURCE_FIELDS)[number];
const COMMON_FIELDS: readonly string[] = ["type", "extra", "cache", "seals"];

export function encodeMedia(
  part: MediaPart,
  position: AnthropicBlockPosition,
  state: AnthropicEncodeState,
): JsonObject | undefined {
  const { context } = state;
  const { report } = context;
  const isRejected = position === "system" || (position === "document" && part.type !== "image");
  if (part.type === "audio" || part.type === "video" || (isRejected && context.repair)) {
    report.addLoss("part-unsupported");
    return undefined;
  }
  if (position === "assistant" && context.repair) {
    report.addLoss("media-format-unsupported");
    return undefined;
  }
  if (part.fileId !== undefined && part.issuer !== undefined && !isSealFor(part.issuer, context)) {
    report.addLoss("file-id-not-portable");
    return undefined;
  }
  const sourceField = SOURCE_FIELDS.find((field) => part[field] !== undefined);
  const hasTextSource = sourceField === "text" || sourceField === "content";
  if (sourceField === undefined || (part.type === "image" && hasTextSource)) {
    report.addLoss("media-source-unsupported");
    return undefined;
  }
  return encodeMediaBlock(part, sourceField, state);
}

function encodeMediaBlock(
  part: ImagePart | FilePart,
  sourceField: AnthropicSourceField,
  state: AnthropicEncodeState,
): JsonObject | undefined {
  const { context } = state;
  const form = part.extra === undefined ? {} : readForm(part, context.dialect);
  const isDocument = part.type === "file";
  const isSearchResult = isDocument && form["type"] === "search_result";
  const supported = new Set([...COMMON_FIELDS, sourceField, sourceField === "fileId" ? "issuer" : ""]);
  if (sourceField === "data" || sourceField === "text") supported.add("mimeType");
  if (isDocument) supported.add("name");
  const wire: JsonObject = { type: isDocument ? "document" : "image" };
  if (isSearchResult && sourceField === "content") {
    wire["type"] = "search_result";
    wire["content"] = state.encodeParts(part.content ?? [], "content", "document", state);
  } else {
    if (isSearchResult) context.report.addLoss("form-stale", ["extra", context.dialect]);
    const source =
      sourceField === "content" ? encodeContentSource(part, form, state) : encodeSource(part, sourceField, form, state);
    if (source === undefined) return undefined;
    wire["source"] = source;
  }
  if (isDocument && part.name !== undefined) wire["title"] = part.name;
  reportUnsentSeals(part, context);
  return closeBlock(wire, part, supported, state, "source");
}

function encodeContentSource(
  { content = [] }: MediaSources,
  form: JsonObject,
  state: AnthropicEncodeState,
): JsonObject {
  const blocks = state.encodeParts(content, "content", "document", state);
  const [only] = blocks;
  const isText = form["content"] === "string" && blocks.length === 1 && only?.["type"] === "text";
  if (isText && Object.keys(only).length === 2) return { type: "content", content: only["text"] ?? "" };
  return { type: "content", content: blocks };
}

function encodeSource(
  part: ImagePart | FilePart,
  sourceField: Exclude<AnthropicSourceField, "content">,
  form: JsonObject,
  state: AnthropicEncodeState,
): JsonObject | undefined {
  const { context } = state;
  const value = part[sourceField] ?? "";
  switch (sourceField) {
    case "url": {
      const inline = context.repair ? readDataUrl(value) : undefined;
      if (inline === undefined) return { type: "url", url: value };
      context.report.addLoss("media-converted", "url");
      return encodeDataSource({ ...part, ...inline }, inline.data, state);
    }
    case "fileId":
      return { type: "file", file_id: value };
    case "text":
      return encodeTextSource(value, form["media_type"] === "none" ? undefined : part.mimeType, form, state);
    case "data":
      return encodeDataSource(part, value, state);
  }
}

function encodeTextSource(
  text: string,
  mimeType: string | undefined,
  form: JsonObject,
  { context }: AnthropicEncodeState,
): JsonObject {
  if (mimeType === undefined && form["media_type"] === "none") return { type: "text", data: text };
  const isUnsupported = mimeType !== undefined && mimeType !== PLAIN_TEXT;
  if (isUnsupported && context.repair) context.report.addLoss("mime-type-corrected", "mimeType");
  return { type: "text", media_type: isUnsupported && !context.repair ? mimeType : PLAIN_TEXT, data: text };
}

/**
 * Encodes base64 data as the source of an image or a PDF; the data of a text file is decoded and sent as text. Returns
 * undefined if Anthropic does not support the format.
 */
function encodeDataSource(
  part: ImagePart | FilePart,
  data: string,
  state: AnthropicEncodeState,
): JsonObject | undefined {
  const { context } = state;
  const source: JsonObject = { type: "base64" };
  let { mimeType } = part;
  if (context.repair) {
    if (mimeType === undefined) {
      mimeType = sniffVisualMimeType(data);
      if (mimeType !== undefined) context.report.addLoss("mime-type-corrected");
    }
    if (part.type === "file" && mimeType !== undefined && TEXTUAL_TYPE.test(mimeType)) {
      context.report.addLoss("media-converted", part.data === undefined ? "url" : "data");
      return encodeTextSource(decodeBase64Text(data), mimeType, {}, state);
    }
    if (part.type === "file" ? mimeType !== PDF : !IMAGE_TYPES.has(mimeType)) {
      context.report.addLoss("media-format-unsupported");
      return undefined;
    }
  }
  if (mimeType !== undefined) source["media_type"] = mimeType;
  source["data"] = data;
  return source;
}
