// Computes the cost of usage from a price table of the caller. The library has no prices of its own, because they
// change too often.
import { isObject, describeKind } from "../model/value-kind.ts";
import { pointerStep } from "../model/json/pointer.ts";
import type { Usage } from "../model/index.ts";
import { exclusiveUsage } from "../model/usage.ts";
import { ClientError } from "./errors.ts";

/** Rates in US dollars per million tokens. */
export interface Rates {
  /** Rate of input tokens that are neither read from nor written to a cache. */
  input: number;
  output: number;
  /** Rate of reasoning tokens. Default: `output`. */
  reasoning?: number;
  /** Rate of input tokens that are read from a cache. Default: `input`. */
  cacheRead?: number;
  /** Rate of input tokens that are written to a cache for five minutes or for an unreported time. Default: `input`. */
  cacheWrite5m?: number;
  /** Rate of input tokens that are written to a cache for an hour. Default: `cacheWrite5m`. */
  cacheWrite1h?: number;
}

/**
 * The rates of calls with more than `aboveInputTokens` input tokens, including cached tokens. The rates apply to all
 * tokens of the call.
 */
export interface PriceTier extends Rates {
  aboveInputTokens: number;
}

/** The price of a model: its rates, and tiers with other rates for calls with a long input. */
export interface Price extends Rates {
  tiers?: readonly PriceTier[];
}

/**
 * Prices by `provider/model` or `model`; `*` matches any characters. An exact name has precedence over patterns, and a
 * longer pattern has precedence over a shorter one.
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

/** Returns the rates of the highest tier that the input exceeds; the base rates if no tier applies. */
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

/**
 * Returns the price of a model, which may be in the table under any of the names in `models`; undefined if no entry
 * matches.
 */
export function findPrice(table: PriceTable, provider: string, ...models: readonly string[]): Price | undefined {
  const names = models.flatMap((model) => [`${provider}/${model}`, model]);
  for (const name of names) if (Object.hasOwn(table, name)) return table[name];
  const pattern = readPatterns(table).find(({ segments }) => names.some((name) => matchesPattern(segments, name)));
  return pattern && table[pattern.text];
}

interface PricePattern {
  text: string;
  /** The texts before, between and after the `*` characters of the pattern. */
  segments: readonly string[];
}

/** The patterns of each price table, longest first; cached because every answer needs them. */
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

/**
 * True if the name begins with the first segment, ends with the last segment, and contains the others in order between
 * them.
 */
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

/**
 * Returns a price table, for example from a file, after checking it. Throws a `ClientError` with the path of an invalid
 * entry.
 */
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
