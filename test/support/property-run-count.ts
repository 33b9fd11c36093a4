// Number of runs of a property: a fraction of the full number by default and a smaller one with `npm run test:quick`, the
// full number with `npm run test:thorough`. Seeds differ between runs, so that these runs add up over time.
import { expect } from "vitest";
import { isQuickRun } from "./quick-run.ts";

const FRACTION = process.env["MODE"] === "thorough" ? 1 : isQuickRun ? 1 / 48 : 1 / 6;

export function scaleRunCount(full: number): number {
  return Math.ceil(full * FRACTION);
}

/**
 * Asserts that random values produced each outcome at least `fullMinimum` times, scaled to the number of runs. A quick run
 * has so few runs that a rare outcome may be absent by chance, so it asserts nothing.
 */
export function expectOutcomeCounts(counts: Readonly<Record<string, number>>, fullMinimum: number): void {
  if (!isQuickRun) expect(Math.min(...Object.values(counts))).toBeGreaterThan(scaleRunCount(fullMinimum));
}
