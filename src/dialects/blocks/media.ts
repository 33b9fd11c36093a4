// Media rules that both dialects share: sniffing the type of base64 data, and decoding it as text.
import { sniffMimeType } from "../kit/fields/sniff-mime-type.ts";

/** MIME types of files that are sent as text. */
export const TEXTUAL_TYPE = /^text\/|^application\/(?:.*\+)?(?:json|xml|yaml|toml|javascript|x-sh|sql)$/i;

/** Returns the bytes of base64 data; undefined if it is not base64. */
export function decodeBase64(data: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Returns the text of base64 data in UTF-8; data that is not base64 is returned unchanged, as it may be the text. */
export function decodeBase64Text(data: string): string {
  const bytes = decodeBase64(data);
  return bytes === undefined ? data : new TextDecoder().decode(bytes);
}

/** Returns the MIME type of an image or PDF in base64; audio is not accepted as inline data. */
export function sniffVisualMimeType(data: string): string | undefined {
  return sniffMimeType(data, (type) => type !== "audio");
}
