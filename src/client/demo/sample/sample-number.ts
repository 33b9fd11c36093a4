// Samples numbers within the bounds and steps of a schema.
import type { FlatSchema } from "./flat-schema.ts";

interface NumberRange {
  low: number;
  high: number;
  /** True if the bound itself is excluded. */
  openLow: boolean;
  openHigh: boolean;
}

/** Returns a valid number near the preferred one; near the closest bound if none is valid. */
export function sampleNumber(schema: FlatSchema, isInteger: boolean, preferred: number): number {
  const range = readRange(schema);
  const step = readStep(schema["multipleOf"], isInteger);
  if (step === undefined) return nearestInRange(range, preferred);
  const inside = Math.min(Math.max(preferred, range.low), range.high);
  const times = Math.round(inside / step);
  // The nearest multiples, each computed by multiplication, which is more exact than addition.
  const near = [0, 1, -1, 2, -2].map((more) => multiplyExactly(times + more, step));
  return near.find((value) => isInRange(range, value)) ?? multiplyExactly(times, step);
}

function readRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: FlatSchema): NumberRange {
  const range: NumberRange = { low: -Infinity, high: Infinity, openLow: false, openHigh: false };
  if (typeof minimum === "number") range.low = minimum;
  if (typeof maximum === "number") range.high = maximum;
  // Draft 4 has booleans.
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

/** Returns the step for `multipleOf` and integers combined: an integer multiple of 0.5 is a multiple of 1. */
function readStep(multipleOf: unknown, isInteger: boolean): number | undefined {
  if (typeof multipleOf !== "number" || multipleOf <= 0) return isInteger ? 1 : undefined;
  if (!isInteger) return multipleOf;
  for (let times = 1; times <= 1000; times++) if (Number.isInteger(multipleOf * times)) return multipleOf * times;
  return multipleOf;
}

/** Multiplies without a binary rounding error: 3 × 0.1 is 0.3. */
function multiplyExactly(times: number, step: number): number {
  const value = Number((times * step).toPrecision(15));
  // Avoids −0.
  return value === 0 ? 0 : value;
}
