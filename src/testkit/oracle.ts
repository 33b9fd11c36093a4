// The silent-loss oracle: for every scalar of a canonical value, either it is in the output or a reported loss covers
// its place. It knows nothing of any dialect, so a forgotten field cannot hide from it.
import type { Encoded } from "../dialects/dialect.ts";
import { coverage, isCovered } from "./coverage.ts";
import { arrivals, fingerprint, keepsDigits, outgoing } from "./outgoing.ts";
import type { Place, Scalar } from "./places.ts";
import { parentOf, scalars, valueAt, withPlace } from "./places.ts";
import {
  isCount,
  isInputText,
  isNotation,
  isSentPart,
  isSource,
  isToolName,
  isVocabulary,
  joins,
} from "./positions.ts";

/** Strings from this length on are looked for in the output; shorter ones could be there by chance. */
const LOOKED_FOR = 6;
const YEAR = /^\d{4}(?=-\d{2}-\d{2}T)/;

/** Another value of the same kind: of a time another time, of a count one more. */
function changed(value: Scalar, path: string): Scalar {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number" && isCount(path)) return value + 1;
  // Adding one would not change a number beyond 2^53.
  if (typeof value === "number") return value === 0 ? 1 : -value;
  if (value === null) return 0;
  return YEAR.test(value) ? value.replace(YEAR, (year) => (year === "2001" ? "2002" : "2001")) : `${value}q`;
}

function isLookedFor(scalar: unknown): scalar is string {
  return typeof scalar === "string" && scalar.length >= LOOKED_FOR;
}

/** What stands around a place. */
function around(value: unknown, { keys }: Place): Readonly<Record<string, unknown>> {
  return (valueAt(value, keys.slice(0, -1)) ?? {}) as Record<string, unknown>;
}

/** A tool that only its dialect knows is named by the wire's own words for it. */
export function isImplied(value: unknown, place: Place): boolean {
  const { path } = place;
  if (isToolName(path)) return isSentPart(parentOf(path)) && around(value, place)["tool"] !== undefined;
  return /^\/tools\/\d+\/name$/.test(path) && around(value, place)["type"] === "provider";
}

/** One value, its encoding, and the judgement of each of its places. */
export class Oracle<T> {
  /** The scalars that no loss covers and that are no vocabulary. */
  readonly open: readonly Place[];
  readonly encoded: Encoded;
  readonly #value: T;
  readonly #encode: (value: T) => Encoded;
  readonly #before: string;
  readonly #out: string;
  readonly #wanted = new Map<unknown, number>();

  constructor(value: T, encode: (value: T) => Encoded) {
    this.#value = value;
    this.#encode = encode;
    this.encoded = encode(value);
    this.#before = fingerprint(this.encoded);
    this.#out = outgoing(this.encoded);
    const isLost = coverage(this.encoded);
    this.open = scalars(value).filter(
      (place) => !isVocabulary(place.path) && !isLost(place.path) && !isImplied(value, place),
    );
    for (const place of this.open) {
      const { value: scalar, path } = place;
      if (isInputText(path) || isNotation(path) || isSource(path) || this.#isEcho(place)) continue;
      this.#wanted.set(scalar, (this.#wanted.get(scalar) ?? 0) + 1);
    }
  }

  /** A result's id and tool are known by its call: where it stands with that, they need not be said a second time. */
  #isEcho(place: Place): boolean {
    return (
      (isToolName(place.path) || joins(place.path) === "id") && around(this.#value, place)["type"] === "tool-result"
    );
  }

  /** The value with another scalar of the same kind at a place, encoded. */
  #probe({ keys }: Place, scalar: Scalar): Encoded {
    return this.#encode(withPlace(this.#value, keys, scalar) as T);
  }

  /** Whether a string went out as often as it stands in the value; true for what is not looked for. */
  isThere({ value: scalar, path }: Place): boolean {
    if (isInputText(path)) return keepsDigits(String(scalar), this.encoded);
    if (!isLookedFor(scalar) || isNotation(path)) return true;
    return arrivals(scalar, this.#out) >= Math.max(1, this.#wanted.get(scalar) ?? 0);
  }

  /** Whether another scalar in this place would show. */
  shows(place: Place): boolean {
    const { value: scalar, path } = place;
    if (isInputText(path)) return true;
    if (!isLookedFor(scalar) || isNotation(path)) {
      return fingerprint(this.#probe(place, changed(scalar as Scalar, path))) !== this.#before;
    }
    const another = `${scalar}-changed-here`;
    const probed = this.#probe(place, another);
    return arrivals(another, outgoing(probed)) > 0 || isCovered(probed, path);
  }
}

/**
 * The places whose value was lost without a word. Strings compare as a multiset: one that stands n times in the value
 * must stand n times in the output. And each place counts: given another string there, that one must arrive or be
 * reported, so that what the wire repeats elsewhere does not stand in for it. Booleans, numbers and short strings are
 * changed, and the output or the losses must change with them.
 */
export function silentLosses<T>(value: T, encode: (value: T) => Encoded): Place[] {
  const oracle = new Oracle(value, encode);
  return oracle.open.filter((place) => !oracle.isThere(place) || !oracle.shows(place));
}
