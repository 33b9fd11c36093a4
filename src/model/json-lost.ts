// Whether a JSON text may hold a number that a double rounds to one with fewer digits. The value read from it does not
// show that, so the text itself is searched.

import { isExponentMark, survives } from "./json-number.ts";

/** Fifteen significant digits always survive, so a lost number has a row of at least this many digits and points. */
const ROW = 16;
const DASH = "-";

/**
 * True for every valid JSON text that holds such a number in the range of normal doubles; now and then also for one that
 * only looks so, within a string.
 */
export function hasLostRow(text: string): boolean {
  // Every sixteenth character is enough: a row that long covers one of them.
  for (let at = ROW - 1; at < text.length; at += ROW) {
    if (!isInRow(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (isInRow(text.charCodeAt(start - 1))) start--;
    while (isInRow(text.charCodeAt(end))) end++;
    if (end - start >= ROW && isLost(text, start, end)) return true;
    // The next row cannot begin before this one has ended.
    at = Math.max(at, end - 1);
  }
  return false;
}

function isInRow(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

/** A row within quotes is no number; one with an exponent is left to the exact reader. */
function isLost(text: string, start: number, end: number): boolean {
  if (text[start - 1] === '"' || text[end] === '"') return false;
  return isExponentMark(text.charCodeAt(end)) || !survives(text.slice(start, end));
}

/** Whether a text holds an exponent below −99: what it belongs to may have become zero. */
export function hasTinyExponent(text: string): boolean {
  for (let dash = text.indexOf(DASH); dash >= 0; dash = text.indexOf(DASH, dash + 1)) {
    if (isExponentMark(text.charCodeAt(dash - 1)) && /^\d{3}/.test(text.slice(dash + 1, dash + 4))) return true;
  }
  return false;
}
