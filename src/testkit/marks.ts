// Marks: every scalar of a value gets one of its own, so that one encoding tells which of them arrive.
import type { Encoded } from "../dialects/dialect.ts";
import { outgoing } from "./outgoing.ts";
import type { Place } from "./places.ts";
import { mapScalars } from "./places.ts";
import { isBase64, isCount, isInputText, isNotation, joins } from "./positions.ts";

/** Letters and digits only: a mark is legal in an id, in a tool's name and in base64. */
const WORD = /Qk\d{6}/g;
const NUMBER = /(?<!\d)7\d{6}(?!\d)/g;

export interface Marked<T> {
  value: T;
  /** The mark of each place that has one, by path. */
  marks: ReadonlyMap<string, string>;
}

/** Whether a mark tells more here than a single change would: spellings, counts and words of a table are no place for one. */
function isMarkable({ path, value }: Place): boolean {
  if (isInputText(path) || isNotation(path) || isCount(path)) return false;
  return typeof value === "string" ? value !== "" : typeof value === "number";
}

/** The value with marks in those places. What joins places by being the same has one mark in all of them. */
export function markPlaces<T>(value: T, places: readonly Place[]): Marked<T> {
  const marks = new Map<string, string>();
  const joined = new Map<string, string>();
  for (const place of places) {
    if (!isMarkable(place)) continue;
    const number = String(marks.size + 1).padStart(6, "0");
    const mark = typeof place.value === "number" ? `7${number}` : `Qk${number}`;
    const joint = joins(place.path);
    const key = joint === undefined ? place.path : `${joint} ${String(place.value)}`;
    joined.set(key, joined.get(key) ?? mark);
    marks.set(place.path, joined.get(key) ?? mark);
  }
  const marked = mapScalars(value, (scalar, path) => {
    const mark = marks.get(path);
    if (mark === undefined) return scalar;
    if (typeof scalar === "number") return Number(mark);
    return isBase64(path) ? mark : `${String(scalar)}${mark}`;
  });
  // Only scalars were replaced, each by one of its kind.
  return { value: marked as T, marks };
}

/** The marks that went out. */
export function arrivedMarks(encoded: Encoded): ReadonlySet<string> {
  const numbers = JSON.stringify([encoded.wire, encoded.address]);
  return new Set([...outgoing(encoded).matchAll(WORD), ...numbers.matchAll(NUMBER)].map(([mark]) => mark));
}
