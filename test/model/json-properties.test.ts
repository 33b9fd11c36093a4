// Properties of the JSON parser with generated texts that contain numbers in every spelling, many beyond doubles.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonError } from "../../src/model/errors.ts";
import { listExactNumbers, parseJson, restoreNumbers, sameJson, stringifyJson } from "../../src/model/json/index.ts";
import { scaleRunCount } from "../support/property-run-count.ts";
import { codePoint } from "../support/code-points.ts";

const digits = (max: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: max }).map((list) => list.join(""));

const numberText = fc
  .tuple(
    fc.boolean(),
    fc.oneof(
      fc.constant("0"),
      digits(24).map((text) => text.replace(/^0+(?=\d)/, "")),
    ),
    fc.option(digits(24)),
    fc.option(fc.tuple(fc.constantFrom("e", "E"), fc.constantFrom("", "+", "-"), fc.oneof(digits(1), digits(3)))),
  )
  .map(([negative, whole, decimals, exponent]) => {
    const tail = exponent === null ? "" : exponent.join("");
    return `${negative ? "-" : ""}${whole}${decimals === null ? "" : `.${decimals}`}${tail}`;
  });

// No backslash in keys: some versions of V8 take one key for another that has a backslash where it has an escape.
const character = fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }).filter((char) => char !== "\\");
const key = fc.string({ unit: character, maxLength: 6 });
const text = fc.oneof(fc.string({ unit: codePoint }), numberText, fc.constantFrom("\\", '"', ',":0,'));
const blank = fc.constantFrom("", "", "", " ", "\n\t", "\r\n");

/** JSON texts whose objects have keys from `keys`. */
function jsonText(keys: fc.Arbitrary<string[]>): fc.Arbitrary<string> {
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      numberText,
      text.map((string) => JSON.stringify(string)),
      fc.constantFrom("true", "false", "null", "[]", "{}"),
      fc.tuple(blank, fc.array(tie("json"), { maxLength: 6 })).map(([gap, items]) => {
        return `[${gap}${items.join(`${gap},${gap}`)}${gap}]`;
      }),
      fc.tuple(blank, keys, fc.array(tie("json"), { minLength: 6, maxLength: 6 })).map(([gap, names, items]) => {
        const members = names.map((name, i) => `${gap}${JSON.stringify(name)}${gap}:${gap}${items[i] ?? "null"}`);
        return `{${members.join(",")}${gap}}`;
      }),
    ),
  }));
  // In an array every number has a container.
  return json.map((inner) => `[${inner}]`);
}

// Duplicate keys, and keys that objects put first.
const anyText = jsonText(fc.array(fc.oneof(key, fc.constantFrom("__proto__", "a", "b", "1", "0")), { maxLength: 6 }));
// Objects that are written in the order they were read in.
const orderlyText = jsonText(
  fc.uniqueArray(
    key.map((name) => `_${name}`),
    { maxLength: 6 },
  ),
);

/** A number text's value times a fixed power of ten: an oracle without shared code. */
function scaled(number: string): bigint {
  const [mantissa = "", exponent = "0"] = number.toLowerCase().split("e");
  const [whole = "", decimals = ""] = mantissa.split(".");
  const value = BigInt(whole.replace("-", "") + decimals) * (mantissa.startsWith("-") ? -1n : 1n);
  return value * 10n ** BigInt(1100 + Number(exponent) - decimals.length);
}

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{},:]|true|false|null/g;

function tokensOf(json: string): (string | bigint)[] {
  return Array.from(json.matchAll(TOKENS), ([token]) => (/^[-\d]/.test(token) ? scaled(token) : token));
}

describe("any JSON text", () => {
  test("is parsed as JSON.parse parses it", () => {
    fc.assert(
      fc.property(anyText, (json) => {
        expect(parseJson(json)).toStrictEqual(JSON.parse(json));
      }),
      { numRuns: scaleRunCount(1000) },
    );
  });

  test("B23: is written with its original numbers, token by token", () => {
    fc.assert(
      fc.property(orderlyText, (json) => {
        expect(tokensOf(stringifyJson(parseJson(json)))).toStrictEqual(tokensOf(json));
      }),
      { numRuns: scaleRunCount(2000) },
    );
  });

  test("B23: is the same value after writing and reading, and after a clone with its numbers", () => {
    fc.assert(
      fc.property(anyText, (json) => {
        const value = parseJson(json);
        expect(sameJson(parseJson(stringifyJson(value)), value)).toBe(true);
        const clone = structuredClone(value);
        expect(restoreNumbers(clone, listExactNumbers(value))).toStrictEqual([]);
        expect(sameJson(clone, value)).toBe(true);
        expect(stringifyJson(clone)).toBe(stringifyJson(value));
      }),
      { numRuns: scaleRunCount(1000) },
    );
  });

  test("with one character changed is rejected if JSON.parse rejects it", () => {
    const change = fc.constantFrom("", "x", '"', ",", "]", "0", "-", "\\", "\n");
    fc.assert(
      fc.property(anyText, fc.nat(), change, (json, position, char) => {
        const at = position % json.length;
        const changed = json.slice(0, at) + char + json.slice(at + 1);
        let expected: unknown;
        try {
          expected = JSON.parse(changed);
        } catch {
          expect(() => parseJson(changed)).toThrow(JsonError);
          return;
        }
        expect(parseJson(changed)).toStrictEqual(expected);
      }),
      { numRuns: scaleRunCount(2000) },
    );
  });
});
