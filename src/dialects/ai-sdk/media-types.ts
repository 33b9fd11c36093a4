// Converts media types and file references of the AI SDK. A media type may be only the part before the slash, such as
// "image". A file reference maps provider keys to file ids.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { MediaPart } from "../../model/parts.ts";
import { MEDIA_SOURCES } from "../../model/validation/message-shapes.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { ValueMap } from "../kit/fields/value-map.ts";

type MediaPartType = MediaPart["type"];

/** Matches a URL scheme with its colon, which base64 data cannot start with. */
const URL_LIKE = /^[a-z][a-z\d+.-]*:/i;

export function isUrl(text: string): boolean {
  return URL_LIKE.test(text.slice(0, 64));
}

export function toMediaPartType(mediaType: string): MediaPartType {
  const family = mediaType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

/**
 * Returns the MIME type of a media type; undefined if the media type is only "image", "audio" or "video", because the
 * type of the part already expresses it.
 */
export function toMimeType(mediaType: string): string | undefined {
  return mediaType === toMediaPartType(mediaType) && mediaType !== "file" ? undefined : mediaType;
}

/** Returns the media type of a part. The AI SDK requires a media type and derives the kind of media from it. */
export function encodeMediaType(
  { type, mimeType }: MediaPart,
  { report }: EncodeContext<"mime-type-guessed" | "media-kind-changed">,
): string {
  if (mimeType === undefined && type !== "file") return type;
  if (mimeType === undefined) report.addLoss("mime-type-guessed", "mimeType");
  else if (toMediaPartType(mimeType) !== type || toMimeType(mimeType) === undefined)
    report.addLoss("media-kind-changed", "type");
  return mimeType ?? "application/octet-stream";
}

/** The AI SDK's provider key in file references, for each dialect that issues file ids. */
const PROVIDER_KEYS = new ValueMap([
  ["openai-responses", "openai"],
  ["anthropic", "anthropic"],
  ["gemini", "google"],
]);

/**
 * Decodes a reference to a file of one provider; undefined if the provider is unknown or if there are several, which
 * the canonical model cannot represent.
 */
export function decodeFileReference(
  value: JsonValue | undefined,
): { fileId: string; issuer: { dialect: string } } | undefined {
  if (!isObject(value)) return undefined;
  const [[key, fileId] = [], ...more] = Object.entries(value);
  const dialect = key === undefined ? undefined : PROVIDER_KEYS.toModel(key);
  return dialect === undefined || typeof fileId !== "string" || more.length > 0
    ? undefined
    : { fileId, issuer: { dialect } };
}

/** Encodes a reference to a provider's file; undefined if the AI SDK has no key for the issuer. */
export function encodeFileReference(
  part: MediaPart,
  { report }: EncodeContext<"metadata-dropped">,
): JsonObject | undefined {
  const { fileId, issuer } = part;
  const key = issuer === undefined ? undefined : PROVIDER_KEYS.toWire(issuer.dialect);
  if (key === undefined || fileId === undefined) return undefined;
  for (const field of ["provider", "model"] as const) {
    if (issuer?.[field] !== undefined) report.addLoss("metadata-dropped", ["issuer", field]);
  }
  return { [key]: fileId };
}

/**
 * Returns the first media source that the part has, and reports all further sources as losses; undefined if the part
 * has none.
 */
export function pickMediaSource(
  part: MediaPart,
  { report }: EncodeContext<"field-unsupported">,
): (typeof MEDIA_SOURCES)[number] | undefined {
  let picked: (typeof MEDIA_SOURCES)[number] | undefined;
  for (const source of MEDIA_SOURCES) {
    if (part[source] === undefined) continue;
    if (picked === undefined) picked = source;
    else report.addLoss("field-unsupported", source);
  }
  if (picked !== "fileId" && part.issuer !== undefined) report.addLoss("field-unsupported", "issuer");
  return picked;
}
