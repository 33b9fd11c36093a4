// Compares JSON numbers by their text: whether a double holds the decimal value, and whether two texts have the same
// value.

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const ZERO = 48;
const LOWER_E = 101;
const UPPER_E = 69;
const MINUS = 45;

/** True if `text` is exactly one JSON number. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text);
}

/** True if a double holds the value of a JSON number: the parsed double prints the same decimal value. */
export function fitsDouble(text: string): boolean {
  const value = Number(text);
  const printed = String(value);
  if (printed === text) return true;
  return Number.isFinite(value) && sameNumber(printed, text);
}

/** True if two JSON numbers have the same decimal value, such as 1.0 and 10e-1. */
export function sameNumber(a: string, b: string): boolean {
  return a === b || normalizeNumber(a) === normalizeNumber(b);
}

/**
 * Returns the same text for all spellings of a value: sign, digits without leading and trailing zeros, and the power of
 * ten of the last digit.
 */
function normalizeNumber(text: string): string {
  const negative = text.charCodeAt(0) === MINUS;
  let end = negative ? 1 : 0;
  while (end < text.length && text.charCodeAt(end) !== LOWER_E && text.charCodeAt(end) !== UPPER_E) end++;
  const mantissa = text.slice(negative ? 1 : 0, end);
  const point = mantissa.indexOf(".");
  const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  // Leading and trailing zeros are skipped with loops: a regular expression that is anchored at the end takes quadratic
  // time on a text with many zeros.
  let first = 0;
  while (first < all.length && all.charCodeAt(first) === ZERO) first++;
  if (first === all.length) return "0";
  let last = all.length;
  while (all.charCodeAt(last - 1) === ZERO) last--;
  const shift = all.length - last - (point < 0 ? 0 : mantissa.length - point - 1);
  const written = end < text.length ? Number(text.slice(end + 1)) : 0;
  // An exponent that is not a safe integer is copied verbatim, so such numbers are equal only if their exponents have
  // the same text.
  const power = Number.isSafeInteger(written) ? String(written + shift) : `${shift}+${text.slice(end + 1)}`;
  return `${negative ? "-" : ""}${all.slice(first, last)}e${power}`;
}

/** True if a character code is `e` or `E`. */
export function isExponentMark(code: number): boolean {
  return code === LOWER_E || code === UPPER_E;
}
