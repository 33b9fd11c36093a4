// Determines in one pass how deep a value is and which kinds of numbers it contains, because some kinds may have lost
// digits.

import { hasRecordedNumbers, hasRecords } from "./exact-numbers.ts";
import { MAX_DEPTH } from "./short-pointer.ts";

/** Flag: the value contains a number. */
export const HAS_NUMBER = 1;
/** Flag: the value contains a fraction with many digits. Its text may have had more digits than the double. */
export const HAS_LONG_FRACTION = 2;
/** Flag: the value contains an integer beyond 2^53, an infinity, NaN or a number near the smallest doubles. */
export const HAS_UNSAFE_NUMBER = 4;
/** Flag: exact numbers are recorded for a container in the value. */
export const HAS_EXACT_RECORD = 8;
/** Flag: the value is nested deeper than MAX_DEPTH, or contains itself. */
export const IS_TOO_DEEP = 16;

/**
 * Returns the flags HAS_NUMBER to IS_TOO_DEEP of an array or object. Inherited properties are included, so a set flag
 * only means that a closer check is necessary.
 */
export function surveyContainer(container: object, depth = 1): number {
  return Array.isArray(container) ? surveyArray(container, depth) : surveyObject(container, depth);
}

// `surveyArray` and `surveyObject` have nearly the same body: separate loops for arrays and objects were measured to be
// twice as fast as one loop for both.
function surveyArray(items: readonly unknown[], depth: number): number {
  if (depth > MAX_DEPTH) return IS_TOO_DEEP;
  let flags = 0;
  let numbers = 0;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === "string") continue;
    if (typeof item === "number") numbers |= classifyNumber(item);
    else if (typeof item === "object" && item !== null) {
      flags |= Array.isArray(item) ? surveyArray(item, depth + 1) : surveyObject(item, depth + 1);
      if (flags >= IS_TOO_DEEP) return flags;
    }
  }
  return flags | addRecordFlag(items, numbers);
}

function surveyObject(container: object, depth: number): number {
  if (depth > MAX_DEPTH) return IS_TOO_DEEP;
  const members = container as Record<string, unknown>;
  let flags = 0;
  let numbers = 0;
  // oxlint-disable-next-line guard-for-in -- for…in without a guard is by far the fastest; inherited properties only set a flag.
  for (const key in members) {
    const member = members[key];
    if (typeof member === "string") continue;
    if (typeof member === "number") numbers |= classifyNumber(member);
    else if (typeof member === "object" && member !== null) {
      flags |= Array.isArray(member) ? surveyArray(member, depth + 1) : surveyObject(member, depth + 1);
      if (flags >= IS_TOO_DEEP) return flags;
    }
  }
  return flags | addRecordFlag(container, numbers);
}

function classifyNumber(value: number): number {
  const size = value < 0 ? -value : value;
  // A double of 2^52 or more has no fraction, even if the number in the text had one, so it counts as unsafe.
  if (Number.isInteger(value)) return size < 2 ** 52 ? HAS_NUMBER : HAS_NUMBER | HAS_UNSAFE_NUMBER;
  if (!(size >= 1e-300 && size < 2 ** 52)) return HAS_NUMBER | HAS_UNSAFE_NUMBER;
  const scaled = value * 1e6;
  return size < 1e9 && scaled === Math.round(scaled) ? HAS_NUMBER : HAS_NUMBER | HAS_LONG_FRACTION;
}

function addRecordFlag(container: object, numbers: number): number {
  return numbers !== 0 && hasRecordedNumbers() && hasRecords(container) ? numbers | HAS_EXACT_RECORD : numbers;
}
