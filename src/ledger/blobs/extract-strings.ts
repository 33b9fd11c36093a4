// Extracts long strings from a copy of a message: only the objects on the path to them are copied, with exact digits.
import { copyDigits, copyObject } from "../../model/json/index.ts";
import type { PathStep } from "./blob-marker.ts";
import { isBlobReference, EXCLUDED_FIELDS } from "./blob-marker.ts";

/** Shorter strings are never extracted: the marker entry would be longer than the string. */
const MIN_LENGTH = 64;

/** A string and its path. */
export interface LongString {
  at: PathStep[];
  text: string;
}

/** A message without its long strings. */
export interface ExtractionResult<T> {
  /** The original message if nothing was extracted. */
  message: T;
  strings: LongString[];
}

/** Returns the message without its strings of more than `threshold` characters. Does not change the original. */
export function extractStrings<T extends object>(message: T, threshold: number): ExtractionResult<T> {
  const strings: LongString[] = [];
  const maxLength = Math.max(threshold, MIN_LENGTH);
  // The copy has the shape of the original.
  return { message: extractFromValue(message, [], maxLength, strings) as T, strings };
}

function extractFromValue(value: unknown, at: PathStep[], threshold: number, extracted: LongString[]): unknown {
  if (typeof value === "string") {
    // A blob reference is never extracted into another blob.
    if (value.length <= threshold || isBlobReference(value)) return value;
    extracted.push({ at: [...at], text: value });
    return "";
  }
  if (Array.isArray(value)) return extractFromList(value, at, threshold, extracted);
  return isPlainObject(value) ? extractFromObject(value, at, threshold, extracted) : value;
}

/** True for objects without `toJSON`: changing the inside of others would change their JSON. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !("toJSON" in value && typeof value.toJSON === "function");
}

function extractFromList(
  list: readonly unknown[],
  at: PathStep[],
  threshold: number,
  extracted: LongString[],
): unknown {
  let copy: unknown[] | undefined;
  for (const [index, value] of list.entries()) {
    at.push(index);
    const replaced = extractFromValue(value, at, threshold, extracted);
    at.pop();
    if (replaced === value) continue;
    copy ??= copyList(list);
    copy[index] = replaced;
  }
  return copy ?? list;
}

function extractFromObject(
  object: Record<string, unknown>,
  at: PathStep[],
  threshold: number,
  extracted: LongString[],
): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    if (at.length === 0 && EXCLUDED_FIELDS.has(key)) continue;
    const value = object[key];
    at.push(key);
    const replaced = extractFromValue(value, at, threshold, extracted);
    at.pop();
    if (replaced === value) continue;
    copy ??= copyObject(object);
    copy[key] = replaced;
  }
  return copy ?? object;
}

function copyList(list: readonly unknown[]): unknown[] {
  const copy = [...list];
  for (const [index, value] of list.entries()) {
    if (typeof value === "number") copyDigits(list, String(index), copy, String(index));
  }
  return copy;
}
