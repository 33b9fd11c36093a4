// Takes long strings out of a message, as a copy: only what lies on the way to them is copied, digits included.
import { copyDigits, copyObject } from "../../model/json.ts";
import type { Step } from "./marker.ts";
import { isReference, STAYING } from "./marker.ts";

/** What would stand for a shorter string is longer than the string, and the words that a message is made of stay. */
const LEAST = 64;

export interface LongString {
  at: Step[];
  text: string;
}

export interface Lightened<T> {
  /** The message itself where nothing was taken out. */
  message: T;
  strings: LongString[];
}

/** The message without its strings of more than `threshold` characters. The one that is given stays as it is. */
export function takeStrings<T extends object>(message: T, threshold: number): Lightened<T> {
  const strings: LongString[] = [];
  const longest = Math.max(threshold, LEAST);
  // What comes back has the shape of what went in, with other strings.
  return { message: lighten(message, [], longest, strings) as T, strings };
}

function lighten(value: unknown, at: Step[], threshold: number, found: LongString[]): unknown {
  if (typeof value === "string") {
    // The name of a blob is not hidden in another one.
    if (value.length <= threshold || isReference(value)) return value;
    found.push({ at: [...at], text: value });
    return "";
  }
  if (Array.isArray(value)) return lightenList(value, at, threshold, found);
  return isPlain(value) ? lightenObject(value, at, threshold, found) : value;
}

/** What writes itself as JSON would be another value if its inside were changed. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !("toJSON" in value && typeof value.toJSON === "function");
}

function lightenList(list: readonly unknown[], at: Step[], threshold: number, found: LongString[]): unknown {
  let copy: unknown[] | undefined;
  for (const [index, value] of list.entries()) {
    at.push(index);
    const light = lighten(value, at, threshold, found);
    at.pop();
    if (light === value) continue;
    copy ??= copyList(list);
    copy[index] = light;
  }
  return copy ?? list;
}

function lightenObject(
  object: Record<string, unknown>,
  at: Step[],
  threshold: number,
  found: LongString[],
): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    if (at.length === 0 && STAYING.has(key)) continue;
    const value = object[key];
    at.push(key);
    const light = lighten(value, at, threshold, found);
    at.pop();
    if (light === value) continue;
    copy ??= copyObject(object);
    copy[key] = light;
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
