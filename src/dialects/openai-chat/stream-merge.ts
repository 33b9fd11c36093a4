// Pieces of a wire object, put together as an answer in one piece would have them. What is unknown is kept, too: nobody
// can say whether a text of which more comes goes on or is said again, and what is joined is not lost (B43).
import { settle } from "../../assembly/draft.ts";
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import { copyField, isObject } from "../kit/read.ts";

/** Takes over a field that tells about the answer: what is later wins, but nothing does not replace something. */
export function addLater(target: JsonObject, source: JsonObject, key: string): void {
  add(target, source, key, false);
}

/** Takes over a field that a delta has: texts and lists go on. */
export function addPiece(target: JsonObject, source: JsonObject, key: string): void {
  add(target, source, key, true);
}

function add(target: JsonObject, source: JsonObject, key: string, joins: boolean): void {
  const value = source[key];
  if (value === undefined) return;
  const there = Object.hasOwn(target, key) ? target[key] : undefined;
  if (there === undefined || there === null) copyField(source, key, target);
  else if (joins && Array.isArray(value) && Array.isArray(there)) setOwn(target, key, joined(there, value));
  else if (value === null || value === there) {
    if (joins && typeof value === "string") setOwn(target, key, value + value);
  } else if (isObject(value) && isObject(there)) {
    // Both are somebody else's.
    const merged = copyObject(there);
    for (const inner of Object.keys(value)) add(merged, value, inner, joins);
    setOwn(target, key, merged);
  } else if (joins && typeof value === "string" && typeof there === "string") setOwn(target, key, there + value);
  else copyField(source, key, target);
}

/** Lists that were made here, and may grow. */
const OWN = new WeakSet<JsonValue[]>();

/** A list that goes on. */
function joined(list: JsonValue[], more: readonly JsonValue[]): JsonValue[] {
  if (!OWN.has(list)) {
    const made = [...list, ...more];
    OWN.add(made);
    return made;
  }
  for (const each of more) list.push(each);
  return list;
}

/** A text that grows with every chunk, and stays one piece in memory. */
export class Growing {
  text = "";
  readonly #mark = { settled: 0 };

  add(piece: string): void {
    this.text += piece;
    settle(this.#mark, this.text);
  }
}

/** Copies every field, whatever its name, with all its digits. */
export function assign(target: JsonObject, from: JsonObject): JsonObject {
  for (const key of Object.keys(from)) copyField(from, key, target);
  return target;
}
