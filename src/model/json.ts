// The one reader and writer of JSON. Values are plain; numbers that a double does not hold keep their digits in a side
// table (json-exact.ts), so that what was read is written back exactly, and an edit is never ignored (B23).

import { JsonError } from "./errors.ts";
import { findFault } from "./json-fault.ts";
import { hasLostRow, hasTinyExponent } from "./json-lost.ts";
import { recordNumbers } from "./json-record.ts";
import { DEEP, LONG, NUMBER, ODD, survey } from "./json-survey.ts";

export { assignObject, copyDigits, copyObject, exactNumbers, hasExactNumbers, restoreNumbers } from "./json-exact.ts";
export type { ExactNumber } from "./json-exact.ts";
export { MAX_DEPTH } from "./json-pointer.ts";
export { sameJson, sameValue } from "./json-same.ts";
export { stringifyJson } from "./json-write.ts";

/** The longest text that is always searched for numbers whose digits the value does not show. */
const SEARCHED = 65_536;

/** A plain JSON value, as JSON.parse makes it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/**
 * Reads JSON into plain values, equal to JSON.parse's. The exact text of a number whose value a double does not hold is
 * kept beside the array or object it stands in; a number that is the whole text has none, and stays a plain double.
 * Moving a value to another container, or cloning it, leaves its digits behind (see exactNumbers and restoreNumbers).
 * Throws a JsonError, "invalid-json" with line and column, or "too-deep" beyond MAX_DEPTH levels.
 */
export function parseJson(text: string): JsonValue {
  if (typeof text !== "string") throw new JsonError("invalid-json", "", `Expected JSON text, found ${typeof text}.`);
  let value: JsonValue;
  try {
    // JSON.parse without a reviver returns nothing but JSON values.
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw findFault(text, error) ?? error;
  }
  if (typeof value !== "object" || value === null) return value;
  const flags = survey(value);
  if (flags >= DEEP) throw findFault(text) ?? new JsonError("too-deep", "", "JSON is nested too deep.");
  if ((flags & ODD) !== 0 || isWorthALook(text, flags)) recordNumbers(text, value);
  return value;
}

/**
 * Whether the digits of a number may have been lost without showing in the value. A number that shows few digits may
 * have been written with many (0.10000000000000000001, 1e-400); in a long text that search would cost more than the
 * reading, so that it is made only where a number shows many.
 */
function isWorthALook(text: string, flags: number): boolean {
  if ((flags & NUMBER) === 0) return false;
  if (text.length <= SEARCHED) return hasLostRow(text) || hasTinyExponent(text);
  return (flags & LONG) !== 0 && hasLostRow(text);
}
