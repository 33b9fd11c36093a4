// Images, audio and files: base64 data, a URL or a file id, and a format, which is a mime type or a word for one.
import { base64Of, dataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json.ts";
import type { MediaPart } from "../../model/parts.ts";
import type { Kept } from "./kept.ts";
import { keepRest, note } from "./kept.ts";
import type { FlatContext } from "./losses.ts";
import { FLAT } from "./terms.ts";
import type { FlatMedia } from "./types.ts";

type MediaType = FlatMedia["type"];

/** Wire field ⇄ source of the model. Where several stand on the wire, the first is the source. */
const SOURCES = [
  ["data", "data"],
  ["url", "url"],
  ["file_id", "fileId"],
] as const;

/** Words that are not simply the second half of their mime type, and those of files, where no rule helps. */
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

/** The mime type that a format names on media of this type; undefined where nobody can tell. */
function mimeTypeOf(format: string, type: MediaType): string | undefined {
  if (format.includes("/")) return format;
  const word = format.toLowerCase();
  const known = Object.hasOwn(MIME_TYPES, word) ? MIME_TYPES[word] : undefined;
  if (type === "file" || known?.startsWith(`${type}/`) === true) return known;
  return /^[\w.+-]+$/.test(word) ? `${type}/${word}` : undefined;
}

export function isMediaType(type: unknown): type is MediaType {
  return type === "image" || type === "audio" || type === "file";
}

/** The media that a wire part describes; undefined where it does not say where they are. */
export function decodeMedia(type: MediaType, wire: JsonObject): MediaPart | undefined {
  const source = SOURCES.find(([field]) => typeof wire[field] === "string");
  if (source === undefined) return undefined;
  const [field, place] = source;
  const { format, name } = wire;
  // It was found as a string.
  const value = wire[field] as string;
  const part: MediaPart = { type };
  // Another source, and what is no string, are residue.
  const known = new Set(["type", field]);
  if (typeof name === "string") {
    part.name = name;
    known.add("name");
  }
  const mimeType = typeof format === "string" ? mimeTypeOf(format, type) : undefined;
  const inline = place === "fileId" ? undefined : readInline(value, mimeType);
  if (inline === undefined) part[place] = value;
  else {
    part.data = inline.data;
    note(part, "inline", field);
  }
  if (mimeType !== undefined) {
    known.add("format");
    // A data URL says the mime type by itself: there, any format beside it is a deviation.
    if (inline !== undefined || format !== mimeType) note(part, "format", format ?? null);
  }
  const said = inline?.mimeType ?? mimeType;
  if (said !== undefined) part.mimeType = said;
  keepRest(part, wire, known);
  return part;
}

/** A data URL, if writing it again gives the same text and the format beside it does not contradict. */
function readInline(url: string, mimeType: string | undefined): { mimeType: string; data: string } | undefined {
  const inline = readDataUrl(url);
  if (inline === undefined || dataUrl(inline.mimeType, inline.data) !== url) return undefined;
  return mimeType === undefined || mimeType === inline.mimeType ? inline : undefined;
}

/** The wire part for media; undefined, and reported, where they are nowhere that can be said here. */
export function encodeMedia(part: MediaPart, kept: Kept, context: FlatContext): JsonObject | undefined {
  const source = SOURCES.findIndex(([, place]) => part[place] !== undefined);
  if (source < 0 && part.text === undefined) {
    context.report.addLoss("media-elsewhere");
    return undefined;
  }
  const type: MediaType = part.type === "video" ? "file" : part.type;
  if (part.type === "video") context.report.addLoss("media-as-file", "type");
  const wire: JsonObject = { type };
  const { text } = part;
  if (text !== undefined) context.report.addLoss(source < 0 ? "text-as-data" : "field-unsaid", "text");
  const isDocument = text !== undefined && source < 0;
  writeSources(wire, isDocument ? { mimeType: "text/plain", ...part, data: base64Of(text) } : part, type, kept);
  if (part.name !== undefined) wire["name"] = part.name;
  // Another source that would now be read before the one that is written.
  const others = SOURCES.slice(0, Math.max(source, 0)).map(([field]) => field);
  kept.restore(
    wire,
    others.filter((field) => typeof part.extra?.[FLAT]?.[field] === "string"),
  );
  return wire;
}

/** Sources and format. Data go back into the data URL they came in; a word is written while it means the mime type. */
function writeSources(wire: JsonObject, part: MediaPart, type: MediaType, kept: Kept): void {
  const { data, mimeType } = part;
  const isInline = data !== undefined && mimeType !== undefined && part.url === undefined;
  const inline = isInline ? kept.take("inline") : undefined;
  for (const [field, place] of SOURCES) {
    const value = part[place];
    if (value !== undefined) wire[field] = value;
  }
  if (isInline && typeof inline === "string") {
    delete wire["data"];
    wire[inline] = dataUrl(mimeType, data);
  }
  const word = kept.get("format");
  if (typeof word === "string" && mimeTypeOf(word, type) === mimeType) kept.write(wire, "format", undefined);
  else if (mimeType !== undefined && inline === undefined) wire["format"] = mimeType;
}
