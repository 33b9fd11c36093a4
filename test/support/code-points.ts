// Generates any Unicode character. The unit "binary" of fast-check is not used: it builds a table of all of Unicode,
// which takes two seconds and a hundred megabytes.
import fc from "fast-check";

/** Surrogates are no characters. */
const SURROGATES = { first: 0xd8_00, count: 0x8_00 };
const LAST = 0x10_ff_ff - SURROGATES.count;

function toCharacter(place: number): string {
  return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count);
}

/** The inverse function, with which fast-check can use its list of dangerous strings. */
function toIndex(character: unknown): number {
  const [only, ...others] = typeof character === "string" ? character : "";
  const code = only?.codePointAt(0);
  if (code === undefined || others.length > 0) throw new Error("This is not one character.");
  if (code < SURROGATES.first) return code;
  if (code < SURROGATES.first + SURROGATES.count) throw new Error("This is half a pair.");
  return code - SURROGATES.count;
}

export const codePoint: fc.Arbitrary<string> = fc.nat(LAST).map(toCharacter, toIndex);
