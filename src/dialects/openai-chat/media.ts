// Images, audio, video and files, as blocks of content.
import { base64Of, dataUrl, readDataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { AudioPart, FilePart, MediaPart, Part } from "../../model/parts.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { isObject } from "../kit/read.ts";
import { isFileOf } from "../kit/openai-shared.ts";
import { storeForm } from "../kit/residue.ts";
import { issuerOf } from "../kit/seals.ts";
import { encodeDocument, isTextType } from "./documents.ts";
import { carrying, finishPart } from "./finish-part.ts";
import type { Reading } from "./reading.ts";
import { formatOfMimeType, mimeTypeOfFormat } from "./terms.ts";
import type { ChatFile, ChatImage } from "./types.ts";
import type { Vendor } from "./vendors.ts";
import { isOwn } from "./vendors.ts";
import type { Writing } from "./writing.ts";
import { isFree, placeOf, spelling } from "./writing.ts";

/** Blocks that hold a URL, and what is there. Only images are OpenAI's own. */
const BY_URL = { image_url: "image", video_url: "video", audio_url: "audio" } as const;

export function isMedia(part: Part): part is MediaPart {
  const { type } = part;
  return type === "image" || type === "audio" || type === "video" || type === "file";
}

/** Where media came that plainly have no place there: in a result, or in an assistant's content. */
export function stoodAt(part: MediaPart, writing: Writing): JsonValue | undefined {
  return spelling(part, "at", writing);
}

/** The part of a media block; undefined where the block is none, or lacks what it needs. */
export function decodeMedia(type: string, wire: JsonObject, reading: Reading): MediaPart | undefined {
  const value = wire[type];
  if (type in BY_URL) return decodeByUrl(type as keyof typeof BY_URL, value, reading);
  if (!isObject(value)) return undefined;
  if (type === "input_audio") return decodeAudio(value, reading);
  return type === "file" ? decodeFile(value, reading) : undefined;
}

/** Inline data and its type where a URL holds just these, else the URL. */
function sourceOf(url: string): Pick<MediaPart, "url" | "data" | "mimeType"> {
  const read = readDataUrl(url);
  // An odd spelling would not come back.
  return read !== undefined && url.startsWith(dataUrl(read.mimeType, "")) ? read : { url };
}

function decodeByUrl(
  type: keyof typeof BY_URL,
  value: JsonValue | undefined,
  { context }: Reading,
): MediaPart | undefined {
  const isBare = typeof value === "string";
  const url = isBare ? value : isObject(value) ? value["url"] : undefined;
  if (typeof url !== "string") return undefined;
  const part: MediaPart = { type: BY_URL[type], ...sourceOf(url) };
  if (type !== "image_url") storeForm(part, context.dialect, "in", type);
  if (isBare) storeForm(part, context.dialect, "as", "string");
  else if (isObject(value)) keepOthers(part, value, ["url"], context, type);
  return part;
}

function decodeAudio(value: JsonObject, { context }: Reading): AudioPart | undefined {
  const { data, format } = value;
  if (typeof data !== "string") return undefined;
  const part: AudioPart = { type: "audio", data };
  // Some vendors take more than OpenAI does.
  if (format !== "wav" && format !== "mp3" && format !== undefined) storeForm(part, context.dialect, "as", "format");
  const mimeType = typeof format === "string" ? mimeTypeOfFormat(format) : undefined;
  const isTold = mimeType !== undefined && formatOfMimeType(mimeType) === format;
  if (isTold) part.mimeType = mimeType;
  else if (format === undefined) storeForm(part, context.dialect, "as", "bare");
  keepOthers(part, value, isTold ? ["data", "format"] : ["data"], context, "input_audio");
  return part;
}

function decodeFile(value: JsonObject, { context }: Reading): FilePart | undefined {
  const { file_data: data, file_id: id, filename } = value;
  const known = ["filename"];
  const part: FilePart = { type: "file" };
  if (typeof data === "string") {
    known.push("file_data");
    Object.assign(part, sourceOf(data));
    if (isTextType(part.mimeType)) storeForm(part, context.dialect, "as", "data");
    if (part.url !== undefined) {
      const isUrl = /^(?:https?|data):/i.test(data);
      if (!isUrl) {
        delete part.url;
        part.data = data;
      }
      storeForm(part, context.dialect, "as", isUrl ? "url" : "bare");
    }
  } else if (typeof id === "string") {
    known.push("file_id");
    part.fileId = id;
    part.issuer = issuerOf(context);
  } else {
    return undefined;
  }
  if (typeof filename === "string") part.name = filename;
  else known.shift();
  keepOthers(part, value, known, context, "file");
  return part;
}

const WITH_SOURCE = {
  url: carrying("url"),
  data: carrying("data", "mimeType"),
  text: carrying("text", "mimeType"),
} as const;
const NAMED = {
  url: carrying("url", "name"),
  data: carrying("data", "mimeType", "name"),
  text: carrying("text", "mimeType", "name"),
  fileId: carrying("fileId", "name", "issuer"),
} as const;

/** The block of a media part; undefined where it cannot be said, which is reported. */
export function encodeMedia(part: MediaPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const place = placeOf(part, writing);
  if (part.type === "file") return encodeFile(part, writing);
  if (part.type === "audio" && place !== "audio_url" && (part.data ?? part.text) !== undefined) {
    return encodeAudio(part, writing);
  }
  const type = `${part.type}_url` as const;
  if (type !== "image_url" && place !== type && !takes(type, writing)) {
    context.report.addLoss(part.type === "audio" ? "media-elsewhere" : "part-unsayable");
    return undefined;
  }
  const source = pickSource(part, writing);
  if (source === undefined) return undefined;
  const url = urlOf(part, source, writing);
  const wire: JsonObject =
    type === "image_url" ? ({ type, image_url: { url } } satisfies ChatImage) : { type, [type]: { url } };
  finishPart(wire, part, WITH_SOURCE[source], writing, type);
  if (spelling(part, "as", writing) === "string") wire[type] = url;
  return wire;
}

export function takes(what: NonNullable<Vendor["takes"]>[number], { vendor }: Writing): boolean {
  return vendor?.takes?.includes(what) === true;
}

/** The source that can be said. */
function pickSource(part: MediaPart, { context }: Writing): keyof typeof WITH_SOURCE | undefined {
  for (const source of ["url", "data", "text"] as const) if (part[source] !== undefined) return source;
  context.report.addLoss(part.fileId === undefined ? "media-elsewhere" : "file-id");
  return undefined;
}

function urlOf(part: MediaPart, source: keyof typeof WITH_SOURCE, writing: Writing): string {
  if (source === "url") return part.url ?? "";
  return dataUrl(...inline(part, writing));
}

/** Type and base64 of what is inline. */
function inline(part: MediaPart, { context }: Writing): [mimeType: string, data: string] {
  const { data, text = "", mimeType } = part;
  if (data !== undefined) return [mimeType ?? guess(part, data, context.report), data];
  context.report.addLoss("text-as-data", "text");
  return [mimeType ?? "text/plain", base64Of(text)];
}

/** How the base64 of common formats begins. */
const BEGINNINGS: readonly (readonly [head: string, mimeType: string])[] = [
  ["/9j/", "image/jpeg"],
  ["iVBOR", "image/png"],
  ["R0lG", "image/gif"],
  ["JVBER", "application/pdf"],
  ["SUQz", "audio/mpeg"],
  ["//", "audio/mpeg"],
];
const FALLBACKS = { image: "image/webp", audio: "audio/wav", video: "video/mp4", file: "application/octet-stream" };

function guess({ type }: MediaPart, data: string, report: Writing["context"]["report"]): string {
  report.addLoss("mime-guessed", "mimeType");
  return BEGINNINGS.find(([head]) => data.startsWith(head))?.[1] ?? FALLBACKS[type];
}

function encodeAudio(part: AudioPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const isBare = part.mimeType === undefined && wasBare(part, writing);
  const [mimeType, data] = isBare ? ["", part.data ?? ""] : inline(part, writing);
  const sound: JsonObject = { data };
  if (!isBare) {
    const format = formatOfMimeType(mimeType);
    const isTaken = format === "wav" || format === "mp3" || spelling(part, "as", writing) === "format";
    if (!isTaken && context.repair && isOwn(writing.vendor)) {
      context.report.addLoss("media-unfit");
      return undefined;
    }
    sound["format"] = format;
  }
  const carried = WITH_SOURCE[part.data === undefined ? "text" : "data"];
  return finishPart({ type: "input_audio", input_audio: sound }, part, carried, writing, "input_audio");
}

/** Whether inline data came without a type, or with one that stays residue. */
function wasBare(part: AudioPart | FilePart, writing: Writing): boolean {
  return spelling(part, "as", writing) === "bare" || !isFree(part, "format", writing, "input_audio");
}

function encodeFile(part: FilePart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const { fileId, issuer } = part;
  const document = encodeDocument(part, writing);
  if (document !== undefined) return document;
  const file: ChatFile["file"] = {};
  let carried: ReadonlySet<string>;
  if (fileId !== undefined && isFileOf(issuer, context)) {
    file.file_id = fileId;
    carried = NAMED.fileId;
  } else {
    const source = pickSource(part, writing);
    if (source === undefined) return undefined;
    if (source === "url" && spelling(part, "as", writing) !== "url" && !takes("file_url", writing)) {
      context.report.addLoss("media-elsewhere");
      return undefined;
    }
    const isBare = source === "data" && part.mimeType === undefined && wasBare(part, writing);
    file.file_data = isBare ? (part.data ?? "") : urlOf(part, source, writing);
    carried = NAMED[source];
  }
  if (part.name !== undefined) file.filename = part.name;
  else if (context.repair && file.file_data !== undefined && part.url === undefined) {
    context.report.addLoss("field-filled", "name");
    file.filename = part.mimeType === "application/pdf" ? "file.pdf" : "file";
  }
  return finishPart({ type: "file", file }, part, carried, writing, "file");
}
