// Creates previews: the beginning of a message's text on one line, for lists and outlines.
import type { Part } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { readTextPrefix, readMarker } from "../blobs/index.ts";
import type { LedgerScope } from "../scope.ts";

const WHITE_SPACE = /\s+/gu;
/** Matches white space that must be replaced by one space: line breaks, tabs and repeated spaces. */
const LINE_BREAKING_SPACE = /[^\S ]| {2}/u;

/** Returns the preview of a stored message. Only the beginning of a text in a blob is read. */
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
    // The cast is safe, because `createPreview` uses only the type and the text.
    parts.push({ ...part, text } as unknown as Part);
    if (inBlob !== undefined || text.trim().length > length) break;
  }
  return createPreview(parts, length);
}

/** Returns the beginning of the parts' text on one line, at most `length` characters long; "" if there is no text. */
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
 * Returns the beginning of a text on one line. The result may be longer than `length`, so that the caller knows that it
 * must truncate the text. White space is replaced only if the line needs it, because most texts do not.
 */
function toOneLine(text: string, length: number): string {
  // The text may begin with much white space, so more than `length` characters are examined, but not all of a long
  // text.
  const beginning = text.slice(0, 8 * length).trimStart();
  const line = beginning.slice(0, length + 8).trimEnd();
  return LINE_BREAKING_SPACE.test(line) ? beginning.replace(WHITE_SPACE, " ").trimEnd() : line;
}

function truncate(line: string, length: number): string {
  const unit = line.charCodeAt(length - 2);
  // A surrogate pair is not cut in half (B50).
  const isHalf = unit >= 0xd800 && unit < 0xdc00;
  return `${line.slice(0, isHalf ? length - 2 : length - 1).trimEnd()}…`;
}
