// `data:` URLs in the one form that media uses: a mime type and base64; and base64 of a text.

const PREFIX = /^data:([^;,]+);base64,/i;

/** Mime type and base64 of a plain base64 data URL; undefined for every other URL, parameters included. */
export function readDataUrl(url: string): { mimeType: string; data: string } | undefined {
  // Only the head is matched: the rest may be many megabytes.
  const match = PREFIX.exec(url.slice(0, 256));
  const mimeType = match?.[1];
  if (match === null || mimeType === undefined) return undefined;
  return { mimeType, data: url.slice(match[0].length) };
}

export function dataUrl(mimeType: string, data: string): string {
  return `data:${mimeType};base64,${data}`;
}

/** Base64 of a text's UTF-8 bytes; in pieces, because a call takes only so many arguments. */
export function base64Of(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
