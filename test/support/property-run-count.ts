// Number of runs of a property: a fraction of the full number by default, the full number with `npm run test:thorough`.
// Seeds differ between runs, so that default runs add up over time.

const FRACTION = process.env["MODE"] === "thorough" ? 1 : 1 / 6;

export function scaleRunCount(full: number): number {
  return Math.ceil(full * FRACTION);
}
