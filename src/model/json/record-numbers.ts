// Records the exact text of every number that a double cannot hold. The code walks a valid JSON text and the value that
// JSON.parse returned for it in parallel.

import { removeText, hasRecords, readOwnValue, recordText } from "./exact-numbers.ts";
import { isExponentMark, fitsDouble } from "./number-text.ts";

const SHORT_STRING = 24;

interface OpenContainer {
  /**
   * The container in the parsed value. Undefined if the value does not contain it, because a later duplicate key
   * replaced it.
   */
  readonly container: object | undefined;
  readonly array: boolean;
  index: number;
  /** The start of the current key's literal in the text. The key is parsed only if a number is recorded. */
  keyStart: number;
  /** The end of the current key's literal in the text. */
  keyEnd: number;
  expectsKey: boolean;
}

/** Records every number of `text` that lost digits in `root`. Takes time linear in the length of the text. */
export function recordNumbers(text: string, root: object): void {
  const levels: OpenContainer[] = [];
  let level: OpenContainer | undefined;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      const end = stringEnd(text, at);
      if (level?.expectsKey) {
        level.keyStart = at;
        level.keyEnd = end;
        level.expectsKey = false;
      }
      at = end;
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      const end = numberEnd(text, at);
      if (level !== undefined) recordIfLossy(text, level, at, end);
      at = end;
    } else {
      if (code === 44 && level !== undefined) {
        level.index++;
        level.expectsKey = !level.array;
      } else if (code === 91 || code === 123) {
        const child = level === undefined ? root : readChildValue(text, level);
        level = openContainer(child, code === 91);
        levels.push(level);
      } else if (code === 93 || code === 125) {
        levels.pop();
        level = levels.at(-1);
      }
      at++;
    }
  }
}

function openContainer(child: unknown, array: boolean): OpenContainer {
  const fits = typeof child === "object" && child !== null && Array.isArray(child) === array;
  return { container: fits ? child : undefined, array, index: 0, keyStart: 0, keyEnd: 0, expectsKey: !array };
}

function readChildValue(text: string, level: OpenContainer): unknown {
  return level.container && readOwnValue(level.container, readKey(text, level));
}

function readKey(text: string, level: OpenContainer): string {
  if (level.array) return String(level.index);
  const literal = text.slice(level.keyStart, level.keyEnd);
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

/**
 * Records a number if it lost digits. Of duplicate keys the last one wins, as in JSON.parse, so the record of an
 * earlier number with the same key is removed.
 */
function recordIfLossy(text: string, level: OpenContainer, start: number, end: number): void {
  const { container } = level;
  if (container === undefined) return;
  const lost = end - start > 15 || hasExponent(text, start, end) ? !fitsDouble(text.slice(start, end)) : false;
  if (!lost && !hasRecords(container)) return;
  const number = text.slice(start, end);
  const key = readKey(text, level);
  if (lost && readOwnValue(container, key) === Number(number)) recordText(container, key, number);
  else removeText(container, key);
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) if (isExponentMark(text.charCodeAt(at))) return true;
  return false;
}

/**
 * Returns the end of a string literal. For speed, the first characters are scanned one by one, and the rest of a long
 * string with indexOf.
 */
function stringEnd(text: string, open: number): number {
  let at = open + 1;
  for (const near = at + SHORT_STRING; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code === 92) at++;
  }
  // The search may start inside an escape sequence; a quote is escaped if an odd number of backslashes precedes it.
  let close = text.indexOf('"', at);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text.charCodeAt(at - 1) === 92) at--;
  return (quote - at) % 2 === 1;
}

function numberEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const inside = (code >= 48 && code <= 57) || code === 46 || code === 43 || code === 45 || isExponentMark(code);
    if (!inside) break;
  }
  return at;
}
