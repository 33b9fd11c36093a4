// Compares JSON values deeply, including the exact digits of numbers.

import { JsonError } from "../errors.ts";
import { hasRecordedNumbers, findExactText, readOwnValue, TOO_DEEP_VALUE } from "./exact-numbers.ts";
import { sameNumber } from "./number-text.ts";
import { MAX_DEPTH } from "./short-pointer.ts";

/**
 * True if two JSON values are equal. Key order does not matter, an undefined property counts as absent, and numbers
 * with recorded exact texts are compared by their texts.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  return isEqual(a, b, true, 1);
}

/**
 * True if two JSON values are equal when numbers are compared as doubles. A copy that has lost the exact digits of its
 * numbers is still equal.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  return isEqual(a, b, false, 1);
}

function isEqual(a: unknown, b: unknown, exact: boolean, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (depth > MAX_DEPTH) throw new JsonError("too-deep", "", TOO_DEEP_VALUE);
  const keys = Object.keys(a);
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  let present = 0;
  for (const key of keys) {
    const left = readOwnValue(a, key);
    if (left === undefined) continue;
    present++;
    const right = readOwnValue(b, key);
    if (!isEqual(left, right, exact, depth + 1)) return false;
    if (exact && typeof left === "number" && hasRecordedNumbers() && !sameDigits(a, b, key, left)) return false;
  }
  return present === Object.keys(b).filter((key) => readOwnValue(b, key) !== undefined).length;
}

/** True if `a[key]` and `b[key]`, which are the same double, also have the same exact digits. */
function sameDigits(a: object, b: object, key: string, value: number): boolean {
  const left = findExactText(a, key, value);
  const right = findExactText(b, key, value);
  if (left === right) return true;
  // A number such as 1e999 parses to an infinity. If only one of the two has a recorded text, the other has no digits
  // to compare it with.
  if (!Number.isFinite(value) && (left === undefined || right === undefined)) return false;
  return sameNumber(left ?? String(value), right ?? String(value));
}
