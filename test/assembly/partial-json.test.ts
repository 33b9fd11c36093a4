// B78: partial JSON is readable at every prefix.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePartialJson } from "../../src/assembly/partial-json.ts";
import { type JsonValue, stringifyJson } from "../../src/model/json/index.ts";
import { scaleRunCount } from "../support/property-run-count.ts";
import { codePoint } from "../support/code-points.ts";

const CASES: [sentence: string, text: string, value: JsonValue | undefined][] = [
  ["an empty text", "", undefined],
  ["blanks", " \n\t", undefined],
  ["an open object", "{", {}],
  ["an open array", " [ ", []],
  ["an unfinished key", '{"a":1,"b', { a: 1 }],
  ["a key without a value", '{"a":1,"b"', { a: 1 }],
  ["a key with a colon", '{"a":1,"b": ', { a: 1 }],
  ["a comma at the end", "[1,", [1]],
  ["an unfinished string", '{"a":"hel', { a: "hel" }],
  ["a string just opened", '["', [""]],
  ["a dangling backslash", '["a\\', ["a"]],
  ["an escaped backslash", '["a\\\\', ["a\\"]],
  ["a partial unicode escape", String.raw`["a\u00e`, ["a"]],
  ["an escaped backslash before a u", String.raw`["a\\u00e`, [String.raw`a\u00e`]],
  ["B50: a high surrogate alone", '["a\ud83d', ["a"]],
  ["B50: an escaped high surrogate alone", String.raw`["a\ud83d`, ["a"]],
  ["B50: an escaped high surrogate and a partial low one", String.raw`["a\ud83d\ude`, ["a"]],
  ["B50: a complete escaped pair", String.raw`["a\ud83d\ude00`, ["a😀"]],
  ["a lone surrogate that stays alone", String.raw`["a\ud83db`, ["a\ud83db"]],
  ["a minus", '{"a":-', {}],
  ["a minus at the root", "-", undefined],
  ["a point", "[-1.", [-1]],
  ["an exponent mark", "[1.5e", [1.5]],
  ["an exponent sign", "[1.5E+", [1.5]],
  ["a whole number", "[12", [12]],
  ["t", '{"a":t', { a: true }],
  ["fals", "[fals", [false]],
  ["nul", "nul", null],
  ["a finished text", ' {"a":[1,{"b":null}]} ', { a: [1, { b: null }] }],
  ["nested openings", '[[{"a":[', [[{ a: [] }]]],
  ["B79: __proto__ as a key", '{"__proto__":{"x":1', JSON.parse('{"__proto__":{"x":1}}') as JsonValue],
  ["no JSON", "hello", undefined],
  ["no literal", "[tru ", undefined],
  ["a wrong bracket", "[}", undefined],
  ["a second value", "{} {", undefined],
  ["two commas", "[1,,", undefined],
  ["a leading zero", "[01", undefined],
  ["an unquoted key", "{a", undefined],
  ["a line break in a string", '["a\n', undefined],
  ["a wrong escape", String.raw`["\x`, undefined],
];

describe("B78: unfinished JSON", () => {
  test.each(CASES)("%s", (_sentence, text, value) => {
    expect(parsePartialJson(text)).toStrictEqual(value);
  });

  test("B23: preserves the digits of large numbers", () => {
    expect(stringifyJson(parsePartialJson('{"id":12345678901234567890,"x'))).toBe('{"id":12345678901234567890}');
  });

  test.each([100_000, 5_000_000])("%i levels neither crash nor hang", (depth) => {
    expect(parsePartialJson("[".repeat(depth))).toBeUndefined();
    expect(parsePartialJson('{"a":'.repeat(depth))).toBeUndefined();
  });

  test("the maximum depth is parsed", () => {
    expect(stringifyJson(parsePartialJson("[".repeat(1000)))).toBe("[".repeat(1000) + "]".repeat(1000));
  });
});

/** True if `later` continues `earlier`: no value was removed; only numbers at the end may change. */
function continues(earlier: JsonValue | undefined, later: JsonValue | undefined): boolean {
  if (earlier === undefined) return true;
  if (typeof earlier === "string") return typeof later === "string" && later.startsWith(earlier);
  if (typeof earlier === "number") return typeof later === "number";
  if (typeof earlier !== "object" || earlier === null) return earlier === later;
  if (typeof later !== "object" || later === null || Array.isArray(earlier) !== Array.isArray(later)) return false;
  const then = new Map(Object.entries(later));
  return Object.entries(earlier).every(([key, value]) => then.has(key) && continues(value, then.get(key)));
}

describe("every prefix of any JSON text", () => {
  // No backslash, because keys are made of these too: some versions of V8 confuse two keys if one has a backslash where
  // the other has an escape. Quotes and control characters cover the escapes.
  const character = fc
    .oneof(
      fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }),
      fc.constantFrom('"', "\n", "\u0001", "\ud83d", "😀"),
    )
    .filter((char) => char !== "\\");
  const json = fc.tuple(fc.jsonValue({ stringUnit: character }), fc.constantFrom(undefined, 1));

  test("can be read, and grows", () => {
    fc.assert(
      fc.property(json, ([value, indent]) => {
        const text = JSON.stringify(value, null, indent);
        let last: JsonValue | undefined;
        for (let length = 0; length <= text.length; length++) {
          const next = parsePartialJson(text.slice(0, length));
          if (/[[{"\d]/.test(text.slice(0, length))) expect(next).toBeDefined();
          expect(continues(last, next)).toBe(true);
          last = next;
        }
        expect(last).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: scaleRunCount(500) },
    );
  });

  test("any other text is undefined or readable, never an error", () => {
    const piece = fc.constantFrom("[", "]", "{", "}", ",", ":", '"', "\\", "1", "-", ".", "e", "true", "nu", " ", "a");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let whole: unknown;
        try {
          whole = JSON.parse(text);
        } catch {
          parsePartialJson(text);
          return;
        }
        expect(parsePartialJson(text)).toStrictEqual(whole);
      }),
      { numRuns: scaleRunCount(5000) },
    );
  });
});
