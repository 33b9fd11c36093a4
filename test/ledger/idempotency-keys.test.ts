// Tests which requests have equal hashes.
import { expect, test } from "vitest";
import { parseJson } from "../../src/index.ts";
import { hashRequest } from "../../src/ledger/idempotency-keys.ts";

const same: [what: string, one: unknown, other: unknown][] = [
  ["another order of keys", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ["a field that is undefined", { a: 1, b: undefined }, { a: 1 }],
  ["digits of an equal literal", parseJson('{"n":12345678901234567890}'), parseJson('{ "n": 12345678901234567890 }')],
  ["another spelling of a number", parseJson('{"n":1.0}'), { n: 1 }],
];
test.each(same)("B95: %s does not change the hash", (_what, one, other) => {
  expect(hashRequest(one)).toBe(hashRequest(other));
});

const others: [what: string, one: unknown, other: unknown][] = [
  ["another value", { a: 1 }, { a: 2 }],
  ["a field more", { a: 1 }, { a: 1, b: null }],
  ["another order in a list", { a: [1, 2] }, { a: [2, 1] }],
  ["a text for a number", { a: 1 }, { a: "1" }],
  ["digits beyond a double", parseJson('{"n":12345678901234567890}'), parseJson('{"n":12345678901234567891}')],
  ["quotes within strings", { a: 'x","b":"y' }, { a: "x", b: "y" }],
  ["the boundary between two lists", [["a"], ["b"]], [["a", "b"], []]],
  ["undefined", undefined, {}],
];
test.each(others)("B95: %s changes the hash", (_what, one, other) => {
  expect(hashRequest(one)).not.toBe(hashRequest(other));
});
