// How often a property is tried: a part of the full number in the everyday run, all of it with
// `npm run test:thorough`. Seeds differ from run to run, so that the everyday runs add up.

const FRACTION = process.env["MODE"] === "thorough" ? 1 : 1 / 6;

export function scaleRunCount(full: number): number {
  return Math.ceil(full * FRACTION);
}
