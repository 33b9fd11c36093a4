// Exports the only reader and writer of JSON in Koine. Values are plain. The digits of numbers that a double cannot
// hold are in a side table (exact-numbers.ts), so that unedited numbers are written back exactly (B23).

import { JsonError } from "../errors.ts";
import { findSyntaxError } from "./syntax-error.ts";
import { mayContainLossyNumber, hasTinyExponent } from "./lossy-number-search.ts";
import { recordNumbers } from "./record-numbers.ts";
import { IS_TOO_DEEP, HAS_LONG_FRACTION, HAS_NUMBER, HAS_UNSAFE_NUMBER, surveyContainer } from "./survey.ts";

export {
  assignObject,
  copyDigits,
  copyObject,
  listExactNumbers,
  hasExactNumbers,
  restoreNumbers,
} from "./exact-numbers.ts";
export type { ExactNumber } from "./exact-numbers.ts";
export { mapStrings } from "./map-strings.ts";
export { MAX_DEPTH } from "./short-pointer.ts";
export { sameJson, sameValue } from "./equality.ts";
export { stringifyJson } from "./stringify.ts";

/**
 * The length up to which a JSON text is always searched for numbers that a double cannot hold. `mayHaveLostDigits`
 * searches a longer text only in certain cases.
 */
const MAX_SEARCHED_LENGTH = 65_536;

/** A plain JSON value, as JSON.parse returns it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A plain JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/**
 * Parses JSON into the same values as JSON.parse, and records the exact text of every number that a double cannot hold,
 * by its array or object. A number that is the whole text stays a plain double. The record is lost if the value is
 * moved to another container or cloned (see listExactNumbers and restoreNumbers). Throws a JsonError: "invalid-json"
 * with line and column, or "too-deep" beyond MAX_DEPTH levels.
 *
 * @example
 * ```ts
 * import { parseJson, stringifyJson } from "koine";
 *
 * console.log(stringifyJson(parseJson('{"id": 12345678901234567890}'))); // {"id":12345678901234567890}
 * ```
 */
export function parseJson(text: string): JsonValue {
  if (typeof text !== "string") throw new JsonError("invalid-json", "", `Expected JSON text, found ${typeof text}.`);
  let value: JsonValue;
  try {
    // The cast is safe, because JSON.parse without a reviver returns only JSON values.
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw findSyntaxError(text, error) ?? error;
  }
  if (typeof value !== "object" || value === null) return value;
  const flags = surveyContainer(value);
  if (flags >= IS_TOO_DEEP) throw findSyntaxError(text) ?? new JsonError("too-deep", "", "JSON is nested too deep.");
  if ((flags & HAS_UNSAFE_NUMBER) !== 0 || mayHaveLostDigits(text, flags)) recordNumbers(text, value);
  return value;
}

/**
 * True if parsing may have changed a number in a way that the parsed value does not show, as for 0.10000000000000000001
 * or 1e-400. Searching a long text would take longer than parsing it, so a long text is searched only if the value
 * contains a fraction with many digits.
 */
function mayHaveLostDigits(text: string, flags: number): boolean {
  if ((flags & HAS_NUMBER) === 0) return false;
  if (text.length <= MAX_SEARCHED_LENGTH) return mayContainLossyNumber(text) || hasTinyExponent(text);
  return (flags & HAS_LONG_FRACTION) !== 0 && mayContainLossyNumber(text);
}
