// `data:` URLs in the one form that media uses: a mime type and base64.

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
