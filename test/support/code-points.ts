// Any character at all, for generated texts. fast-check has a unit for it, "binary", which first builds a table of all
// of Unicode: that takes two seconds and a hundred megabytes.
import fc from "fast-check";

/** Halves of pairs are no characters. */
const HALVES = { first: 0xd8_00, count: 0x8_00 };
const LAST = 0x10_ff_ff - HALVES.count;

function characterOf(place: number): string {
  return String.fromCodePoint(place < HALVES.first ? place : place + HALVES.count);
}

/** With the way back, fast-check can put in texts that are known to hurt. */
function placeOf(character: unknown): number {
  const [only, ...others] = typeof character === "string" ? character : "";
  const code = only?.codePointAt(0);
  if (code === undefined || others.length > 0) throw new Error("This is not one character.");
  if (code < HALVES.first) return code;
  if (code < HALVES.first + HALVES.count) throw new Error("This is half a pair.");
  return code - HALVES.count;
}

export const codePoint: fc.Arbitrary<string> = fc.nat(LAST).map(characterOf, placeOf);
