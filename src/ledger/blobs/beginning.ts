// How a text in a blob begins: enough for the search index and for previews, however long the text is.
import { LedgerError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import type { TakenString } from "./marker.ts";
import { textOf } from "./text.ts";
import { readBlob } from "./upload.ts";

/** The first chunk of a text; "" where there is none, which is reported by whoever reads the message. */
export async function beginningOf(scope: Scope, { blob, as }: Pick<TakenString, "blob" | "as">): Promise<string> {
  try {
    // A character that the chunk's end cuts in two is left out.
    for await (const bytes of readBlob(scope, blob)) return textOf(bytes, as).replace(/\uFFFD$/u, "");
  } catch (error) {
    if (!(error instanceof LedgerError) || (error.code !== "unknown-blob" && error.code !== "corrupt")) throw error;
  }
  return "";
}
