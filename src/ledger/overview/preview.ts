// How a message begins, on one line: for lists, and for the nodes of a tree.
import type { Part } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { beginningOf, markerOf } from "../blobs/index.ts";
import type { Scope } from "../scope.ts";

const SPACE = /\s+/gu;
/** White space that one line does not have. */
const UNEVEN = /[^\S ]| {2}/u;

/**
 * As `previewOf`, for a message as it is stored: a text that is so long that it stands in a blob is read as far as the
 * preview needs it.
 */
export async function previewOfStored(
  scope: Scope,
  message: { readonly parts?: unknown },
  length: number,
): Promise<string> {
  const given = Array.isArray(message.parts) ? (message.parts as unknown[]) : [];
  const taken = markerOf(message)?.strings ?? [];
  const parts: Part[] = [];
  for (const [at, part] of given.entries()) {
    if (!isObject(part) || typeof part["text"] !== "string") continue;
    const apart = taken.find(({ at: place }) => place.join("/") === `parts/${at}/text`);
    const text = apart === undefined ? part["text"] : (await beginningOf(scope, apart)).slice(0, 8 * length);
    // What previews look at are the type and the text.
    parts.push({ ...part, text } as unknown as Part);
    if (apart !== undefined || text.trim().length > length) break;
  }
  return previewOf(parts, length);
}

/** The first characters of the text of these parts; "" where they have none. */
export function previewOf(parts: readonly Part[], length: number): string {
  let line = "";
  for (const part of parts) {
    if (part.type !== "text" && part.type !== "refusal") continue;
    const next = onOneLine(part.text, length);
    if (next !== "") line = line === "" ? next : `${line} ${next}`;
    if (line.length > length) return cut(line, length);
  }
  return line;
}

/** The beginning of a text, somewhat longer than asked for. Most are even, and are not written anew. */
function onOneLine(text: string, length: number): string {
  // Much of a long text may be white space: some more is looked at, and not all of it.
  const beginning = text.slice(0, 8 * length).trimStart();
  const even = beginning.slice(0, length + 8).trimEnd();
  return UNEVEN.test(even) ? beginning.replace(SPACE, " ").trimEnd() : even;
}

function cut(line: string, length: number): string {
  const unit = line.charCodeAt(length - 2);
  // No half of a character before the ellipsis (B50).
  const isHalf = unit >= 0xd800 && unit < 0xdc00;
  return `${line.slice(0, isHalf ? length - 2 : length - 1).trimEnd()}…`;
}
