// Determines the MIME type of base64 data from its first characters.
import type { MediaPart } from "../../../model/parts.ts";

/**
 * The first base64 characters of common formats. The prefix of a RIFF container ("UklGR") occurs twice, because the
 * container can be an image or audio.
 */
const SIGNATURES: readonly (readonly [prefix: string, type: MediaPart["type"], mimeType: string])[] = [
  ["/9j/", "image", "image/jpeg"],
  ["iVBOR", "image", "image/png"],
  ["R0lG", "image", "image/gif"],
  ["UklGR", "image", "image/webp"],
  ["UklGR", "audio", "audio/wav"],
  ["SUQz", "audio", "audio/mpeg"],
  ["//", "audio", "audio/mpeg"],
  ["JVBER", "file", "application/pdf"],
];

/** Returns the MIME type of base64 data; undefined if the format is unknown or `accepts` returns false for it. */
export function sniffMimeType(
  data: string,
  accepts: (type: MediaPart["type"], mimeType: string) => boolean,
): string | undefined {
  return SIGNATURES.find(([prefix, type, mimeType]) => data.startsWith(prefix) && accepts(type, mimeType))?.[2];
}
