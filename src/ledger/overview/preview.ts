// Creates previews: the beginning of a message's text on one line, for lists and outlines.
import type { Part } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { readTextPrefix, readMarker } from "../blobs/index.ts";
import type { LedgerScope } from "../scope.ts";

const WHITE_SPACE = /\s+/gu;
/** White space that must be replaced to make one line. */
const LINE_BREAKING_SPACE = /[^\S ]| {2}/u;

/** Like `createPreview`, for a stored message: of a text in a blob only the needed beginning is read. */
export async function createStoredPreview(
  scope: LedgerScope,
  message: { readonly parts?: unknown },
  length: number,
): Promise<string> {
  const storedParts = Array.isArray(message.parts) ? (message.parts as unknown[]) : [];
  const extracted = readMarker(message)?.strings ?? [];
  const parts: Part[] = [];
  for (const [at, part] of storedParts.entries()) {
    if (!isObject(part) || typeof part["text"] !== "string") continue;
    const inBlob = extracted.find(({ at: path }) => path.join("/") === `parts/${at}/text`);
    const text = inBlob === undefined ? part["text"] : (await readTextPrefix(scope, inBlob)).slice(0, 8 * length);
    // Previews use only the type and the text.
    parts.push({ ...part, text } as unknown as Part);
    if (inBlob !== undefined || text.trim().length > length) break;
  }
  return createPreview(parts, length);
}

/** Returns the first characters of the text of these parts; "" if there is no text. */
export function createPreview(parts: readonly Part[], length: number): string {
  let line = "";
  for (const part of parts) {
    if (part.type !== "text" && part.type !== "refusal") continue;
    const next = toOneLine(part.text, length);
    if (next !== "") line = line === "" ? next : `${line} ${next}`;
    if (line.length > length) return truncate(line, length);
  }
  return line;
}

/**
 * Returns the beginning of a text on one line, somewhat longer than `length`. Most texts need no replacement and are
 * not copied.
 */
function toOneLine(text: string, length: number): string {
  // A long text may begin with much white space, so a bounded longer part is examined.
  const beginning = text.slice(0, 8 * length).trimStart();
  const line = beginning.slice(0, length + 8).trimEnd();
  return LINE_BREAKING_SPACE.test(line) ? beginning.replace(WHITE_SPACE, " ").trimEnd() : line;
}

function truncate(line: string, length: number): string {
  const unit = line.charCodeAt(length - 2);
  // Does not cut a surrogate pair (B50).
  const isHalf = unit >= 0xd800 && unit < 0xdc00;
  return `${line.slice(0, isHalf ? length - 2 : length - 1).trimEnd()}…`;
}
