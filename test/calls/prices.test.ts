// Prices: the cost of a call, the lookup of a model's price, and invalid tables.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Usage } from "koine";
import type { Price } from "koine/client";
import { ClientError, computeCost, findPrice, readPrices } from "koine/client";
import { requireError } from "../support/require-error.ts";

const MILLION = 1_000_000;
const plain: Price = { input: 3, output: 15 };
const cached: Price = { ...plain, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };
const tiered: Price = {
  ...plain,
  tiers: [
    { aboveInputTokens: 1_000_000, input: 9, output: 45 },
    { aboveInputTokens: 200_000, input: 6, output: 22.5 },
  ],
};

function usage(inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...more };
}

describe("costOf", () => {
  test.each<[string, Usage, Price, number]>([
    ["input and output have their own rates", usage(MILLION, 2 * MILLION), plain, 33],
    ["no tokens are free", usage(0, 0), cached, 0],
    ["cached tokens without a rate cost as much as input", usage(MILLION, 0, { cacheReadTokens: MILLION }), plain, 3],
    ["cache reads do not count as input", usage(MILLION, 0, { cacheReadTokens: 600_000 }), cached, 1.38],
    [
      "B64: writes for five minutes and for an hour have their own rates",
      usage(MILLION, 0, { cacheWriteTokens: 500_000, cacheWrite5mTokens: 300_000, cacheWrite1hTokens: 200_000 }),
      cached,
      1.5 + 1.125 + 1.2,
    ],
    [
      "cache writes without a duration are for five minutes",
      usage(MILLION, 0, { cacheWriteTokens: MILLION }),
      cached,
      3.75,
    ],
    [
      "a write for an hour without a rate costs as much as one for five minutes",
      usage(MILLION, 0, { cacheWrite1hTokens: MILLION }),
      { ...plain, cacheWrite5m: 3.75 },
      3.75,
    ],
    ["B66: reasoning counts once, as output", usage(0, MILLION, { reasoningTokens: 900_000 }), plain, 15],
    [
      "reasoning may have its own rate",
      usage(0, MILLION, { reasoningTokens: 500_000 }),
      { ...plain, reasoning: 40 },
      27.5,
    ],
    ["a tier begins above its limit", usage(200_000, 0), tiered, 0.6],
    ["a tier applies to the whole call, output included", usage(300_000, 100_000), tiered, 4.05],
    ["of several tiers the highest one that is reached applies", usage(2 * MILLION, 0), tiered, 18],
    ["cached input counts for the tier", usage(300_000, 0, { cacheReadTokens: 300_000 }), tiered, 1.8],
  ])("%s", (_, used, price, cost) => {
    expect(computeCost(used, price)).toBeCloseTo(cost, 10);
  });

  test("with one rate for all tokens, the cost does not depend on their kinds", () => {
    const count = fc.nat({ max: 1_000_000 });
    const one: Price = { input: 7, output: 7 };
    fc.assert(
      fc.property(count, count, count, count, count, (fresh, read, short, long, output) => {
        const inputTokens = fresh + read + short + long;
        const split = { cacheReadTokens: read, cacheWriteTokens: short + long, cacheWrite1hTokens: long };
        const used = usage(inputTokens, output, { ...split, reasoningTokens: Math.floor(output / 2) });
        expect(computeCost(used, one)).toBeCloseTo(((inputTokens + output) * 7) / MILLION, 8);
      }),
    );
  });
});

describe("findPrice", () => {
  const price = (input: number): Price => ({ input, output: 0 });
  const table = {
    "claude-x": price(1),
    "near/claude-x": price(2),
    "claude-*": price(3),
    "near/*": price(4),
    "*-mini": price(5),
    "gpt-*-audio-*": price(6),
    "*": price(7),
  };

  test.each<[string, string, string[], number | undefined]>([
    ["a price of the provider has precedence", "near", ["claude-x"], 2],
    ["the exact name is next", "far", ["claude-x"], 1],
    ["an exact name has precedence over a pattern", "near", ["claude-latest", "claude-x"], 2],
    ["then a pattern", "far", ["claude-y"], 3],
    ["the longest one", "near", ["claude-y"], 3],
    ["a pattern may contain only the provider", "near", ["llama"], 4],
    ["a pattern may start with a star", "far", ["o9-mini"], 5],
    ["a pattern may have several stars", "far", ["gpt-9-audio-preview"], 6],
    ["each piece of a pattern must match, in order", "far", ["gpt-audio-9"], 7],
    ["pieces do not overlap", "far", ["gpt-audio-"], 7],
    ["a star alone matches all other models", "far", ["anything"], 7],
  ])("%s", (_, provider, models, input) => {
    expect(findPrice(table, provider, ...models)?.input).toBe(input);
  });

  test("a model in no table has no price", () => {
    expect(findPrice({ "a*a": price(1) }, "far", "a")).toBeUndefined();
    expect(findPrice({}, "far", "constructor")).toBeUndefined();
  });
});

describe("readPrices", () => {
  test("a valid table is returned unchanged", () => {
    const table = { "near/*": cached, big: tiered };
    expect(readPrices(table)).toBe(table);
  });

  test.each<[string, unknown, string, RegExp]>([
    ["a list", [], "/prices", /found a list/],
    ["a price that is a number", { a: 3 }, "/prices/a", /expected \{ input, output/],
    ["no output", { a: { input: 1 } }, "/prices/a/output", /found nothing/],
    ["a text", { "x/y": { input: "1", output: 1 } }, "/prices/x~1y/input", /found a string/],
    ["a negative rate", { a: { input: 1, output: -1 } }, "/prices/a/output", /found -1/],
    ["no number", { a: { input: Number.NaN, output: 1 } }, "/prices/a/input", /found NaN/],
    ["an unknown field", { a: { input: 1, output: 1, cacheWrite: 1 } }, "/prices/a/cacheWrite", /cacheWrite5m/],
    ["tiers that are no list", { a: { ...plain, tiers: {} } }, "/prices/a/tiers", /found an object/],
    ["a tier without a limit", { a: { ...plain, tiers: [plain] } }, "/prices/a/tiers/0/aboveInputTokens", /nothing/],
    [
      "a tier without a rate that its price has",
      { a: { ...cached, tiers: [{ ...plain, aboveInputTokens: 1 }] } },
      "/prices/a/tiers/0/cacheRead",
      /every tier/,
    ],
  ])("rejected: %s", (_, table, path, message) => {
    const error = requireError(ClientError, () => readPrices(table));
    expect(error).toMatchObject({ code: "configuration", path });
    expect(error.message).toMatch(message);
  });
});
