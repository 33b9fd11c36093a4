// Searches a JSON text for numbers that a double rounds to fewer digits. The parsed value does not show the rounding,
// so the text itself is searched.

import { isExponentMark, fitsDouble } from "./number-text.ts";

/** A double holds any fifteen significant digits, so a lossy number has at least this many digits and points in a row. */
const MIN_LOSSY_DIGITS = 16;
const DASH = "-";

/**
 * True for every valid JSON text with a lossy number in the range of normal doubles. May also be true for digits inside
 * a string; the exact reader then finds nothing to record.
 */
export function mayContainLossyNumber(text: string): boolean {
  // Every sixteenth character is enough: a row of sixteen digits covers one of them.
  for (let at = MIN_LOSSY_DIGITS - 1; at < text.length; at += MIN_LOSSY_DIGITS) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (isDigitOrPoint(text.charCodeAt(start - 1))) start--;
    while (isDigitOrPoint(text.charCodeAt(end))) end++;
    if (end - start >= MIN_LOSSY_DIGITS && isLossyNumber(text, start, end)) return true;
    // The next row begins after the end of this one.
    at = Math.max(at, end - 1);
  }
  return false;
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

/** Digits within quotes are not a number. Digits with an exponent count as lossy: the exact reader decides. */
function isLossyNumber(text: string, start: number, end: number): boolean {
  if (text[start - 1] === '"' || text[end] === '"') return false;
  return isExponentMark(text.charCodeAt(end)) || !fitsDouble(text.slice(start, end));
}

/** True if a text contains an exponent below −99: its number may have become zero. */
export function hasTinyExponent(text: string): boolean {
  for (let dash = text.indexOf(DASH); dash >= 0; dash = text.indexOf(DASH, dash + 1)) {
    if (isExponentMark(text.charCodeAt(dash - 1)) && /^\d{3}/.test(text.slice(dash + 1, dash + 4))) return true;
  }
  return false;
}
