// Decodes and encodes images, files and audio of the input: inline, by URL, or by file id.
import { encodeBase64, formatDataUrl, readDataUrl } from "../../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { AudioPart, ImagePart, MediaPart } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { canReadFileId, joinTextContent } from "../../openai/files.ts";
import { restoreSiblingFields, SHARED_IMAGE_FIELDS } from "../../openai/sibling-residue.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { toIssuer } from "../../kit/seals/seals.ts";
import { ValueMap } from "../../kit/fields/value-map.ts";
import type { InputAudio } from "../types.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";
import { supportedFields, reportPart, readOwnForm } from "../encode-state.ts";

/** The wire fields for inline data, URL and file id, in this order. The first field that is a string is decoded. */
const SOURCE_FIELDS = {
  image: ["image_url", "image_url", "file_id"],
  file: ["file_data", "file_url", "file_id"],
} as const;

const INPUT_AUDIO = "input_audio";
const AUDIO_FORMATS = new ValueMap<string, InputAudio["input_audio"]["format"]>([
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
]);

/** Decodes an image or a file. Returns undefined if the block has no source. */
export function decodeMedia(block: JsonObject, type: "image" | "file", context: DecodeContext): MediaPart | undefined {
  const field = SOURCE_FIELDS[type].find((each) => typeof block[each] === "string");
  const source = field === undefined ? undefined : block[field];
  if (field === undefined || typeof source !== "string") return undefined;
  const part: MediaPart = { type };
  const inline = readDataUrl(source);
  if (field === "file_id") {
    part.fileId = source;
    part.issuer = toIssuer(context);
  } else if (inline !== undefined && field !== "file_url") Object.assign(part, inline);
  else if (field === "file_data") part.data = source;
  else part.url = source;
  const { filename } = block;
  const isNamed = type === "file" && typeof filename === "string";
  if (isNamed) part.name = filename;
  storeUnknownFields(part, block, ["type", field, ...(isNamed ? ["filename"] : [])], context);
  return part;
}

/**
 * Decodes audio, whose fields are in an inner object. Returns undefined if the data is missing or the format is
 * unknown.
 */
export function decodeAudio(block: JsonObject, context: DecodeContext): AudioPart | undefined {
  const inner = block[INPUT_AUDIO];
  if (!isObject(inner)) return undefined;
  const { data, format } = inner;
  const mimeType = typeof format === "string" ? AUDIO_FORMATS.toModel(format) : undefined;
  if (typeof data !== "string" || mimeType === undefined) return undefined;
  const part: AudioPart = { type: "audio", data, mimeType };
  // The API does not document audio input, but some compatible servers accept it. Only audio with this form is encoded.
  storeForm(part, context.dialect, "in", INPUT_AUDIO);
  storeUnknownFields(part, inner, ["data", "format"], context, INPUT_AUDIO);
  storeUnknownFields(part, block, ["type", INPUT_AUDIO], context);
  return part;
}

const SOURCES = ["url", "data", "text", "fileId", "content", "path", "blob"] as const;

/** Encodes a media part without its residue. Returns undefined and reports a loss if the part is dropped. */
export function encodeMedia(part: MediaPart, state: ResponsesEncodeState): JsonObject | undefined {
  const { context } = state;
  if (part.type === "video") return reportDropped("part-unsupported", state);
  const source = SOURCES.find((each) => part[each] !== undefined);
  if (source === "fileId" && !canReadFileId(part.issuer, context)) return reportDropped("file-id-not-portable", state);
  if (part.type === "audio") return encodeAudio(part, source, state);
  const [inline, url, id] = SOURCE_FIELDS[part.type];
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
      block[inline] = encodeDataUrl(part, part.text ?? "", state);
      break;
    default: {
      const text = part.type === "file" ? joinTextContent(part) : undefined;
      if (text === undefined) return reportDropped("media-source-unsupported", state);
      block[inline] = encodeDataUrl(part, text, state);
    }
  }
  const isInline = source !== "url" && source !== "fileId";
  if (part.type === "file") reportPart(part, isInline ? SUPPORTED_INLINE_FILE : SUPPORTED_FILE, state);
  else reportPart(restoreDetail(block, part, state), isInline ? SUPPORTED_INLINE_IMAGE : SUPPORTED_IMAGE, state);
  for (const other of SOURCES)
    if (other !== source && part[other] !== undefined) context.report.addLoss("field-unsupported", other);
  if (part.type === "file") encodeFilename(part, block, isInline, state);
  return block;
}

