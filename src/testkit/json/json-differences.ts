// Finds the paths at which two JSON values differ, and reports them in an assertion.
import { sameJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { pointerStep } from "../../model/json/pointer.ts";
import { assertHolds } from "../conformance-case.ts";

export interface JsonDifference {
  path: string;
  was: unknown;
  is: unknown;
}

/** The number of differences after which a comparison stops. */
const MAX_DIFFERENCES = 20;

/** Returns the first differences of two values; an empty list if they are equal JSON, including exact digits. */
export function findDifferences(
  was: unknown,
  is: unknown,
  path = "",
  differences: JsonDifference[] = [],
): JsonDifference[] {
  if (differences.length >= MAX_DIFFERENCES || sameJson(was, is)) return differences;
  const before = differences.length;
  if (Array.isArray(was) && Array.isArray(is)) {
    for (let index = 0; index < Math.max(was.length, is.length); index++) {
      findDifferences(was[index], is[index], `${path}/${index}`, differences);
    }
  } else if (isObject(was) && isObject(is)) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
      findDifferences(readOwn(was, key), readOwn(is, key), path + pointerStep(key), differences);
    }
  }
  // No child differs, so the values themselves are reported: scalars, values of different types, and objects that
  // differ only in the exact digits of a number.
  if (differences.length === before) differences.push({ path, was, is });
  return differences;
}

function readOwn(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

/** Throws an error with the message and the first differences, if there are differences. */
export function assertNoDifferences(
  differences: readonly JsonDifference[],
  message: string,
  ...shown: unknown[]
): void {
  if (differences.length === 0) return;
  const lines = differences
    .slice(0, 5)
    .map(({ path, was, is }) => `at "${path}"\n  was: ${abbreviateJson(was)}\n  is:  ${abbreviateJson(is)}`);
  const count = differences.length >= MAX_DIFFERENCES ? "many" : differences.length - 5;
  const more = differences.length > 5 ? [`… and ${count} more places`] : [];
  assertHolds(false, message, ...lines, ...more, ...shown);
}

/** Returns the JSON text of a value; a long text without its middle, because differences are often at the end. */
export function abbreviateJson(value: unknown): string {
  if (value === undefined) return "(nothing)";
  const text = JSON.stringify(value);
  return text.length <= 240 ? text : `${text.slice(0, 160)} … ${text.slice(-60)}`;
}
