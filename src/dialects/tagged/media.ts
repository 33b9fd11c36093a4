// Decodes and encodes media of tagged messages: images, audio and documents with a URL or inline data, and a media
// type.
import { encodeBase64, formatDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { MediaPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { readForm, storeForm } from "../kit/residue/residue.ts";
import type { TaggedLossCode } from "./losses.ts";
import { reportTaggedFields } from "./losses.ts";
import { FieldReader, restoreRemaining, wasDataOmitted } from "./field-reader.ts";
import { toDataField, TAGGED_KINDS } from "./wire-names.ts";
import { readExactDataUrl } from "../kit/fields/exact-data-url.ts";

type TaggedMediaType = "image" | "audio" | "file";

/** Decodes the data object of a media part; undefined if it has neither a URL nor data. */
export function decodeMedia(type: TaggedMediaType, data: JsonObject, context: DecodeContext): MediaPart | undefined {
  const reader = new FieldReader(data, context);
  const url = reader.readString("url");
  const inline = reader.readString("data");
  const mimeType = reader.readString("media_type");
  const name = type === "file" ? reader.readString("file_name") : undefined;
  if (url === undefined && inline === undefined) return undefined;
  const part: MediaPart = { type };
  // If the wire has a URL and non-empty data, the data is the source, because a URL can expire; the URL becomes
  // residue.
  if (inline !== undefined && (inline !== "" || url === undefined)) {
    part.data = inline;
    reader.releaseField("url");
  } else if (url !== undefined) {
    reader.releaseField("data");
    const dataUrlContent = readExactDataUrl(url, mimeType);
    if (dataUrlContent === undefined) part.url = url;
    else {
      part.data = dataUrlContent.data;
      part.mimeType = dataUrlContent.mimeType;
      storeForm(part, context.dialect, "url", "embedded");
      reader.expectField("media_type");
    }
  }
  if (mimeType !== undefined) part.mimeType = mimeType;
  if (name !== undefined) part.name = name;
  reader.storeRemaining(part, toDataField(TAGGED_KINDS[type]));
  return part;
}

const SOURCES = ["url", "data", "text", "content", "fileId", "path", "blob"] as const;
const COMMON_FIELDS = ["type", "extra", "mimeType", ...SOURCES];
const SUPPORTED: ReadonlySet<string> = new Set(COMMON_FIELDS);
const SUPPORTED_WITH_NAME: ReadonlySet<string> = new Set([...COMMON_FIELDS, "name"]);

export function encodeMedia(part: MediaPart, context: EncodeContext<TaggedLossCode>): JsonObject | undefined {
  const source = SOURCES.find((each) => part[each] !== undefined && isSupportedSource(each));
  if (source === undefined) {
    context.report.addLoss(part.fileId === undefined ? "media-source-unsupported" : "file-id-not-portable");
    return undefined;
  }
  for (const other of SOURCES) {
    if (other !== source && part[other] !== undefined) context.report.addLoss("field-unsupported", other);
  }
  const kind = part.type === "video" ? TAGGED_KINDS.file : TAGGED_KINDS[part.type];
  const isDocument = kind === TAGGED_KINDS.file;
  if (part.type === "video") context.report.addLoss("media-as-file");
  reportTaggedFields(part, isDocument ? SUPPORTED_WITH_NAME : SUPPORTED, context);
  const data = encodeSource(part, context);
  if (isDocument && part.name !== undefined) data["file_name"] = part.name;
  const field = toDataField(kind);
  return restoreRemaining({ kind, [field]: data }, part, context, field);
}

function isSupportedSource(source: (typeof SOURCES)[number]): source is "url" | "data" | "text" {
  return source === "url" || source === "data" || source === "text";
}

function encodeSource(part: MediaPart, context: EncodeContext<TaggedLossCode>): JsonObject {
  const { mimeType } = part;
  const form = readForm(part, context.dialect);
  const data: JsonObject = {};
  if (part.url !== undefined) data["url"] = part.url;
  else if (part.data !== undefined) {
    const wasEmbedded = form["url"] === "embedded";
    if (wasEmbedded && mimeType !== undefined) data["url"] = formatDataUrl(mimeType, part.data);
    else data["data"] = part.data;
    if (wasEmbedded && mimeType === undefined) context.report.addLoss("form-stale", ["extra", context.dialect]);
  } else {
    context.report.addLoss("text-as-data", "text");
    data["data"] = encodeBase64(part.text ?? "");
    if (mimeType === undefined && (part.type === "file" || part.type === "video")) data["media_type"] = "text/plain";
  }
  const isInUrl = data["url"] !== part.url && wasDataOmitted(form, "media_type");
  if (mimeType !== undefined && !isInUrl) data["media_type"] = mimeType;
  return data;
}
