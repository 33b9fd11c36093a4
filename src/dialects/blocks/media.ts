// Detects the MIME type of base64 data and decodes base64 data as text, for both block dialects.
import { sniffMimeType } from "../kit/fields/sniff-mime-type.ts";

/** Matches the MIME types of files that can be sent as text. */
export const TEXTUAL_TYPE = /^text\/|^application\/(?:.*\+)?(?:json|xml|yaml|toml|javascript|x-sh|sql)$/i;

/** Returns the bytes of base64 data; undefined if the data is not valid base64. */
export function decodeBase64(data: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * Returns the UTF-8 text of base64 data. Data that is not valid base64 is returned unchanged, because it may already be
 * text.
 */
export function decodeBase64Text(data: string): string {
  const bytes = decodeBase64(data);
  return bytes === undefined ? data : new TextDecoder().decode(bytes);
}

/** Returns the MIME type of an image or PDF in base64; undefined for other data, including audio. */
export function sniffVisualMimeType(data: string): string | undefined {
  return sniffMimeType(data, (type) => type !== "audio");
}
