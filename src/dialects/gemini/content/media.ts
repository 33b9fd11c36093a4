// Decodes and encodes media parts: inline data, and files by URI. The MIME type determines the type of the canonical
// part.
import { encodeBase64, readDataUrl } from "../../../model/data-url.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { Issuer, MediaPart } from "../../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { isSealFor } from "../../kit/seals/seals.ts";
import { toIssuer } from "../../kit/seals/seals.ts";
import type { GeminiLossCode } from "../losses.ts";
import { storeUnknownFields } from "./decode-state.ts";
import type { GeminiBlob, GeminiFileData, GeminiMediaPart } from "../types.ts";
import { sniffMimeType } from "../../kit/fields/sniff-mime-type.ts";

/** URIs that only Google can open: Files API and Google Cloud Storage. */
const GOOGLE_FILE = /^(?:gs:\/\/|files\/|https:\/\/generativelanguage\.googleapis\.com\/)/;
const YOUTUBE = /^https?:\/\/(?:(?:www|m)\.)?youtu(?:be\.com|\.be)\//;
const MEDIA_TYPE_PREFIX = /^(image|audio|video)\//;

function toMediaPartType(mimeType: unknown, uri: string | undefined): MediaPart["type"] {
  if (typeof mimeType !== "string") return uri !== undefined && YOUTUBE.test(uri) ? "video" : "file";
  // The cast is safe: the expression captures only "image", "audio" or "video", and the default is "file".
  return (MEDIA_TYPE_PREFIX.exec(mimeType)?.[1] ?? "file") as MediaPart["type"];
}

/** Decodes inline data or a file; returns undefined if the data or the URI is missing. */
export function decodeMedia(
  data: JsonObject,
  key: "inlineData" | "fileData",
  context: DecodeContext,
): MediaPart | undefined {
  const { mimeType, displayName } = data;
  const sourceKey = key === "inlineData" ? "data" : "fileUri";
  const source = data[sourceKey];
  if (typeof source !== "string") return undefined;
  const uri = key === "inlineData" ? undefined : source;
  const part: MediaPart = { type: toMediaPartType(mimeType, uri) };
  const decodedKeys = [sourceKey];
  if (uri === undefined) part.data = source;
  else if (GOOGLE_FILE.test(uri)) Object.assign(part, { fileId: uri, issuer: toIssuer(context) });
  else part.url = uri;
  if (typeof mimeType === "string") {
    part.mimeType = mimeType;
    decodedKeys.push("mimeType");
  } else if (findMimeTypeOfUrl(part) !== undefined) storeForm(part, context.dialect, "mimeType", null);
  if (typeof displayName === "string") {
    part.name = displayName;
    decodedKeys.push("displayName");
  }
  storeUnknownFields(part, data, decodedKeys, context.dialect, key);
  return part;
}

const COMMON_FIELDS = ["type", "extra", "seals", "mimeType", "name"];
const FIELDS_BY_SOURCE = {
  data: new Set([...COMMON_FIELDS, "data"]),
  url: new Set([...COMMON_FIELDS, "url"]),
  text: new Set([...COMMON_FIELDS, "text"]),
  fileId: new Set([...COMMON_FIELDS, "fileId", "issuer"]),
} as const satisfies Partial<Record<keyof MediaPart, ReadonlySet<string>>>;
type GeminiMediaSource = keyof typeof FIELDS_BY_SOURCE;

const METADATA_LOSSES = { cache: "metadata-dropped", size: "metadata-dropped" } as const;

