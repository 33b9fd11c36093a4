// Decodes and encodes media of flat messages: base64 data, a URL or a file id, and a format, which is a MIME type or
// its short form, such as "png".
import { encodeBase64, formatDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { MediaPart } from "../../model/parts.ts";
import type { FlatResidue } from "./residue.ts";
import { storeUnknownFields, storeFlatForm } from "./residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { FLAT } from "./field-names.ts";
import type { FlatMedia } from "./types.ts";
import { readExactDataUrl } from "../kit/fields/exact-data-url.ts";

type FlatMediaType = FlatMedia["type"];

/**
 * The wire fields that can contain the source of a media item, with their canonical fields. If an item has several, the
 * first in this list is decoded.
 */
const SOURCES = [
  ["data", "data"],
  ["url", "url"],
  ["file_id", "fileId"],
] as const;

/**
 * MIME types by short form: for short forms that differ from the subtype of the MIME type ("mp3"), and for items of
 * type "file", whose MIME type can begin with any type.
 */
const MIME_TYPES: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  json: "application/json",
  txt: "text/plain",
  md: "text/markdown",
  html: "text/html",
  csv: "text/csv",
};

/** Returns the MIME type of a format for media of the given type; undefined if the format is unknown. */
function toMimeType(format: string, type: FlatMediaType): string | undefined {
  if (format.includes("/")) return format;
  const formatName = format.toLowerCase();
  const known = Object.hasOwn(MIME_TYPES, formatName) ? MIME_TYPES[formatName] : undefined;
  if (type === "file" || known?.startsWith(`${type}/`) === true) return known;
  return /^[\w.+-]+$/.test(formatName) ? `${type}/${formatName}` : undefined;
}

export function isMediaType(type: unknown): type is FlatMediaType {
  return type === "image" || type === "audio" || type === "file";
}

/** Decodes a media item; undefined if the item has none of the source fields `data`, `url` and `file_id`. */
export function decodeMedia(type: FlatMediaType, wire: JsonObject): MediaPart | undefined {
  const source = SOURCES.find(([field]) => typeof wire[field] === "string");
  if (source === undefined) return undefined;
  const [field, sourceField] = source;
  const { format, name } = wire;
  // The cast is safe, because `find` has checked that the value is a string.
  const value = wire[field] as string;
  const part: MediaPart = { type };
  // Further sources, and a name or format that cannot be decoded, become residue.
  const known = new Set(["type", field]);
  if (typeof name === "string") {
    part.name = name;
    known.add("name");
  }
  const mimeType = typeof format === "string" ? toMimeType(format, type) : undefined;
  const dataUrlContent = sourceField === "fileId" ? undefined : readExactDataUrl(value, mimeType);
  if (dataUrlContent === undefined) part[sourceField] = value;
  else {
    part.data = dataUrlContent.data;
    storeFlatForm(part, "inline", field);
  }
  if (mimeType !== undefined) {
    known.add("format");
    // By default the encoder writes the MIME type as the format, and no format beside a data URL. Every other format is
    // stored as a form.
    if (dataUrlContent !== undefined || format !== mimeType) storeFlatForm(part, "format", format ?? null);
  }
  const partMimeType = dataUrlContent?.mimeType ?? mimeType;
  if (partMimeType !== undefined) part.mimeType = partMimeType;
  storeUnknownFields(part, wire, known);
  return part;
}

/** Encodes a media part; undefined, with a loss, if its source is not supported. */
export function encodeMedia(part: MediaPart, residue: FlatResidue, context: FlatEncodeContext): JsonObject | undefined {
  const source = SOURCES.findIndex(([, sourceField]) => part[sourceField] !== undefined);
  if (source < 0 && part.text === undefined) {
    context.report.addLoss("media-source-unsupported");
    return undefined;
  }
  const type: FlatMediaType = part.type === "video" ? "file" : part.type;
  if (part.type === "video") context.report.addLoss("media-as-file", "type");
  const wire: JsonObject = { type };
  const { text } = part;
  if (text !== undefined) context.report.addLoss(source < 0 ? "text-as-data" : "field-unsupported", "text");
  const isDocument = text !== undefined && source < 0;
  writeSources(wire, isDocument ? { mimeType: "text/plain", ...part, data: encodeBase64(text) } : part, type, residue);
  if (part.name !== undefined) wire["name"] = part.name;
  // Residue may contain further sources. A source that precedes the written one in `SOURCES` is not restored, because a
  // decoder would read it instead of the written one.
  const others = SOURCES.slice(0, Math.max(source, 0)).map(([field]) => field);
  residue.restoreUnknownFields(
    wire,
    others.filter((field) => typeof part.extra?.[FLAT]?.[field] === "string"),
  );
  return wire;
}

/**
 * Writes the source fields and the format. Data that was decoded from a data URL is written as a data URL. A short form
 * that is stored as the format is written if it still stands for the MIME type.
 */
function writeSources(wire: JsonObject, part: MediaPart, type: FlatMediaType, residue: FlatResidue): void {
  const { data, mimeType } = part;
  const canBeDataUrl = data !== undefined && mimeType !== undefined && part.url === undefined;
  const dataUrlField = canBeDataUrl ? residue.takeForm("inline") : undefined;
  for (const [field, sourceField] of SOURCES) {
    const value = part[sourceField];
    if (value !== undefined) wire[field] = value;
  }
  if (canBeDataUrl && typeof dataUrlField === "string") {
    delete wire["data"];
    wire[dataUrlField] = formatDataUrl(mimeType, data);
  }
  const formatName = residue.getForm("format");
  if (typeof formatName === "string" && toMimeType(formatName, type) === mimeType)
    residue.writeField(wire, "format", undefined);
  else if (mimeType !== undefined && dataUrlField === undefined) wire["format"] = mimeType;
}
