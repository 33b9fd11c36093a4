// Which places of a value a loss report tells of.
import type { Encoded } from "../dialects/dialect.ts";
import type { Loss } from "../model/loss.ts";
import { isWithin, parentOf } from "./places.ts";

/** Whether a loss tells of everything within its place; what was added there says nothing of what was there. */
function isDeep({ action }: Loss): boolean {
  return action !== "synthesized";
}

/**
 * Answers whether a loss excuses that what stands at a place did not arrive: the loss names the place itself, or
 * something that it is within. What was only moved must still arrive.
 */
export function coverage({ losses }: Pick<Encoded, "losses">): (path: string) => boolean {
  const named = new Set(losses.map(({ path }) => path));
  const deep = new Set(losses.filter((loss) => isDeep(loss) && loss.action !== "moved").map(({ path }) => path));
  const isDeepWithin = (path: string): boolean => deep.has(path) || (path !== "" && isDeepWithin(parentOf(path)));
  return named.size === 0 ? () => false : (path) => named.has(path) || isDeepWithin(path);
}

/** Whether a loss tells of a place, or of something that it is within. */
export function isCovered(encoded: Pick<Encoded, "losses">, path: string): boolean {
  return encoded.losses.some((loss) => path === loss.path || (isDeep(loss) && isWithin(path, loss.path)));
}
