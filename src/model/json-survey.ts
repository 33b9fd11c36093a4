// One quick look over a whole value before it is handed on: how deep it is, and what kinds of numbers it holds.

import { anyRecorded, hasRecords } from "./json-exact.ts";
import { MAX_DEPTH } from "./json-pointer.ts";

/** It holds a number. */
export const NUMBER = 1;
/** It holds a fraction with more than a few digits: only the text tells whether it had even more. */
export const LONG = 2;
/** It holds an integer beyond 2^53, an infinity, NaN or a number near the smallest doubles, where digits get lost. */
export const ODD = 4;
/** A container in it has exact numbers recorded. */
export const EXACT = 8;
/** It is nested deeper than MAX_DEPTH, or contains itself. */
export const DEEP = 16;

/** The flags that hold of an array or object. Inherited properties count too, so a flag is a reason to look closer. */
export function survey(container: object, depth = 1): number {
  return Array.isArray(container) ? surveyArray(container, depth) : surveyObject(container, depth);
}

// Two functions with the same body: a loop over one kind of container is twice as fast as one over both.
function surveyArray(items: readonly unknown[], depth: number): number {
  if (depth > MAX_DEPTH) return DEEP;
  let flags = 0;
  let numbers = 0;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === "string") continue;
    if (typeof item === "number") numbers |= flagsOf(item);
    else if (typeof item === "object" && item !== null) {
      flags |= Array.isArray(item) ? surveyArray(item, depth + 1) : surveyObject(item, depth + 1);
      if (flags >= DEEP) return flags;
    }
  }
  return flags | withRecords(items, numbers);
}

function surveyObject(container: object, depth: number): number {
  if (depth > MAX_DEPTH) return DEEP;
  // An object of unknown shape is read as a record.
  const members = container as Record<string, unknown>;
  let flags = 0;
  let numbers = 0;
  // oxlint-disable-next-line guard-for-in -- for…in without a guard is by far the fastest; see the flags' description.
  for (const key in members) {
    const member = members[key];
    if (typeof member === "string") continue;
    if (typeof member === "number") numbers |= flagsOf(member);
    else if (typeof member === "object" && member !== null) {
      flags |= Array.isArray(member) ? surveyArray(member, depth + 1) : surveyObject(member, depth + 1);
      if (flags >= DEEP) return flags;
    }
  }
  return flags | withRecords(container, numbers);
}

function flagsOf(value: number): number {
  const size = value < 0 ? -value : value;
  // From 2^52 on a double has no fraction left, whatever was written.
  if (Number.isInteger(value)) return size < 2 ** 52 ? NUMBER : NUMBER | ODD;
  if (!(size >= 1e-300 && size < 2 ** 52)) return NUMBER | ODD;
  const scaled = value * 1e6;
  return size < 1e9 && scaled === Math.round(scaled) ? NUMBER : NUMBER | LONG;
}

function withRecords(container: object, numbers: number): number {
  return numbers !== 0 && anyRecorded() && hasRecords(container) ? numbers | EXACT : numbers;
}
