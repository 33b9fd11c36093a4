// Reads and writes `data:` URLs with a MIME type and base64 data, the only kind of data URL that media parts use.

const BASE64_DATA_URL_PREFIX = /^data:([^;,]+);base64,/i;

/**
 * Returns the MIME type and base64 data of a data URL; undefined for any other URL, and for a data URL with parameters.
 */
export function readDataUrl(url: string): { mimeType: string; data: string } | undefined {
  // The pattern is applied only to the first 256 characters, because the data may have many megabytes.
  const match = BASE64_DATA_URL_PREFIX.exec(url.slice(0, 256));
  const mimeType = match?.[1];
  if (match === null || mimeType === undefined) return undefined;
  return { mimeType, data: url.slice(match[0].length) };
}

export function formatDataUrl(mimeType: string, data: string): string {
  return `data:${mimeType};base64,${data}`;
}

/**
 * Encodes the UTF-8 bytes of a text as base64. The bytes are converted in slices, because engines limit the number of
 * arguments of a call.
 */
export function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