/**
 * Restores the image detail from residue of OpenAI Chat. Returns the image with the remaining residue, for reporting.
 */
function restoreDetail(block: JsonObject, image: ImagePart, { context }: ResponsesEncodeState): ImagePart {
  const isOwn = image.extra?.[context.dialect]?.["detail"] !== undefined;
  return image.extra === undefined || isOwn ? image : restoreSiblingFields(block, image, SHARED_IMAGE_FIELDS, context);
}

/** True if an image has a source that the target can receive. */
export function hasImageSource(
  { url, data, text, fileId, issuer }: ImagePart,
  { context }: ResponsesEncodeState,
): boolean {
  return (url ?? data ?? text) !== undefined || (fileId !== undefined && canReadFileId(issuer, context));
}

const SUPPORTED_IMAGE = supportedFields("cache", ...SOURCES);
const SUPPORTED_INLINE_IMAGE = supportedFields("cache", "mimeType", ...SOURCES);
const SUPPORTED_FILE = supportedFields("cache", "name", ...SOURCES);
const SUPPORTED_INLINE_FILE = supportedFields("cache", "mimeType", "name", ...SOURCES);
const SUPPORTED_AUDIO = supportedFields("cache", "data", "mimeType");

function reportDropped(
  code: "part-unsupported" | "file-id-not-portable" | "media-source-unsupported",
  { context }: ResponsesEncodeState,
): undefined {
  context.report.addLoss(code);
}

function encodeAudio(part: AudioPart, source: string | undefined, state: ResponsesEncodeState): JsonObject | undefined {
  if (source !== "data")
    return reportDropped(source === "fileId" ? "file-id-not-portable" : "media-source-unsupported", state);
  const format = AUDIO_FORMATS.toWire(part.mimeType ?? "");
  if (format === undefined || readOwnForm(part, state.context)["in"] !== INPUT_AUDIO)
    return reportDropped("part-unsupported", state);
  reportPart(part, SUPPORTED_AUDIO, state);
  return { type: "input_audio", input_audio: { data: part.data ?? "", format } } satisfies InputAudio;
}

/** Returns inline data as a data URL. The data of a file without a MIME type remains plain base64. */
function encodeDataUrl(part: MediaPart, text: string, { context }: ResponsesEncodeState): JsonValue {
  const { data, mimeType } = part;
  if (data === undefined) {
    context.report.addLoss("text-as-data", part.text === undefined ? "content" : "text");
    return formatDataUrl(mimeType ?? "text/plain", encodeBase64(text));
  }
  if (mimeType !== undefined) return formatDataUrl(mimeType, data);
  if (part.type === "file") return data;
  context.report.addLoss("field-synthesized", "mimeType");
  return formatDataUrl("image/png", data);
}

/** Encodes the file name. The API requires a name for inline files, so a missing name is synthesized. */
function encodeFilename(
  { name, mimeType }: MediaPart,
  block: JsonObject,
  isInline: boolean,
  { context }: ResponsesEncodeState,
): void {
  if (name !== undefined) block["filename"] = name;
  else if (isInline && context.repair) {
    context.report.addLoss("field-synthesized", "name");
    block["filename"] = mimeType === "application/pdf" ? "file.pdf" : "file.txt";
  }
}
