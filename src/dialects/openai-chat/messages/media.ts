// Decodes and encodes content blocks with images, audio, video and files.
import { encodeBase64, formatDataUrl, readDataUrl } from "../../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { AudioPart, FilePart, MediaPart } from "../../../model/parts.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { canReadFileId } from "../../openai/files.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { toIssuer } from "../../kit/seals/seals.ts";
import { encodeDocument, isTextType } from "./text-documents.ts";
import { supportedFields, finishPart } from "./finish-part.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { formatToMimeType, mimeTypeToFormat } from "./audio-formats.ts";
import type { ChatFile, ChatImage } from "../types.ts";
import type { ChatVendor } from "../vendors.ts";
import { isOpenAiOrUnknown } from "../vendors.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField, readSourceField, readFormValue } from "../encode-state.ts";
import { sniffMimeType } from "../../kit/fields/sniff-mime-type.ts";

/** Block types with a URL, and the types of their parts. OpenAI has only `image_url`; the others belong to vendors. */
const URL_BLOCK_PARTS = { image_url: "image", video_url: "video", audio_url: "audio" } as const;

/**
 * Returns "result" for media that were decoded from a tool result and "content" for media from an assistant's content;
 * undefined for other media. The encoder writes the media back to this place.
 */
export function readMediaOrigin(part: MediaPart, state: ChatEncodeState): JsonValue | undefined {
  return readFormValue(part, "at", state);
}

/** Returns the part of a media block; undefined if the block is not a media block or lacks its data. */
export function decodeMedia(type: string, wire: JsonObject, state: ChatDecodeState): MediaPart | undefined {
  const value = wire[type];
  if (type in URL_BLOCK_PARTS) return decodeByUrl(type as keyof typeof URL_BLOCK_PARTS, value, state);
  if (!isObject(value)) return undefined;
  if (type === "input_audio") return decodeAudio(value, state);
  return type === "file" ? decodeFile(value, state) : undefined;
}

/** Returns the MIME type and data of a data URL, and any other URL unchanged. */
function readUrlSource(url: string): Pick<MediaPart, "url" | "data" | "mimeType"> {
  const embedded = readDataUrl(url);
  // A data URL that is not spelled as `formatDataUrl` writes it remains a URL, so that it is encoded unchanged.
  return embedded !== undefined && url.startsWith(formatDataUrl(embedded.mimeType, "")) ? embedded : { url };
}

function decodeByUrl(
  type: keyof typeof URL_BLOCK_PARTS,
  value: JsonValue | undefined,
  { context }: ChatDecodeState,
): MediaPart | undefined {
  const isBareUrl = typeof value === "string";
  const url = isBareUrl ? value : isObject(value) ? value["url"] : undefined;
  if (typeof url !== "string") return undefined;
  const part: MediaPart = { type: URL_BLOCK_PARTS[type], ...readUrlSource(url) };
  if (type !== "image_url") storeForm(part, context.dialect, "in", type);
  if (isBareUrl) storeForm(part, context.dialect, "as", "string");
  else if (isObject(value)) storeUnknownFields(part, value, ["url"], context, type);
  return part;
}

function decodeAudio(value: JsonObject, { context }: ChatDecodeState): AudioPart | undefined {
  const { data, format } = value;
  if (typeof data !== "string") return undefined;
  const part: AudioPart = { type: "audio", data };
  // Some vendors accept more formats than OpenAI; the form allows the encoder to send this format again.
  if (format !== "wav" && format !== "mp3" && format !== undefined) storeForm(part, context.dialect, "as", "format");
  const mimeType = typeof format === "string" ? formatToMimeType(format) : undefined;
  const isReversible = mimeType !== undefined && mimeTypeToFormat(mimeType) === format;
  if (isReversible) part.mimeType = mimeType;
  else if (format === undefined) storeForm(part, context.dialect, "as", "bare");
  storeUnknownFields(part, value, isReversible ? ["data", "format"] : ["data"], context, "input_audio");
  return part;
}

function decodeFile(value: JsonObject, { context }: ChatDecodeState): FilePart | undefined {
  const { file_data: data, file_id: id, filename } = value;
  const known = ["filename"];
  const part: FilePart = { type: "file" };
  if (typeof data === "string") {
    known.push("file_data");
    Object.assign(part, readUrlSource(data));
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
    part.issuer = toIssuer(context);
  } else {
    return undefined;
  }
  if (typeof filename === "string") part.name = filename;
  else known.shift();
  storeUnknownFields(part, value, known, context, "file");
  return part;
}

const SUPPORTED = {
  url: supportedFields("url"),
  data: supportedFields("data", "mimeType"),
  text: supportedFields("text", "mimeType"),
} as const;
const SUPPORTED_OF_FILE = {
  url: supportedFields("url", "name"),
  data: supportedFields("data", "mimeType", "name"),
  text: supportedFields("text", "mimeType", "name"),
  fileId: supportedFields("fileId", "name", "issuer"),
} as const;

