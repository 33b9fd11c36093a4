// Numbers that a schema lets through.
import type { FlatSchema } from "./flat-schema.ts";

interface Range {
  low: number;
  high: number;
  /** Whether the bounds themselves are out. */
  openLow: boolean;
  openHigh: boolean;
}

/** A number near the wanted one within the schema's bounds and steps; at the nearest bound where there is none. */
export function numberOfSchema(schema: FlatSchema, isInteger: boolean, wanted: number): number {
  const range = rangeOf(schema);
  const step = stepOf(schema["multipleOf"], isInteger);
  if (step === undefined) return within(range, wanted);
  const inside = Math.min(Math.max(wanted, range.low), range.high);
  const times = Math.round(inside / step);
  // The nearest multiples; each is written as its steps, which is exacter than adding them up.
  const near = [0, 1, -1, 2, -2].map((more) => multiple(times + more, step));
  return near.find((value) => contains(range, value)) ?? multiple(times, step);
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: FlatSchema): Range {
  const range: Range = { low: -Infinity, high: Infinity, openLow: false, openHigh: false };
  if (typeof minimum === "number") range.low = minimum;
  if (typeof maximum === "number") range.high = maximum;
  // Booleans in draft 4.
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

function contains({ low, high, openLow, openHigh }: Range, value: number): boolean {
  return (openLow ? value > low : value >= low) && (openHigh ? value < high : value <= high);
}

function within(range: Range, wanted: number): number {
  const { low, high } = range;
  const middle = low / 2 + high / 2;
  return (
    [wanted, low, high, low + 1, high - 1, middle].find((value) => Number.isFinite(value) && contains(range, value)) ??
    wanted
  );
}

/** Both at once: an integer that is a multiple of 0.5 is a multiple of 1. */
function stepOf(multipleOf: unknown, isInteger: boolean): number | undefined {
  if (typeof multipleOf !== "number" || multipleOf <= 0) return isInteger ? 1 : undefined;
  if (!isInteger) return multipleOf;
  for (let times = 1; times <= 1000; times++) if (Number.isInteger(multipleOf * times)) return multipleOf * times;
  return multipleOf;
}

/** 3 × 0.1 is 0.3, and not what computers make of it. */
function multiple(times: number, step: number): number {
  const value = Number((times * step).toPrecision(15));
  // No schema means −0.
  return value === 0 ? 0 : value;
}
