// The value of unfinished JSON (B78): what can be read of tool arguments while they still arrive. It closes what is open
// and leaves out what has no value yet; whether a call is finished is not its question (B21).

import { parseJson } from "../model/json.ts";
import type { JsonValue } from "../model/json.ts";
import { scanJson } from "../model/json-syntax.ts";
import type { Scan } from "../model/json-syntax.ts";

/**
 * The value of any prefix of a JSON text. An unfinished string is what is there of it, an unfinished number its longest
 * valid start, an unfinished literal itself; a key without a value is left out. Undefined for blank text, for text that
 * no continuation makes JSON, and for text nested deeper than MAX_DEPTH. Linear in the text; it never throws.
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  const scan = scanJson(text);
  if (scan.stop === "complete") return parseJson(text);
  if (scan.stop !== "end") return undefined;
  const kept = scan.token < 0 ? text.slice(0, scan.keep) : (finish(text, scan) ?? text.slice(0, scan.keep));
  if (kept === "") return undefined;
  const closers = scan.frames.map((frame) => (frame.array ? "]" : "}")).reverse();
  return parseJson(kept + closers.join(""));
}

/** The text up to its end with the value it breaks off in completed, or undefined if nothing of that value is there. */
function finish(text: string, { token }: Scan): string | undefined {
  const first = text[token];
  if (first === '"') return `${text.slice(0, wholeCharacters(text, token + 1))}"`;
  const word = ["true", "false", "null"].find((literal) => literal[0] === first);
  if (word !== undefined) return text.slice(0, token) + word;
  let end = text.length;
  while (end > token && !/\d/.test(text[end - 1] ?? "")) end--;
  return end > token ? text.slice(0, end) : undefined;
}

/** Where the last whole character of an unfinished string ends: no half escape, no half of a surrogate pair (B50). */
function wholeCharacters(text: string, from: number): number {
  let whole = from;
  for (let at = from; at < text.length;) {
    const isUnicodeEscape = text[at] === "\\" && text[at + 1] === "u";
    const width = isUnicodeEscape ? 6 : text[at] === "\\" ? 2 : 1;
    if (at + width > text.length) break;
    const unit = isUnicodeEscape ? Number.parseInt(text.slice(at + 2, at + 6), 16) : text.charCodeAt(at);
    at += width;
    // A high surrogate waits for its other half.
    if (unit < 0xd800 || unit > 0xdbff) whole = at;
  }
  return whole;
}