/** Encodes a media part; returns undefined for a dropped part, which is reported. */
export function encodeMedia(part: MediaPart, context: EncodeContext<GeminiLossCode>): GeminiMediaPart | undefined {
  const { report } = context;
  const source = (["data", "url", "fileId", "text"] as const).find((each) => part[each] !== undefined);
  const value = source === undefined ? undefined : part[source];
  if (source === undefined || value === undefined) {
    report.addLoss("media-source-unsupported");
    return undefined;
  }
  if (source === "fileId" && !isGoogleFile(value, part.issuer, context)) {
    report.addLoss("file-id-not-portable");
    return undefined;
  }
  reportUnsupportedFields(part, FIELDS_BY_SOURCE[source], context, "field-unsupported", METADATA_LOSSES);
  const media = toGeminiMedia(part, source, value, context);
  const mimeType = media.inlineData?.mimeType ?? media.fileData?.mimeType;
  if (toMediaPartType(mimeType, media.fileData?.fileUri) !== part.type) report.addLoss("media-kind-changed", "type");
  return media;
}

function isGoogleFile(id: string, issuer: Issuer | undefined, context: EncodeContext): boolean {
  return issuer === undefined ? GOOGLE_FILE.test(id) : isSealFor(issuer, context);
}

function toGeminiMedia(
  part: MediaPart,
  source: GeminiMediaSource,
  value: string,
  context: EncodeContext<GeminiLossCode>,
): GeminiMediaPart {
  const { mimeType, name } = part;
  const { report } = context;
  const inline = source === "url" ? readDataUrl(value) : undefined;
  if (source === "fileId" || (source === "url" && inline === undefined)) {
    const urlMimeType =
      source === "url" && mimeType === undefined && context.repair ? findMimeTypeOfUrl(part) : undefined;
    const usesUrlMimeType = urlMimeType !== undefined && readForm(part, context.dialect)["mimeType"] === undefined;
    if (usesUrlMimeType) report.addLoss("mime-type-from-url", "mimeType");
    return {
      fileData: withNameAndType<GeminiFileData>({ fileUri: value }, usesUrlMimeType ? urlMimeType : mimeType, name),
    };
  }
  if (inline !== undefined) {
    report.addLoss("url-as-data", "url");
    return { inlineData: withNameAndType<GeminiBlob>({ data: inline.data }, mimeType ?? inline.mimeType, name) };
  }
  if (source === "text") {
    report.addLoss("text-as-data", "text");
    return { inlineData: withNameAndType<GeminiBlob>({ data: encodeBase64(value) }, mimeType ?? "text/plain", name) };
  }
  return {
    inlineData: withNameAndType<GeminiBlob>({ data: value }, mimeType ?? guessMimeType(part, value, context), name),
  };
}

function withNameAndType<T extends GeminiBlob | GeminiFileData>(
  data: T,
  mimeType: string | undefined,
  name?: string,
): T {
  if (mimeType !== undefined) data.mimeType = mimeType;
  if (name !== undefined) data.displayName = name;
  return data;
}

const MIME_TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["png", "image/png"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["heic", "image/heic"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["ogg", "audio/ogg"],
  ["flac", "audio/flac"],
  ["mp4", "video/mp4"],
  ["mov", "video/quicktime"],
  ["webm", "video/webm"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
]);

/**
 * Returns the MIME type for the file extension in the part's URL; undefined if the extension is unknown, or if its MIME
 * type belongs to another type of media part.
 */
function findMimeTypeOfUrl({ url = "", type }: MediaPart): string | undefined {
  const [path = ""] = /^https?:/.test(url) ? url.split(/[?#]/, 1) : [];
  const mimeType = MIME_TYPES_BY_EXTENSION.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
  return mimeType !== undefined && toMediaPartType(mimeType, undefined) === type ? mimeType : undefined;
}

const DEFAULT_MIME_TYPES = {
  image: "image/jpeg",
  audio: "audio/mpeg",
  video: "video/mp4",
  file: "application/octet-stream",
};

/**
 * Guesses a MIME type, because Gemini rejects inline data without a MIME type. Returns undefined if repairs are turned
 * off.
 */
function guessMimeType({ type }: MediaPart, data: string, context: EncodeContext<GeminiLossCode>): string | undefined {
  if (!context.repair) return undefined;
  context.report.addLoss("mime-type-guessed", "mimeType");
  return sniffMimeType(data, (sniffedType) => sniffedType === type) ?? DEFAULT_MIME_TYPES[type];
}
