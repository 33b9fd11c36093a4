// Images, files and audio that are put in: as a URL, inline, or by the id of an uploaded file.
import { base64Of, dataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { AudioPart, MediaPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject } from "../kit/read.ts";
import { isSealFor } from "../kit/residue.ts";
import { issuerOf } from "../kit/seals.ts";
import { Terms } from "../kit/terms.ts";
import { keepOthers } from "./reading.ts";
import type { InputAudio } from "./types.ts";
import type { Writing } from "./writing.ts";
import { carrying, reportPart } from "./writing.ts";

/** The fields in which media may stand: inline or as a URL, as a URL only, by id. The first that is a string counts. */
const FIELDS = {
  image: ["image_url", "image_url", "file_id"],
  file: ["file_data", "file_url", "file_id"],
} as const;

const AUDIO = new Terms<string, InputAudio["input_audio"]["format"]>([
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
]);

/** An image or a file; undefined where it has no source. */
export function decodeMedia(block: JsonObject, type: "image" | "file", context: DecodeContext): MediaPart | undefined {
  const field = FIELDS[type].find((each) => typeof block[each] === "string");
  const source = field === undefined ? undefined : block[field];
  if (field === undefined || typeof source !== "string") return undefined;
  const part: MediaPart = { type };
  const inline = readDataUrl(source);
  if (field === "file_id") {
    part.fileId = source;
    part.issuer = issuerOf(context);
  } else if (inline !== undefined && field !== "file_url") Object.assign(part, inline);
  else if (field === "file_data") part.data = source;
  else part.url = source;
  const { filename } = block;
  const isNamed = type === "file" && typeof filename === "string";
  if (isNamed) part.name = filename;
  keepOthers(part, block, ["type", field, ...(isNamed ? ["filename"] : [])], context);
  return part;
}

/** Audio stands in an object of its own. */
export function decodeAudio(block: JsonObject, context: DecodeContext): AudioPart | undefined {
  const inner = block["input_audio"];
  if (!isObject(inner)) return undefined;
  const { data, format } = inner;
  const mimeType = typeof format === "string" ? AUDIO.ours(format) : undefined;
  if (typeof data !== "string" || mimeType === undefined) return undefined;
  const part: AudioPart = { type: "audio", data, mimeType };
  keepOthers(part, inner, ["data", "format"], context, "input_audio");
  keepOthers(part, block, ["type", "input_audio"], context);
  return part;
}

const SOURCES = ["url", "data", "text", "fileId", "content", "path", "blob"] as const;

/** The block, without what was kept of it; undefined where the part was left out. */
export function encodeMedia(part: MediaPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  if (part.type === "video") return drop("part-unsayable", writing);
  const source = SOURCES.find((each) => part[each] !== undefined);
  if (source === "fileId" && part.issuer !== undefined && !isSealFor(part.issuer, context))
    return drop("file-id", writing);
  if (part.type === "audio") return encodeAudio(part, source, writing);
  const [inline, url, id] = FIELDS[part.type];
  const block: JsonObject = { type: `input_${part.type}` };
  switch (source) {
    case "url":
      block[url] = part.url ?? "";
      break;
    case "fileId":
      block[id] = part.fileId ?? "";
      break;
    case "data":
    case "text":
      block[inline] = inlined(part, writing);
      break;
    default:
      return drop("media-elsewhere", writing);
  }
  const isInline = source === "data" || source === "text";
  reportPart(part, part.type === "image" ? (isInline ? INLINE_IMAGE : IMAGE) : isInline ? INLINE_FILE : FILE, writing);
  for (const other of SOURCES)
    if (other !== source && part[other] !== undefined) context.report.lose("field-unsaid", other);
  if (part.type === "file") encodeName(part, block, isInline, writing);
  return block;
}

const IMAGE = carrying("cache", ...SOURCES);
const INLINE_IMAGE = carrying("cache", "mimeType", ...SOURCES);
const FILE = carrying("cache", "name", ...SOURCES);
const INLINE_FILE = carrying("cache", "mimeType", "name", ...SOURCES);
const AUDIO_FIELDS = carrying("cache", "data", "mimeType");

function drop(code: "part-unsayable" | "file-id" | "media-elsewhere", { context }: Writing): undefined {
  context.report.lose(code);
}

function encodeAudio(part: AudioPart, source: string | undefined, writing: Writing): JsonObject | undefined {
  if (source !== "data") return drop(source === "fileId" ? "file-id" : "media-elsewhere", writing);
  const format = AUDIO.theirs(part.mimeType ?? "");
  if (format === undefined) return drop("part-unsayable", writing);
  reportPart(part, AUDIO_FIELDS, writing);
  return { type: "input_audio", input_audio: { data: part.data ?? "", format } } satisfies InputAudio;
}

/** The bytes as a data URL; without a type they go out as they came. */
function inlined(part: MediaPart, { context }: Writing): JsonValue {
  const { data, text, mimeType } = part;
  if (data === undefined) {
    context.report.lose("text-as-data", "text");
    return dataUrl(mimeType ?? "text/plain", base64Of(text ?? ""));
  }
  if (mimeType !== undefined) return dataUrl(mimeType, data);
  if (part.type === "file") return data;
  context.report.lose("field-filled", "mimeType");
  return dataUrl("image/png", data);
}

/** A file's name, which the target wants of every file that is sent inline. */
function encodeName({ name, mimeType }: MediaPart, block: JsonObject, isInline: boolean, { context }: Writing): void {
  if (name !== undefined) block["filename"] = name;
  else if (isInline && context.repair) {
    context.report.lose("field-filled", "name");
    block["filename"] = mimeType === "application/pdf" ? "file.pdf" : "file.txt";
  }
}
