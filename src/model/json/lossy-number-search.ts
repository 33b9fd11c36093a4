// Searches a JSON text for lossy numbers: numbers whose digits a double cannot hold. The parsed value does not show the
// loss, so the text itself is searched.

import { isExponentMark, fitsDouble } from "./number-text.ts";

/**
 * The minimum number of consecutive digits and points of a lossy number: a double holds any fifteen significant digits.
 */
const MIN_LOSSY_DIGITS = 16;
const DASH = "-";

/**
 * True if a valid JSON text contains a lossy number in the range of normal doubles. May also be true for digits inside
 * a string; `recordNumbers` then finds no number to record.
 */
export function mayContainLossyNumber(text: string): boolean {
  // Testing every sixteenth character is enough, because sixteen consecutive digits include one of them.
  for (let at = MIN_LOSSY_DIGITS - 1; at < text.length; at += MIN_LOSSY_DIGITS) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (isDigitOrPoint(text.charCodeAt(start - 1))) start--;
    while (isDigitOrPoint(text.charCodeAt(end))) end++;
    if (end - start >= MIN_LOSSY_DIGITS && isLossyNumber(text, start, end)) return true;
    // The search continues after the end of the digits that contain `at`.
    at = Math.max(at, end - 1);
  }
  return false;
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

/**
 * True if the text from `start` to `end`, which consists of digits and points, is a lossy number. False next to a
 * quote, because the digits then belong to a string. True before an exponent, because `recordNumbers` decides about
 * such numbers.
 */
function isLossyNumber(text: string, start: number, end: number): boolean {
  if (text[start - 1] === '"' || text[end] === '"') return false;
  return isExponentMark(text.charCodeAt(end)) || !fitsDouble(text.slice(start, end));
}

/** True if a text contains an exponent below −99. Its number may have become zero as a double. */
export function hasTinyExponent(text: string): boolean {
  for (let dash = text.indexOf(DASH); dash >= 0; dash = text.indexOf(DASH, dash + 1)) {
    if (isExponentMark(text.charCodeAt(dash - 1)) && /^\d{3}/.test(text.slice(dash + 1, dash + 4))) return true;
  }
  return false;
}
