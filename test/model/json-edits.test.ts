// Exact digits with edits, copies and long texts: stored digits never override an edited value (B23).
import { describe, expect, test } from "vitest";
import {
  copyObject,
  hasExactNumbers,
  parseJson,
  sameJson,
  sameValue,
  stringifyJson,
} from "../../src/model/json/index.ts";

const BIG = "12345678901234567890";
const NEIGHBOURS = "[1234567890123456789,1234567890123456790,1234567890123456791]";

describe("an edit wins", () => {
  test.each<[string, (list: number[]) => void]>([
    ["shift", (list) => void list.shift()],
    ["pop", (list) => void list.pop()],
    ["unshift", (list) => void list.unshift(1)],
    ["splice", (list) => void list.splice(1, 1)],
  ])("B23: after %s no digits are applied to the wrong number", (_, edit) => {
    const list = parseJson(NEIGHBOURS) as number[];
    edit(list);
    expect(stringifyJson(list)).toBe(JSON.stringify(list));
  });

  test("a number that replaces a big one is written", () => {
    const value = parseJson(`{"n":${BIG}}`) as Record<string, number>;
    value["n"] = 5;
    expect(stringifyJson(value)).toBe('{"n":5}');
  });
});

describe("copies", () => {
  test("a shallow copy has the digits", () => {
    const copy = copyObject(parseJson(`{"n":${BIG}}`) as object);
    expect(stringifyJson(copy)).toBe(`{"n":${BIG}}`);
  });

  test("a copy without its digits is the same value, but different JSON", () => {
    const value = parseJson(`{"b":1,"a":[${BIG}]}`);
    const copy = { a: [Number(BIG)], b: 1 };
    expect([sameValue(value, copy), sameJson(value, copy)]).toEqual([true, false]);
  });

  test("exact numbers are found at every depth", () => {
    parseJson(`[${BIG}]`);
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    expect(hasExactNumbers(deep)).toBe(false);
  });
});

describe("in texts beyond 64 kB", () => {
  const padding = `"${"x".repeat(70_000)}"`;

  test.each([
    BIG,
    "9007199254740993",
    "0.12345678901234567890",
    "1721000000123.456789",
    "98765432109.87654321987",
    "4503599627370497.3",
    "1e400",
  ])("B23: %s is exact", (number) => {
    const text = `{"pad":${padding},"n":${number}}`;
    expect(stringifyJson(parseJson(text))).toBe(text);
  });
});
