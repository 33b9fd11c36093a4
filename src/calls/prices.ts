// Computes the cost of usage from a price table of the caller: prices change too often to be part of a library.
import { isObject, describeKind } from "../model/value-kind.ts";
import { pointerStep } from "../model/json/pointer.ts";
import type { Usage } from "../model/index.ts";
import { exclusiveUsage } from "../model/usage.ts";
import { ClientError } from "./errors.ts";

/** Rates in US dollars per million tokens. */
export interface Rates {
  /** Input tokens outside the cache. */
  input: number;
  output: number;
  /** Reasoning tokens. Default: `output`. */
  reasoning?: number;
  /** Input tokens read from a cache. Default: `input`. */
  cacheRead?: number;
  /** Input tokens written to a cache for five minutes, or for an unreported time. Default: `input`. */
  cacheWrite5m?: number;
  /** Input tokens written to a cache for an hour. Default: `cacheWrite5m`. */
  cacheWrite1h?: number;
}

/** The rates of calls whose input, cached tokens included, exceeds `aboveInputTokens`. They apply to the whole call. */
export interface PriceTier extends Rates {
  aboveInputTokens: number;
}

/** The price of a model. */
export interface Price extends Rates {
  tiers?: readonly PriceTier[];
}

/**
 * Prices by `provider/model` or `model`; `*` matches any characters. An exact name has precedence, then the longest
 * matching pattern.
 */
export type PriceTable = Readonly<Record<string, Price>>;

const RATES = ["input", "output", "reasoning", "cacheRead", "cacheWrite5m", "cacheWrite1h"] as const;
const REQUIRED: ReadonlySet<string> = new Set(["input", "output"]);

/** Computes the cost of a call in US dollars. */
export function computeCost(usage: Usage, price: Price): number {
  const view = exclusiveUsage(usage);
  const rates = selectRates(usage.inputTokens, price);
  const { input, output, reasoning = output, cacheRead = input, cacheWrite5m = input } = rates;
  const { cacheWrite1h = cacheWrite5m } = rates;
  const writes1h = view.cacheWrite1hTokens ?? 0;
  // Cache writes that are not reported as one-hour writes count as five-minute writes (B64).
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

function selectRates(inputTokens: number, price: Price): Rates {
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

/** Finds the price of a model, which may be in the table under any of its names. */
export function findPrice(table: PriceTable, provider: string, ...models: readonly string[]): Price | undefined {
  const names = models.flatMap((model) => [`${provider}/${model}`, model]);
  for (const name of names) if (Object.hasOwn(table, name)) return table[name];
  const pattern = readPatterns(table).find(({ segments }) => names.some((name) => matchesPattern(segments, name)));
  return pattern && table[pattern.text];
}

interface PricePattern {
  text: string;
  /** The texts between the stars. */
  segments: readonly string[];
}

/** A cache of the patterns of each table, longest first: every answer needs them. */
const PATTERNS = new WeakMap<PriceTable, readonly PricePattern[]>();

function readPatterns(table: PriceTable): readonly PricePattern[] {
  let patterns = PATTERNS.get(table);
  if (patterns === undefined) {
    patterns = Object.keys(table)
      .filter((text) => text.includes("*"))
      .sort((a, b) => b.length - a.length)
      .map((text) => ({ text, segments: text.split("*") }));
    PATTERNS.set(table, patterns);
  }
  return patterns;
}

/** True if the name contains all segments in order; the first and the last must be at its ends. */
function matchesPattern(segments: readonly string[], name: string): boolean {
  const [first = ""] = segments;
  const last = segments.at(-1) ?? "";
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const segment of segments.slice(1, -1)) {
    const index = name.indexOf(segment, at);
    if (index === -1) return false;
    at = index + segment.length;
  }
  return name.length - last.length >= at;
}

/** Checks a price table, for example from a file. Throws a `ClientError` with the path of an invalid entry. */
export function readPrices(table: unknown, path = "/prices"): PriceTable {
  if (!isObject(table)) fail(path, `expected an object of prices by model, found ${describeKind(table)}`);
  for (const name of Object.keys(table)) checkPrice(table[name], path + pointerStep(name));
  return table as unknown as PriceTable;
}

function checkPrice(price: unknown, path: string): void {
  const fields = checkRates(price, path, "tiers");
  const { tiers } = fields;
  if (tiers === undefined) return;
  if (!Array.isArray(tiers)) fail(`${path}/tiers`, `expected a list, found ${describeKind(tiers)}`);
  tiers.forEach((tier: unknown, index) => {
    const tierPath = `${path}/tiers/${index}`;
    const tierRates = checkRates(tier, tierPath, "aboveInputTokens");
    checkAmount(tierRates["aboveInputTokens"], `${tierPath}/aboveInputTokens`);
    const missing = RATES.find((rate) => fields[rate] !== undefined && tierRates[rate] === undefined);
    if (missing !== undefined) fail(`${tierPath}/${missing}`, "the price has this rate, so every tier needs it, too");
  });
}

function checkRates(rates: unknown, path: string, otherField: string): Readonly<Record<string, unknown>> {
  if (!isObject(rates)) fail(path, `expected { input, output, … } in US dollars per million tokens`);
  for (const key of Object.keys(rates)) {
    const isRate = (RATES as readonly string[]).includes(key);
    if (!isRate && key !== otherField)
      fail(path + pointerStep(key), `unknown field; the fields are ${RATES.join(", ")}, ${otherField}`);
  }
  for (const rate of RATES) {
    if (rates[rate] !== undefined || REQUIRED.has(rate)) checkAmount(rates[rate], `${path}/${rate}`);
  }
  return rates;
}

function checkAmount(value: unknown, path: string): void {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return;
  fail(
    path,
    `expected a number that is not negative, found ${typeof value === "number" ? value : describeKind(value)}`,
  );
}

function fail(path: string, fault: string): never {
  throw new ClientError("configuration", `The price table is invalid: at "${path}": ${fault}.`, { path });
}
