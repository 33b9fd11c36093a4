// Extracts the long strings of a message into a copy. Only the objects and lists on the path to a long string are
// copied (their numbers keep their exact digits); the copy shares all other values with the message.
import { copyDigits, copyObject } from "../../model/json/index.ts";
import type { PathStep } from "./blob-marker.ts";
import { isBlobReference, EXCLUDED_FIELDS } from "./blob-marker.ts";

/** The length up to which a string is never extracted, because its entry in the blob marker would be longer. */
const MIN_LENGTH = 64;

/** An extracted string and its path in the message. */
export interface LongString {
  at: PathStep[];
  text: string;
}

/** A message whose long strings were extracted, and the extracted strings. */
export interface ExtractionResult<T> {
  /** A copy with "" in place of each long string; the original message if nothing was extracted. */
  message: T;
  strings: LongString[];
}

/** Extracts the strings of more than `threshold` characters from a copy of the message. */
export function extractStrings<T extends object>(message: T, threshold: number): ExtractionResult<T> {
  const strings: LongString[] = [];
  const maxLength = Math.max(threshold, MIN_LENGTH);
  // The cast is safe, because the copy has the structure of the message; only the content of strings differs.
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

/**
 * True for an object without a `toJSON` method. An object with the method is not searched, because its JSON is the
 * result of the method and not that of its fields.
 */
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
