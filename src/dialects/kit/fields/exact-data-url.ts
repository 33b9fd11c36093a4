// Reads the data URLs that an interchange dialect can decode to inline data and encode again without a change.
import { formatDataUrl, readDataUrl } from "../../../model/data-url.ts";

/**
 * Returns the content of a data URL. Returns undefined if formatting the content gives a different URL, or if
 * `mimeType` differs from the MIME type of the URL.
 */
export function readExactDataUrl(
  url: string,
  mimeType: string | undefined,
): { mimeType: string; data: string } | undefined {
  const content = readDataUrl(url);
  if (content === undefined || formatDataUrl(content.mimeType, content.data) !== url) return undefined;
  return mimeType === undefined || mimeType === content.mimeType ? content : undefined;
}
