// Number of runs of a property: a fraction of the full number by default and a smaller one with `npm run test:quick`, the
// full number with `npm run test:thorough`. Seeds differ between runs, so that these runs add up over time.
import { isQuickRun } from "./quick-run.ts";

const FRACTION = process.env["MODE"] === "thorough" ? 1 : isQuickRun ? 1 / 48 : 1 / 6;

export function scaleRunCount(full: number): number {
  return Math.ceil(full * FRACTION);
}
