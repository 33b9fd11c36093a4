// Deep equality of JSON values, exact digits included.

import { JsonError } from "./errors.ts";
import { anyRecorded, exactText, ownValue, TOO_DEEP_VALUE } from "./json-exact.ts";
import { sameNumber } from "./json-number.ts";
import { MAX_DEPTH } from "./json-pointer.ts";

/**
 * Whether two JSON values are equal: key order does not matter, a property that is undefined counts as absent, and
 * numbers with recorded exact texts compare by those.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  return same(a, b, true, 1);
}

/** The same, but numbers compare as plain doubles: a copy that has lost its digits is still the same value. */
export function sameValue(a: unknown, b: unknown): boolean {
  return same(a, b, false, 1);
}

function same(a: unknown, b: unknown, exact: boolean, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (depth > MAX_DEPTH) throw new JsonError("too-deep", "", TOO_DEEP_VALUE);
  const keys = Object.keys(a);
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  let present = 0;
  for (const key of keys) {
    const left = ownValue(a, key);
    if (left === undefined) continue;
    present++;
    const right = ownValue(b, key);
    if (!same(left, right, exact, depth + 1)) return false;
    if (exact && typeof left === "number" && anyRecorded() && !sameDigits(a, b, key, left)) return false;
  }
  return present === Object.keys(b).filter((key) => ownValue(b, key) !== undefined).length;
}

/** Whether `a[key]` and `b[key]`, the same double, are the same number in full. */
function sameDigits(a: object, b: object, key: string, value: number): boolean {
  const left = exactText(a, key, value);
  const right = exactText(b, key, value);
  if (left === right) return true;
  // A double beyond the range of doubles has no digits of its own to compare with.
  if (!Number.isFinite(value) && (left === undefined || right === undefined)) return false;
  return sameNumber(left ?? String(value), right ?? String(value));
}
