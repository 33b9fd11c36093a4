// Merges chunks into the wire object of a response. Texts of unknown fields are joined: it is unknown whether a chunk
// continues or repeats them, and joining loses nothing (B43).
import { flattenText } from "../../../assembly/draft.ts";
import { setOwn } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";

/** Merges a top-level field: later values win, and null never overwrites a value. */
export function overwriteField(target: JsonObject, source: JsonObject, key: string): void {
  mergeField(target, source, key, false);
}

/** Merges a field of a delta: texts and lists are appended to the existing value. */
export function appendField(target: JsonObject, source: JsonObject, key: string): void {
  mergeField(target, source, key, true);
}

function mergeField(target: JsonObject, source: JsonObject, key: string, appends: boolean): void {
  const value = source[key];
  if (value === undefined) return;
  const existing = Object.hasOwn(target, key) ? target[key] : undefined;
  if (existing === undefined || existing === null) copyField(source, key, target);
  else if (appends && Array.isArray(value) && Array.isArray(existing)) setOwn(target, key, appendList(existing, value));
  else if (value === null || value === existing) {
    if (appends && typeof value === "string") setOwn(target, key, value + value);
  } else if (isObject(value) && isObject(existing)) {
    // Merging changes a copy, because both objects belong to the caller's chunks.
    const merged = copyObject(existing);
    for (const inner of Object.keys(value)) mergeField(merged, value, inner, appends);
    setOwn(target, key, merged);
  } else if (appends && typeof value === "string" && typeof existing === "string")
    setOwn(target, key, existing + value);
  else copyField(source, key, target);
}

/** Lists that `appendList` created. Other lists belong to the caller's chunks and must not be changed. */
const OWNED_LISTS = new WeakSet<JsonValue[]>();

/**
 * Returns the list with `more` appended. Changes the list in place if `appendList` created it, so that merging n chunks
 * is not quadratic.
 */
function appendList(list: JsonValue[], more: readonly JsonValue[]): JsonValue[] {
  if (!OWNED_LISTS.has(list)) {
    const copy = [...list, ...more];
    OWNED_LISTS.add(copy);
    return copy;
  }
  for (const each of more) list.push(each);
  return list;
}

/**
 * A text that grows with every chunk. It is flattened in memory from time to time, because long chains of
 * concatenations are slow.
 */
export class GrowingText {
  text = "";
  readonly #mark = { flattenedLength: 0 };

  add(text: string): void {
    this.text += text;
    flattenText(this.#mark, this.text);
  }
}

/** Copies every field of `from` into `target`, with all digits of its numbers, and returns `target`. */
export function copyFields(target: JsonObject, from: JsonObject): JsonObject {
  for (const key of Object.keys(from)) copyField(from, key, target);
  return target;
}
