// Reads the beginning of a text in a blob, for the search index and for previews.
import { LedgerError } from "../errors.ts";
import type { LedgerScope } from "../scope.ts";
import type { ExtractedString } from "./blob-marker.ts";
import { decodeText } from "./text-encoding.ts";
import { readBlob } from "./upload.ts";

/**
 * Returns the text in the first chunk of a blob; "" if the blob cannot be read. The fault is not reported here, because
 * the functions that read the whole message report it.
 */
export async function readTextPrefix(
  scope: LedgerScope,
  { blob, as }: Pick<ExtractedString, "blob" | "as">,
): Promise<string> {
  try {
    // The end of the chunk may cut a character, which is decoded as U+FFFD and removed.
    for await (const bytes of readBlob(scope, blob)) return decodeText(bytes, as).replace(/\uFFFD$/u, "");
  } catch (error) {
    if (!(error instanceof LedgerError) || (error.code !== "unknown-blob" && error.code !== "corrupt")) throw error;
  }
  return "";
}