/** Encodes a media part as a block. Returns undefined and reports a loss if the target cannot receive the part. */
export function encodeMedia(part: MediaPart, state: ChatEncodeState): JsonObject | undefined {
  const { context } = state;
  const sourceField = readSourceField(part, state);
  if (part.type === "file") return encodeFile(part, state);
  if (part.type === "audio" && sourceField !== "audio_url" && (part.data ?? part.text) !== undefined) {
    return encodeAudio(part, state);
  }
  const type = `${part.type}_url` as const;
  if (type !== "image_url" && sourceField !== type && !vendorSupports(type, state)) {
    context.report.addLoss(part.type === "audio" ? "media-source-unsupported" : "part-unsupported");
    return undefined;
  }
  const source = findSource(part, state);
  if (source === undefined) return undefined;
  const url = encodeUrl(part, source, state);
  const wire: JsonObject =
    type === "image_url" ? ({ type, image_url: { url } } satisfies ChatImage) : { type, [type]: { url } };
  finishPart(wire, part, SUPPORTED[source], state, type);
  if (readFormValue(part, "as", state) === "string") wire[type] = url;
  return wire;
}

export function vendorSupports(
  feature: NonNullable<ChatVendor["supports"]>[number],
  { vendor }: ChatEncodeState,
): boolean {
  return vendor?.supports?.includes(feature) === true;
}

/**
 * Returns the field of the part that is encoded. Returns undefined and reports a loss if the part has only sources that
 * Chat does not support.
 */
function findSource(part: MediaPart, { context }: ChatEncodeState): keyof typeof SUPPORTED | undefined {
  for (const source of ["url", "data", "text"] as const) if (part[source] !== undefined) return source;
  context.report.addLoss(part.fileId === undefined ? "media-source-unsupported" : "file-id-not-portable");
  return undefined;
}

function encodeUrl(part: MediaPart, source: keyof typeof SUPPORTED, state: ChatEncodeState): string {
  if (source === "url") return part.url ?? "";
  return formatDataUrl(...readInlineData(part, state));
}

/** Returns the MIME type and the base64 data of inline media. */
function readInlineData(part: MediaPart, { context }: ChatEncodeState): [mimeType: string, data: string] {
  const { data, text = "", mimeType } = part;
  if (data !== undefined) return [mimeType ?? guessMimeType(part, data, context.report), data];
  context.report.addLoss("text-as-data", "text");
  return [mimeType ?? "text/plain", encodeBase64(text)];
}

/**
 * MIME types of RIFF containers, which are not detected from the data: for them the default of the part's type is used,
 * WebP for an image and WAV for audio.
 */
const RIFF_TYPES: ReadonlySet<string> = new Set(["image/webp", "audio/wav"]);
const DEFAULT_MIME_TYPES = {
  image: "image/webp",
  audio: "audio/wav",
  video: "video/mp4",
  file: "application/octet-stream",
};

function guessMimeType({ type }: MediaPart, data: string, report: ChatEncodeState["context"]["report"]): string {
  report.addLoss("mime-type-guessed", "mimeType");
  return sniffMimeType(data, (_, mimeType) => !RIFF_TYPES.has(mimeType)) ?? DEFAULT_MIME_TYPES[type];
}

function encodeAudio(part: AudioPart, state: ChatEncodeState): JsonObject | undefined {
  const { context } = state;
  const hasNoMimeType = part.mimeType === undefined && hadNoMimeType(part, state);
  const [mimeType, data] = hasNoMimeType ? ["", part.data ?? ""] : readInlineData(part, state);
  const audio: JsonObject = { data };
  if (!hasNoMimeType) {
    const format = mimeTypeToFormat(mimeType);
    const isAccepted = format === "wav" || format === "mp3" || readFormValue(part, "as", state) === "format";
    if (!isAccepted && context.repair && isOpenAiOrUnknown(state.vendor)) {
      context.report.addLoss("media-format-unsupported");
      return undefined;
    }
    audio["format"] = format;
  }
  const supported = SUPPORTED[part.data === undefined ? "text" : "data"];
  return finishPart({ type: "input_audio", input_audio: audio }, part, supported, state, "input_audio");
}

/** True if the decoded data had no MIME type, or a `format` that is residue. No MIME type is guessed then. */
function hadNoMimeType(part: AudioPart | FilePart, state: ChatEncodeState): boolean {
  return readFormValue(part, "as", state) === "bare" || !canFillField(part, "format", state, "input_audio");
}

function encodeFile(part: FilePart, state: ChatEncodeState): JsonObject | undefined {
  const { context } = state;
  const { fileId, issuer } = part;
  const document = encodeDocument(part, state);
  if (document !== undefined) return document;
  const file: ChatFile["file"] = {};
  let supported: ReadonlySet<string>;
  if (fileId !== undefined && canReadFileId(issuer, context)) {
    file.file_id = fileId;
    supported = SUPPORTED_OF_FILE.fileId;
  } else {
    const source = findSource(part, state);
    if (source === undefined) return undefined;
    if (source === "url" && readFormValue(part, "as", state) !== "url" && !vendorSupports("file_url", state)) {
      context.report.addLoss("media-source-unsupported");
      return undefined;
    }
    const hasNoMimeType = source === "data" && part.mimeType === undefined && hadNoMimeType(part, state);
    file.file_data = hasNoMimeType ? (part.data ?? "") : encodeUrl(part, source, state);
    supported = SUPPORTED_OF_FILE[source];
  }
  if (part.name !== undefined) file.filename = part.name;
  else if (context.repair && file.file_data !== undefined && part.url === undefined) {
    context.report.addLoss("field-synthesized", "name");
    file.filename = part.mimeType === "application/pdf" ? "file.pdf" : "file";
  }
  return finishPart({ type: "file", file }, part, supported, state, "file");
}
