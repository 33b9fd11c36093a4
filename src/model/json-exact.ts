// The side table of exact numbers: source texts kept beside plain values, by container and key.
// A text counts only while it still reads as the number standing there, and in an array only while that keeps its
// length, so that an edit wins.

import { JsonError } from "./errors.ts";
import { isNumberText, survives } from "./json-number.ts";
import { MAX_DEPTH, parsePointer, shortPointer } from "./json-pointer.ts";
import { pointer } from "./pointer.ts";

/** An exact number: where it stands (a JSON pointer) and its source text. */
export interface ExactNumber {
  path: string;
  text: string;
}

interface Records {
  texts: Map<string, string>;
  /** An array's length when they were made: after a shift or splice the indexes mean other numbers. */
  length: number | undefined;
}

const table = new WeakMap<object, Records>();
let used = false;

/** Whether any exact number was ever recorded; while not, no lookup is needed. */
export function anyRecorded(): boolean {
  return used;
}

/** Whether this very container has exact numbers recorded, fitting or not. */
export function hasRecords(container: object): boolean {
  return table.has(container);
}

function lengthOf(container: object): number | undefined {
  return Array.isArray(container) ? container.length : undefined;
}

/** The texts of a container, while they still belong to it. */
function textsOf(container: object): Map<string, string> | undefined {
  const records = table.get(container);
  return records !== undefined && records.length === lengthOf(container) ? records.texts : undefined;
}

/** Keeps `text` as the exact form of `container[key]`. */
export function record(container: object, key: string, text: string): void {
  used = true;
  const texts = textsOf(container);
  if (texts === undefined) table.set(container, { texts: new Map([[key, text]]), length: lengthOf(container) });
  else texts.set(key, text);
}

/** Drops what was kept for `container[key]`. */
export function forget(container: object, key: string): void {
  if (used) table.get(container)?.texts.delete(key);
}

/** The exact text of the number at `container[key]`, where one is kept and still reads as `value`. */
export function exactText(container: object, key: string, value: number): string | undefined {
  const text = textsOf(container)?.get(key);
  return text !== undefined && Number(text) === value ? text : undefined;
}

/** Takes the exact text of `from[key]` along, where `to[as]` is the same number. */
export function copyDigits(from: object, key: string, to: object, as: string): void {
  const text = used ? textsOf(from)?.get(key) : undefined;
  if (text !== undefined) record(to, as, text);
}

/** A shallow copy that takes exact digits along, which a spread would leave behind. */
export function copyObject<T extends object>(from: T): T {
  const copy = { ...from };
  const texts = used ? textsOf(from) : undefined;
  if (texts !== undefined) table.set(copy, { texts: new Map(texts), length: undefined });
  return copy;
}

/** Object.assign that takes exact digits along. */
export function assignObject<T extends object>(target: T, from: object): T {
  Object.assign(target, from);
  const texts = used ? textsOf(from) : undefined;
  if (texts !== undefined) for (const [key, text] of texts) record(target, key, text);
  return target;
}

/** The own property `key`, or undefined: foreign keys never reach the prototype. */
export function ownValue(container: object, key: string): unknown {
  // An object of unknown shape is read as a record; hasOwn says whether the key is there.
  return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined;
}

/** Whether `value` holds, at any depth, a number whose exact text is kept. */
export function hasExactNumbers(value: unknown): boolean {
  return used && holdsExact(value, 1);
}

/** What lies deeper than MAX_DEPTH was not read by Koine and has no records. */
function holdsExact(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return false;
  const texts = textsOf(value);
  return Object.keys(value).some((key) => {
    const child = ownValue(value, key);
    if (typeof child !== "number") return holdsExact(child, depth + 1);
    return texts !== undefined && exactText(value, key, child) !== undefined;
  });
}

/** Every exact number in `value`, to carry along where the side table cannot follow (a clone, a database). */
export function exactNumbers(value: unknown): ExactNumber[] {
  const found: ExactNumber[] = [];
  if (used) collect(value, [], found);
  return found;
}

function collect(value: unknown, path: string[], found: ExactNumber[]): void {
  if (typeof value !== "object" || value === null) return;
  if (path.length >= MAX_DEPTH) throw new JsonError("too-deep", shortPointer(path), TOO_DEEP_VALUE);
  for (const key of Object.keys(value)) {
    const child = ownValue(value, key);
    path.push(key);
    if (typeof child === "number") {
      const text = exactText(value, key, child);
      if (text !== undefined) found.push({ path: pointer(path), text });
    } else {
      collect(child, path, found);
    }
    path.pop();
  }
}

/** What to say of a value nested too deep; a cycle looks the same from inside. */
export const TOO_DEEP_VALUE = `The value is nested deeper than ${MAX_DEPTH} levels, or contains itself. Flatten it, or carry the inner part as a string of JSON.`;

/**
 * Puts exact numbers back beside `value`, for example after a structuredClone. Entries that do not fit (no such place,
 * another number there now, no JSON number) change nothing and are returned.
 */
export function restoreNumbers(value: unknown, numbers: readonly ExactNumber[]): ExactNumber[] {
  return numbers.filter((number) => !restore(value, number));
}

function restore(root: unknown, { path, text }: ExactNumber): boolean {
  const keys = parsePointer(path);
  const last = keys?.pop();
  if (keys === undefined || last === undefined || !isNumberText(text)) return false;
  let container: unknown = root;
  for (const key of keys) container = childOf(container, key);
  const value = childOf(container, last);
  if (typeof container !== "object" || container === null || value !== Number(text)) return false;
  if (survives(text)) forget(container, last);
  else record(container, last, text);
  return true;
}

function childOf(container: unknown, key: string): unknown {
  if (typeof container !== "object" || container === null) return undefined;
  // An array's own `length` is no element.
  if (Array.isArray(container) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
  return ownValue(container, key);
}
