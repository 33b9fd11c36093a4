// Images, audio and files: base64 data, a URL or a file id, and a format.
import { dataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject } from "../../model/json.ts";
import type { MediaPart } from "../../model/parts.ts";
import { restOf } from "../read.ts";
import { keepFields, keepForm } from "../residue.ts";
import { mimeTypeOf } from "./formats.ts";
import type { Hints } from "./hints.ts";
import { restoreOrReport } from "./hints.ts";
import type { FlatContext } from "./losses.ts";
import { FLAT } from "./names.ts";
import type { FlatMedia } from "./types.ts";

type MediaType = FlatMedia["type"];

/** Wire field ⇄ source of the model. Where several stand on the wire, the first is the source. */
const SOURCES = [
  ["data", "data"],
  ["url", "url"],
  ["file_id", "fileId"],
] as const;

export function isMediaType(type: unknown): type is MediaType {
  return type === "image" || type === "audio" || type === "file";
}

/** The media part that a wire part describes; undefined where it says nowhere where the media is. */
export function decodeMedia(type: MediaType, wire: JsonObject): MediaPart | undefined {
  const source = SOURCES.find(([field]) => typeof wire[field] === "string");
  const value = source === undefined ? undefined : wire[source[0]];
  if (source === undefined || typeof value !== "string") return undefined;
  const [field, place] = source;
  const part: MediaPart = { type };
  const known = new Set(["type", field]);
  const inline = place === "fileId" ? undefined : readInline(value);
  if (inline === undefined) {
    part[place] = value;
  } else {
    part.data = inline.data;
    part.mimeType = inline.mimeType;
    keepForm(part, FLAT, "inline", field);
  }
  if (typeof wire["format"] === "string" && decodeFormat(wire["format"], type, part)) known.add("format");
  if (typeof wire["name"] === "string") {
    part.name = wire["name"];
    known.add("name");
  }
  keepFields(part, FLAT, restOf(wire, known));
  return part;
}

/** A data URL, if writing it again gives the same text. */
function readInline(url: string): { mimeType: string; data: string } | undefined {
  const inline = readDataUrl(url);
  return inline !== undefined && url.startsWith(dataUrl(inline.mimeType, "")) ? inline : undefined;
}

/** Reads the format, where it says something and does not contradict what a data URL has said already. */
function decodeFormat(format: string, type: MediaType, part: MediaPart): boolean {
  const mimeType = mimeTypeOf(format, type);
  if (mimeType === undefined || (part.mimeType !== undefined && part.mimeType !== mimeType)) return false;
  // A data URL says the mime type by itself: there, any format beside it is a deviation.
  if (part.mimeType !== undefined || format !== mimeType) keepForm(part, FLAT, "format", format);
  part.mimeType = mimeType;
  return true;
}

/** The wire part for media; undefined, and reported, where it is nowhere that can be said here. */
export function encodeMedia(part: MediaPart, hints: Hints, context: FlatContext): JsonObject | undefined {
  const { mimeType, text } = part;
  const type: MediaType = part.type === "video" ? "file" : part.type;
  const sayable = SOURCES.some(([, place]) => part[place] !== undefined);
  if (!sayable && text === undefined) {
    context.report.lose("media-elsewhere");
    return undefined;
  }
  const wire: JsonObject = { type };
  if (part.type === "video") context.report.lose("video-as-file", "type");
  const inline = writeInline(wire, part, hints);
  if (mimeType !== undefined) writeFormat(wire, mimeType, type, inline, hints);
  if (part.name !== undefined) wire["name"] = part.name;
  for (const [field, place] of SOURCES) {
    const value = part[place];
    if (value !== undefined && !(inline && place === "data")) wire[field] = value;
  }
  if (text !== undefined) writeText(wire, text, sayable, context);
  for (const place of ["path", "blob", "content"] as const) {
    if (part[place] !== undefined) context.report.lose("source-dropped", place);
  }
  restoreOrReport(wire, part, FLAT, context, (name, value) => typeof value !== "string" || !overrides(name, wire));
  return wire;
}

/** Whether a field would be read as the source instead of the one that was written. */
function overrides(name: string, wire: JsonObject): boolean {
  const fields: string[] = SOURCES.map(([field]) => field);
  return fields
    .slice(
      0,
      fields.findIndex((field) => Object.hasOwn(wire, field)),
    )
    .includes(name);
}

/** Writes data as the data URL it came as, if it still can be one. */
function writeInline(wire: JsonObject, part: MediaPart, hints: Hints): boolean {
  const { data, mimeType } = part;
  const field = hints.get("inline");
  if ((field !== "data" && field !== "url") || data === undefined || mimeType === undefined) return false;
  if (readDataUrl(dataUrl(mimeType, ""))?.mimeType !== mimeType || (field === "url" && part.url !== undefined))
    return false;
  wire[field] = dataUrl(mimeType, data);
  hints.follow("inline");
  return true;
}

function writeFormat(wire: JsonObject, mimeType: string, type: MediaType, inline: boolean, hints: Hints): void {
  const format = hints.get("format");
  if (typeof format === "string" && mimeTypeOf(format, type) === mimeType) {
    wire["format"] = format;
    hints.follow("format");
  } else if (!inline) {
    wire["format"] = mimeType;
  }
}

function writeText(wire: JsonObject, text: string, sayable: boolean, context: FlatContext): void {
  if (sayable) {
    context.report.lose("source-dropped", "text");
    return;
  }
  context.report.lose("text-as-data", "text");
  wire["format"] ??= "text/plain";
  wire["data"] = base64(text);
}

function base64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
