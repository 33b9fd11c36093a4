// Parses unfinished JSON, for tool arguments that are still arriving (B78). The `tool_call_end` delta determines when
// the arguments are complete, not this parser (B21).

import { assertString } from "../model/argument-error.ts";
import { parseJson } from "../model/json/index.ts";
import type { JsonValue } from "../model/json/index.ts";
import { scanJson } from "../model/json/scanner.ts";
import type { JsonScan } from "../model/json/scanner.ts";

/**
 * Parses any prefix of a JSON text. An unfinished string is returned with its characters so far, an unfinished number
 * with its longest valid prefix, and an unfinished literal as its full value; a key without a value is omitted. Returns
 * undefined for blank text, for text that cannot become valid JSON, and for text that is nested deeper than MAX_DEPTH.
 * Takes linear time.
 *
 * @example
 * ```ts
 * import { parsePartialJson } from "koine";
 *
 * console.log(parsePartialJson('{"city": "Ro')); // {"city":"Ro"}
 * ```
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  assertString("parsePartialJson", "text", text);
  const scan = scanJson(text);
  if (scan.stop === "complete") return parseJson(text);
  if (scan.stop !== "end") return undefined;
  const readableText =
    scan.cutValueStart < 0
      ? text.slice(0, scan.validEnd)
      : (completeCutValue(text, scan) ?? text.slice(0, scan.validEnd));
  if (readableText === "") return undefined;
  const closers = scan.frames.map((frame) => (frame.array ? "]" : "}")).reverse();
  return parseJson(readableText + closers.join(""));
}

/** Returns the text with its cut-off value completed; undefined if the value has no readable prefix. */
function completeCutValue(text: string, { cutValueStart: token }: JsonScan): string | undefined {
  const first = text[token];
  if (first === '"') return `${text.slice(0, wholeCharacters(text, token + 1))}"`;
  const word = ["true", "false", "null"].find((literal) => literal[0] === first);
  if (word !== undefined) return text.slice(0, token) + word;
  let end = text.length;
  while (end > token && !/\d/.test(text[end - 1] ?? "")) end--;
  return end > token ? text.slice(0, end) : undefined;
}

/**
 * Returns the end of the last complete character of an unfinished string, so that neither an escape sequence nor a
 * surrogate pair is cut in half (B50).
 */
function wholeCharacters(text: string, from: number): number {
  let whole = from;
  for (let at = from; at < text.length;) {
    const isUnicodeEscape = text[at] === "\\" && text[at + 1] === "u";
    const width = isUnicodeEscape ? 6 : text[at] === "\\" ? 2 : 1;
    if (at + width > text.length) break;
    const unit = isUnicodeEscape ? Number.parseInt(text.slice(at + 2, at + 6), 16) : text.charCodeAt(at);
    at += width;
    // A high surrogate is incomplete without the low one.
    if (unit < 0xd800 || unit > 0xdbff) whole = at;
  }
  return whole;
}
