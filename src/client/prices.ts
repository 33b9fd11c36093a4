// Usage → money, by a table that the caller supplies: prices change too often to be part of a library.
import { isObject, kindOf } from "../model/kind.ts";
import { pointerStep } from "../model/pointer.ts";
import type { Usage } from "../model/index.ts";
import { exclusiveUsage } from "../model/usage.ts";
import { ClientError } from "./errors.ts";

/** In US dollars per million tokens. */
export interface Rates {
  /** Input that was neither read from nor written to a cache. */
  input: number;
  output: number;
  /** Default: as `output`. */
  reasoning?: number;
  /** Input that was read from a cache. Default: as `input`. */
  cacheRead?: number;
  /** Input that was written to a cache for five minutes, or for a time that the provider did not say. Default: as `input`. */
  cacheWrite5m?: number;
  /** Input that was written to a cache for an hour. Default: as `cacheWrite5m`. */
  cacheWrite1h?: number;
}

/** The rates of a whole call whose input is larger than that, cached tokens included. */
export interface PriceTier extends Rates {
  aboveInputTokens: number;
}

export interface Price extends Rates {
  tiers?: readonly PriceTier[];
}

/**
 * Prices by `provider/model` or `model`; `*` stands for any characters. The exact name counts first, then the longest
 * pattern that fits.
 */
export type PriceTable = Readonly<Record<string, Price>>;

const RATES = ["input", "output", "reasoning", "cacheRead", "cacheWrite5m", "cacheWrite1h"] as const;
const REQUIRED: ReadonlySet<string> = new Set(["input", "output"]);

/** What a call cost, in US dollars. */
export function costOf(usage: Usage, price: Price): number {
  const view = exclusiveUsage(usage);
  const rates = ratesFor(usage.inputTokens, price);
  const { input, output, reasoning = output, cacheRead = input, cacheWrite5m = input } = rates;
  const { cacheWrite1h = cacheWrite5m } = rates;
  const writes1h = view.cacheWrite1hTokens ?? 0;
  // What is not said to last an hour lasts five minutes, all of it where the provider does not split it (B64).
  const writes5m = Math.max(view.cacheWrite5mTokens ?? 0, view.cacheWriteTokens - writes1h);
  const millionths =
    view.inputTokens * input +
    view.cacheReadTokens * cacheRead +
    writes5m * cacheWrite5m +
    writes1h * cacheWrite1h +
    view.outputTokens * output +
    view.reasoningTokens * reasoning;
  return millionths / 1_000_000;
}

function ratesFor(inputTokens: number, price: Price): Rates {
  let rates: Rates = price;
  let above = -1;
  for (const tier of price.tiers ?? []) {
    if (inputTokens > tier.aboveInputTokens && tier.aboveInputTokens > above) {
      above = tier.aboveInputTokens;
      rates = tier;
    }
  }
  return rates;
}

/** The price of a model, if the table has one; of several names for it, any may be in the table. */
export function findPrice(table: PriceTable, provider: string, ...models: readonly string[]): Price | undefined {
  const names = models.flatMap((model) => [`${provider}/${model}`, model]);
  for (const name of names) if (Object.hasOwn(table, name)) return table[name];
  const pattern = patternsOf(table).find(({ pieces }) => names.some((name) => matches(pieces, name)));
  return pattern && table[pattern.text];
}

interface Pattern {
  text: string;
  /** What stands between the stars. */
  pieces: readonly string[];
}

/** The patterns of each table, the longest first: a table is asked for every answer. */
const PATTERNS = new WeakMap<PriceTable, readonly Pattern[]>();

function patternsOf(table: PriceTable): readonly Pattern[] {
  let patterns = PATTERNS.get(table);
  if (patterns === undefined) {
    patterns = Object.keys(table)
      .filter((text) => text.includes("*"))
      .sort((a, b) => b.length - a.length)
      .map((text) => ({ text, pieces: text.split("*") }));
    PATTERNS.set(table, patterns);
  }
  return patterns;
}

/** Each piece in its order; the first and the last are tied to the ends. */
function matches(pieces: readonly string[], name: string): boolean {
  const [first = ""] = pieces;
  const last = pieces.at(-1) ?? "";
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at;
}

/** Checks a table of prices, such as one that was read from a file. Mistakes are a `ClientError` with their path. */
export function readPrices(table: unknown, path = "/prices"): PriceTable {
  if (!isObject(table)) fail(path, `expected an object of prices by model, found ${kindOf(table)}`);
  for (const name of Object.keys(table)) readPrice(table[name], path + pointerStep(name));
  // Every entry was checked just now.
  return table as unknown as PriceTable;
}

function readPrice(price: unknown, path: string): void {
  const fields = readRates(price, path, "tiers");
  const { tiers } = fields;
  if (tiers === undefined) return;
  if (!Array.isArray(tiers)) fail(`${path}/tiers`, `expected a list, found ${kindOf(tiers)}`);
  tiers.forEach((tier: unknown, index) => {
    const place = `${path}/tiers/${index}`;
    const own = readRates(tier, place, "aboveInputTokens");
    readNumber(own["aboveInputTokens"], `${place}/aboveInputTokens`);
    const missing = RATES.find((rate) => fields[rate] !== undefined && own[rate] === undefined);
    if (missing !== undefined)
      fail(`${place}/${missing}`, "the price has this rate, so every tier of it needs it, too");
  });
}

function readRates(rates: unknown, path: string, beside: string): Readonly<Record<string, unknown>> {
  if (!isObject(rates)) fail(path, `expected { input, output, … } in US dollars per million tokens`);
  for (const key of Object.keys(rates)) {
    const isRate = (RATES as readonly string[]).includes(key);
    if (!isRate && key !== beside) fail(path + pointerStep(key), `unknown; known are ${RATES.join(", ")}, ${beside}`);
  }
  for (const rate of RATES) {
    if (rates[rate] !== undefined || REQUIRED.has(rate)) readNumber(rates[rate], `${path}/${rate}`);
  }
  return rates;
}

function readNumber(value: unknown, path: string): void {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return;
  fail(path, `expected a number that is not negative, found ${typeof value === "number" ? value : kindOf(value)}`);
}

function fail(path: string, what: string): never {
  throw new ClientError("configuration", `The prices cannot be used: at "${path}": ${what}.`, { path });
}
