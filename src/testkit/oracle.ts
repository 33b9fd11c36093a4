// The silent-loss oracle: for every scalar of a canonical value, either it is in the output or a reported loss covers
// its place. It knows nothing of any dialect, so a forgotten field cannot hide from it.
import type { Encoded } from "../dialects/dialect.ts";
import { exactNumbers, parseJson, stringifyJson } from "../model/json.ts";
import type { Loss } from "../model/loss.ts";
import type { Place, Scalar } from "./places.ts";
import { isScalar, parentOf, places, withPlace } from "./places.ts";
import { isInputText, isNotation, isToolName, isVocabulary } from "./positions.ts";

/** Strings from this length on are looked for in the output; shorter ones could be there by chance. */
const LOOKED_FOR = 6;

/** Whether a loss tells of a place: it names the place itself, or something that it is within. */
function covers({ path: lost }: Loss, path: string): boolean {
  return path === lost || path.startsWith(`${lost}/`) || lost === "";
}

export function isCovered({ losses }: Encoded, path: string): boolean {
  return losses.some((loss) => covers(loss, path));
}

/** All strings and keys that went out, in order, as one text; base64 and JSON within JSON stay as they are. */
export function outgoing({ wire, address }: Encoded): string {
  const strings: string[] = [];
  for (const { value, keys } of places({ wire, address })) {
    const key = keys.at(-1);
    if (typeof key === "string") strings.push(key);
    if (typeof value === "string") strings.push(value);
  }
  return strings.join("\u0000");
}

function occurrences(text: string, out: string): number {
  let count = 0;
  for (let at = out.indexOf(text); at >= 0; at = out.indexOf(text, at + text.length)) count++;
  return count;
}

/** A text may stand in a JSON text within the wire, escaped once. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** How often a text went out. */
function arrivals(text: string, out: string): number {
  const inJson = escaped(text);
  return occurrences(text, out) + (inJson === text ? 0 : occurrences(inJson, out));
}

/** Where a text went out first; -1 where it did not. */
export function positionOf(text: string, out: string): number {
  const plain = out.indexOf(text);
  return plain >= 0 ? plain : out.indexOf(escaped(text));
}

/** Another value of the same kind. */
function changed(value: Scalar): Scalar {
  if (typeof value === "boolean") return !value;
  // Adding one would not change a number beyond 2^53.
  if (typeof value === "number") return value === 0 ? 1 : -value;
  return value === null ? 0 : `${value}q`;
}

function fingerprint({ wire, losses, address }: Encoded): string {
  return JSON.stringify([wire, address, losses.map(({ path, code, message }) => [path, code, message])]);
}

/** Whether every digit of a text that a double does not hold is in the output (B23). */
function keepsDigits(text: string, { wire }: Encoded): boolean {
  let digits: string[];
  try {
    digits = exactNumbers(parseJson(text)).map((number) => number.text);
  } catch {
    // The text of an invalid call is its input, which is looked for like any other.
    return true;
  }
  return digits.every((each) => stringifyJson(wire).includes(each));
}

/**
 * The places whose value was lost without a word. Strings compare as a multiset: one that stands n times in the value
 * must stand n times in the output. And each place counts: given another string there, that one must arrive or be
 * reported, so that what the wire repeats elsewhere does not stand in for it. Booleans, numbers and short strings are
 * changed, and the output or the losses must change with them.
 */
export function silentLosses<T>(value: T, encode: (value: T) => Encoded): Place[] {
  const encoded = encode(value);
  const before = fingerprint(encoded);
  const out = outgoing(encoded);
  const all = [...places(value)];
  const at = new Map(all.map((place) => [place.path, place.value]));
  // A result's tool is known by its call: it need not be said a second time.
  const isEcho = (path: string): boolean => isToolName(path) && at.get(`${parentOf(path)}/type`) === "tool-result";
  const open = all.filter(
    (place) => isScalar(place.value) && !isVocabulary(place.path) && !isCovered(encoded, place.path),
  );
  const wanted = new Map<unknown, number>();
  for (const { value: scalar, path } of open) {
    if (!isInputText(path) && !isNotation(path) && !isEcho(path)) wanted.set(scalar, (wanted.get(scalar) ?? 0) + 1);
  }
  // The value differs from T in one scalar of the same kind.
  const probe = ({ keys }: Place, scalar: Scalar): Encoded => encode(withPlace(value, keys, scalar) as T);

  const arrives = (place: Place): boolean => {
    const { value: scalar, path } = place;
    if (isInputText(path)) return keepsDigits(String(scalar), encoded);
    if (!isLookedFor(scalar) || isNotation(path)) {
      return fingerprint(probe(place, changed(scalar as Scalar))) !== before;
    }
    if (arrivals(scalar, out) < Math.max(1, wanted.get(scalar) ?? 0)) return false;
    const another = `${scalar}-changed-here`;
    const probed = probe(place, another);
    return arrivals(another, outgoing(probed)) > 0 || isCovered(probed, path);
  };
  return open.filter((place) => !arrives(place));
}

function isLookedFor(scalar: unknown): scalar is string {
  return typeof scalar === "string" && scalar.length >= LOOKED_FOR;
}
