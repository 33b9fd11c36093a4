// Images, files and audio that are put in: as a URL, inline, or by the id of an uploaded file.
import { base64Of, dataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { AudioPart, ImagePart, MediaPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { isObject } from "../kit/read.ts";
import { carryShared, isFileOf, SHARED_IMAGE, textOfContent } from "../kit/openai-shared.ts";
import { storeForm } from "../kit/residue.ts";
import { issuerOf } from "../kit/seals.ts";
import { Terms } from "../kit/terms.ts";
import type { InputAudio } from "./types.ts";
import type { Writing } from "./writing.ts";
import { carrying, reportPart, spelled } from "./writing.ts";

/** The fields in which media may stand: inline or as a URL, as a URL only, by id. The first that is a string counts. */
const FIELDS = {
  image: ["image_url", "image_url", "file_id"],
  file: ["file_data", "file_url", "file_id"],
} as const;

const INPUT_AUDIO = "input_audio";
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
  const inner = block[INPUT_AUDIO];
  if (!isObject(inner)) return undefined;
  const { data, format } = inner;
  const mimeType = typeof format === "string" ? AUDIO.ours(format) : undefined;
  if (typeof data !== "string" || mimeType === undefined) return undefined;
  const part: AudioPart = { type: "audio", data, mimeType };
  // The API does not document audio; some who speak its dialect take it.
  storeForm(part, context.dialect, "in", INPUT_AUDIO);
  keepOthers(part, inner, ["data", "format"], context, INPUT_AUDIO);
  keepOthers(part, block, ["type", INPUT_AUDIO], context);
  return part;
}

const SOURCES = ["url", "data", "text", "fileId", "content", "path", "blob"] as const;

/** The block, without what was kept of it; undefined where the part was left out. */
export function encodeMedia(part: MediaPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  if (part.type === "video") return drop("part-unsayable", writing);
  const source = SOURCES.find((each) => part[each] !== undefined);
  if (source === "fileId" && !isFileOf(part.issuer, context)) return drop("file-id", writing);
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
      block[inline] = inlined(part, part.text ?? "", writing);
      break;
    default: {
      const text = part.type === "file" ? textOfContent(part) : undefined;
      if (text === undefined) return drop("media-elsewhere", writing);
      block[inline] = inlined(part, text, writing);
    }
  }
  const isInline = source !== "url" && source !== "fileId";
  if (part.type === "file") reportPart(part, isInline ? INLINE_FILE : FILE, writing);
  else reportPart(withDetail(block, part, writing), isInline ? INLINE_IMAGE : IMAGE, writing);
  for (const other of SOURCES)
    if (other !== source && part[other] !== undefined) context.report.addLoss("field-unsaid", other);
  if (part.type === "file") encodeName(part, block, isInline, writing);
  return block;
}

/** How closely to look at an image is said in Chat, too; what is left to report of it. */
function withDetail(block: JsonObject, image: ImagePart, { context }: Writing): ImagePart {
  const isOwn = image.extra?.[context.dialect]?.["detail"] !== undefined;
  return image.extra === undefined || isOwn ? image : carryShared(block, image, SHARED_IMAGE, context);
}

/** Whether an image can be said. */
export function isShowable({ url, data, text, fileId, issuer }: ImagePart, { context }: Writing): boolean {
  return (url ?? data ?? text) !== undefined || (fileId !== undefined && isFileOf(issuer, context));
}

const IMAGE = carrying("cache", ...SOURCES);
const INLINE_IMAGE = carrying("cache", "mimeType", ...SOURCES);
const FILE = carrying("cache", "name", ...SOURCES);
const INLINE_FILE = carrying("cache", "mimeType", "name", ...SOURCES);
const AUDIO_FIELDS = carrying("cache", "data", "mimeType");

function drop(code: "part-unsayable" | "file-id" | "media-elsewhere", { context }: Writing): undefined {
  context.report.addLoss(code);
}

function encodeAudio(part: AudioPart, source: string | undefined, writing: Writing): JsonObject | undefined {
  if (source !== "data") return drop(source === "fileId" ? "file-id" : "media-elsewhere", writing);
  const format = AUDIO.theirs(part.mimeType ?? "");
  if (format === undefined || spelled(part, writing.context)["in"] !== INPUT_AUDIO)
    return drop("part-unsayable", writing);
  reportPart(part, AUDIO_FIELDS, writing);
  return { type: "input_audio", input_audio: { data: part.data ?? "", format } } satisfies InputAudio;
}

/** The bytes as a data URL; without a type they go out as they came. */
function inlined(part: MediaPart, text: string, { context }: Writing): JsonValue {
  const { data, mimeType } = part;
  if (data === undefined) {
    context.report.addLoss("text-as-data", part.text === undefined ? "content" : "text");
    return dataUrl(mimeType ?? "text/plain", base64Of(text));
  }
  if (mimeType !== undefined) return dataUrl(mimeType, data);
  if (part.type === "file") return data;
  context.report.addLoss("field-filled", "mimeType");
  return dataUrl("image/png", data);
}

/** A file's name, which the target wants of every file that is sent inline. */
function encodeName({ name, mimeType }: MediaPart, block: JsonObject, isInline: boolean, { context }: Writing): void {
  if (name !== undefined) block["filename"] = name;
  else if (isInline && context.repair) {
    context.report.addLoss("field-filled", "name");
    block["filename"] = mimeType === "application/pdf" ? "file.pdf" : "file.txt";
  }
}
