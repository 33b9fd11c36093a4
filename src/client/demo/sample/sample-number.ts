// Samples numbers within the bounds and multiples of a JSON schema.
import type { FlatSchema } from "./flat-schema.ts";

interface NumberRange {
  low: number;
  high: number;
  /** True if the bound `low` itself is excluded; `openHigh` is the same for `high`. */
  openLow: boolean;
  openHigh: boolean;
}

/**
 * Returns a number near the preferred number that the schema allows. If no candidate is allowed, returns a number that
 * the schema does not allow; `sampleValue` detects it.
 */
export function sampleNumber(schema: FlatSchema, isInteger: boolean, preferred: number): number {
  const range = readRange(schema);
  const step = readStep(schema["multipleOf"], isInteger);
  if (step === undefined) return nearestInRange(range, preferred);
  const inside = Math.min(Math.max(preferred, range.low), range.high);
  const times = Math.round(inside / step);
  // The nearest multiples are computed by multiplication, which is more exact than repeated addition.
  const near = [0, 1, -1, 2, -2].map((more) => multiplyExactly(times + more, step));
  return near.find((value) => isInRange(range, value)) ?? multiplyExactly(times, step);
}

function readRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: FlatSchema): NumberRange {
  const range: NumberRange = { low: -Infinity, high: Infinity, openLow: false, openHigh: false };
  if (typeof minimum === "number") range.low = minimum;
  if (typeof maximum === "number") range.high = maximum;
  // In draft 4 of JSON Schema, `exclusiveMinimum` and `exclusiveMaximum` are booleans.
  if (exclusiveMinimum === true) range.openLow = true;
  if (exclusiveMaximum === true) range.openHigh = true;
  if (typeof exclusiveMinimum === "number" && exclusiveMinimum >= range.low) {
    range.low = exclusiveMinimum;
    range.openLow = true;
  }
  if (typeof exclusiveMaximum === "number" && exclusiveMaximum <= range.high) {
    range.high = exclusiveMaximum;
    range.openHigh = true;
  }
  return range;
}

function isInRange({ low, high, openLow, openHigh }: NumberRange, value: number): boolean {
  return (openLow ? value > low : value >= low) && (openHigh ? value < high : value <= high);
}

function nearestInRange(range: NumberRange, preferred: number): number {
  const { low, high } = range;
  const middle = low / 2 + high / 2;
  return (
    [preferred, low, high, low + 1, high - 1, middle].find(
      (value) => Number.isFinite(value) && isInRange(range, value),
    ) ?? preferred
  );
}

/**
 * Returns the step that satisfies both `multipleOf` and the type; undefined if any number is allowed. An integer that
 * is a multiple of 0.5 is a multiple of 1.
 */
function readStep(multipleOf: unknown, isInteger: boolean): number | undefined {
  if (typeof multipleOf !== "number" || multipleOf <= 0) return isInteger ? 1 : undefined;
  if (!isInteger) return multipleOf;
  for (let times = 1; times <= 1000; times++) if (Number.isInteger(multipleOf * times)) return multipleOf * times;
  return multipleOf;
}

/** Multiplies and removes the binary rounding error: 3 × 0.1 is 0.3. */
function multiplyExactly(times: number, step: number): number {
  const value = Number((times * step).toPrecision(15));
  // The number −0 is converted to 0.
  return value === 0 ? 0 : value;
}
