// What a JSON number's digits say: whether a double keeps their decimal value, and when two spellings are one value.
// It owns the arithmetic on texts only; where exact texts are kept is json-exact.ts.

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const ZERO = 48;
const LOWER_E = 101;
const UPPER_E = 69;
const MINUS = 45;

/** Whether `text` is one JSON number and nothing else. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text);
}

/** Whether the decimal value of a JSON number is what the double read from it prints as. */
export function survives(text: string): boolean {
  const value = Number(text);
  const printed = String(value);
  if (printed === text) return true;
  return Number.isFinite(value) && sameNumber(printed, text);
}

/** Whether two JSON numbers name the same decimal value, whatever their spelling. */
export function sameNumber(a: string, b: string): boolean {
  return a === b || canonical(a) === canonical(b);
}

/** One spelling per value: sign, digits without outer zeros, and the power of ten of the last digit. */
function canonical(text: string): string {
  const negative = text.charCodeAt(0) === MINUS;
  let end = negative ? 1 : 0;
  while (end < text.length && text.charCodeAt(end) !== LOWER_E && text.charCodeAt(end) !== UPPER_E) end++;
  const mantissa = text.slice(negative ? 1 : 0, end);
  const point = mantissa.indexOf(".");
  const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  // Loops, because a regular expression anchored at the end takes quadratic time on long rows of zeros.
  let first = 0;
  while (first < all.length && all.charCodeAt(first) === ZERO) first++;
  if (first === all.length) return "0";
  let last = all.length;
  while (all.charCodeAt(last - 1) === ZERO) last--;
  const shift = all.length - last - (point < 0 ? 0 : mantissa.length - point - 1);
  const written = end < text.length ? Number(text.slice(end + 1)) : 0;
  // An exponent too large to add to exactly stays as spelled: such numbers are the same only if written the same.
  const power = Number.isSafeInteger(written) ? String(written + shift) : `${shift}+${text.slice(end + 1)}`;
  return `${negative ? "-" : ""}${all.slice(first, last)}e${power}`;
}

/** Whether a char code is `e` or `E`. */
export function isExponentMark(code: number): boolean {
  return code === LOWER_E || code === UPPER_E;
}
