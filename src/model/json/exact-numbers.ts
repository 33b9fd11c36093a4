// Stores exact numbers in a side table: the source texts of numbers that a double cannot hold, by container and key. An
// entry is valid only while its text parses to the number in the container and, for an array, the length is unchanged.
// An edited number thus has no valid entry.

import { assertIterable } from "../argument-error.ts";
import { JsonError } from "../errors.ts";
import { isNumberText, fitsDouble } from "./number-text.ts";
import { MAX_DEPTH, parsePointer, shortPointer } from "./short-pointer.ts";
import { pointer } from "./pointer.ts";

/** A number that a double cannot hold: its JSON pointer and its source text. */
export interface ExactNumber {
  path: string;
  text: string;
}

interface ContainerRecords {
  texts: Map<string, string>;
  /**
   * The length of an array when the texts were recorded. After a shift or splice, the indexes belong to different
   * numbers.
   */
  length: number | undefined;
}

const recordsByContainer = new WeakMap<object, ContainerRecords>();
let hasAnyRecord = false;

/** True if any exact number was recorded since the program started. If not, callers skip all lookups. */
export function hasRecordedNumbers(): boolean {
  return hasAnyRecord;
}

/**
 * True if exact numbers were recorded for this container, even if the container was changed since and the records are
 * no longer valid.
 */
export function hasRecords(container: object): boolean {
  return recordsByContainer.has(container);
}

function readLength(container: object): number | undefined {
  return Array.isArray(container) ? container.length : undefined;
}

/**
 * Returns the recorded texts of a container, by key. Undefined if there are none, or if the container is an array whose
 * length has changed since.
 */
function readTexts(container: object): Map<string, string> | undefined {
  const records = recordsByContainer.get(container);
  return records !== undefined && records.length === readLength(container) ? records.texts : undefined;
}

/** Records `text` as the exact text of the number `container[key]`. */
export function recordText(container: object, key: string, text: string): void {
  hasAnyRecord = true;
  const texts = readTexts(container);
  if (texts === undefined)
    recordsByContainer.set(container, { texts: new Map([[key, text]]), length: readLength(container) });
  else texts.set(key, text);
}

/** Removes the recorded text of `container[key]`. */
export function removeText(container: object, key: string): void {
  if (hasAnyRecord) recordsByContainer.get(container)?.texts.delete(key);
}

/** Returns the recorded text of `container[key]` if it still parses to `value`. */
export function findExactText(container: object, key: string, value: number): string | undefined {
  const text = readTexts(container)?.get(key);
  return text !== undefined && Number(text) === value ? text : undefined;
}

/** Copies the recorded text of `from[key]` to `to[as]`, which must be the same number. */
export function copyDigits(from: object, key: string, to: object, as: string): void {
  const text = hasAnyRecord ? readTexts(from)?.get(key) : undefined;
  if (text !== undefined) recordText(to, as, text);
}

/** Copies an object one level deep with its recorded texts, which a spread would not copy. */
export function copyObject<T extends object>(from: T): T {
  const copy = { ...from };
  const texts = hasAnyRecord ? readTexts(from) : undefined;
  if (texts !== undefined) recordsByContainer.set(copy, { texts: new Map(texts), length: undefined });
  return copy;
}

/** Assigns fields like Object.assign, and copies the recorded texts, too. */
export function assignObject<T extends object>(target: T, from: object): T {
  Object.assign(target, from);
  const texts = hasAnyRecord ? readTexts(from) : undefined;
  if (texts !== undefined) for (const [key, text] of texts) recordText(target, key, text);
  return target;
}

/**
 * Returns the own property `key`, or undefined if there is none. Inherited properties are not read, because keys come
 * from the wire.
 */
export function readOwnValue(container: object, key: string): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined;
}

/** True if `value` contains, at any depth, a number with a recorded text. */
export function hasExactNumbers(value: unknown): boolean {
  return hasAnyRecord && containsExactNumber(value, 1);
}

/**
 * True if a value contains a number with a recorded text. Values deeper than MAX_DEPTH are skipped: they do not come
 * from parseJson and have no recorded texts.
 */
function containsExactNumber(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return false;
  const texts = readTexts(value);
  return Object.keys(value).some((key) => {
    const child = readOwnValue(value, key);
    if (typeof child !== "number") return containsExactNumber(child, depth + 1);
    return texts !== undefined && findExactText(value, key, child) !== undefined;
  });
}

/**
 * Returns every exact number in `value`, to be restored on a copy that has no entries in the side table, such as a
 * clone or a value from a database.
 */
export function listExactNumbers(value: unknown): ExactNumber[] {
  const numbers: ExactNumber[] = [];
  if (hasAnyRecord) collectExactNumbers(value, [], numbers);
  return numbers;
}

function collectExactNumbers(value: unknown, path: string[], numbers: ExactNumber[]): void {
  if (typeof value !== "object" || value === null) return;
  if (path.length >= MAX_DEPTH) throw new JsonError("too-deep", shortPointer(path), TOO_DEEP_VALUE);
  for (const key of Object.keys(value)) {
    const child = readOwnValue(value, key);
    path.push(key);
    if (typeof child === "number") {
      const text = findExactText(value, key, child);
      if (text !== undefined) numbers.push({ path: pointer(path), text });
    } else {
      collectExactNumbers(child, path, numbers);
    }
    path.pop();
  }
}

/**
 * The error message for a value that is nested too deeply. It mentions cycles, because they cannot be distinguished
 * from deep nesting.
 */
export const TOO_DEEP_VALUE = `The value is nested deeper than ${MAX_DEPTH} levels, or contains itself. Flatten it, or carry the inner part as a string of JSON.`;

/**
 * Records exact numbers for `value` again, for example after a structuredClone. Returns the entries that do not apply:
 * the path does not exist or has a different number, or the text is not a JSON number.
 */
export function restoreNumbers(value: unknown, numbers: readonly ExactNumber[]): ExactNumber[] {
  assertIterable("restoreNumbers", "numbers", numbers);
  return numbers.filter((number) => !restoreNumber(value, number));
}

function restoreNumber(root: unknown, { path, text }: ExactNumber): boolean {
  const keys = parsePointer(path);
  const last = keys?.pop();
  if (keys === undefined || last === undefined || !isNumberText(text)) return false;
  let container: unknown = root;
  for (const key of keys) container = readChild(container, key);
  const value = readChild(container, last);
  if (typeof container !== "object" || container === null || value !== Number(text)) return false;
  if (fitsDouble(text)) removeText(container, last);
  else recordText(container, last, text);
  return true;
}

function readChild(container: unknown, key: string): unknown {
  if (typeof container !== "object" || container === null) return undefined;
  // Only indexes are read from an array, because its own property `length` is not an element.
  if (Array.isArray(container) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
  return readOwnValue(container, key);
}
