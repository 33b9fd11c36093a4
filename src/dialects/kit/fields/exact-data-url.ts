// Data URLs that interchange shapes decode to inline data and encode back unchanged.
import { formatDataUrl, readDataUrl } from "../../../model/data-url.ts";

/** Reads a data URL if formatting it again gives the same text, and `mimeType` does not contradict it. */
export function readExactDataUrl(
  url: string,
  mimeType: string | undefined,
): { mimeType: string; data: string } | undefined {
  const content = readDataUrl(url);
  if (content === undefined || formatDataUrl(content.mimeType, content.data) !== url) return undefined;
  return mimeType === undefined || mimeType === content.mimeType ? content : undefined;
}
