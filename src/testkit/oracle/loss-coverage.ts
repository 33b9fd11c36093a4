// Decides which paths of a canonical value the losses of an encoding cover.
import type { Encoded } from "../../dialects/dialect.ts";
import type { Loss } from "../../model/loss.ts";
import { isWithin, parentPath } from "../json/json-nodes.ts";

/** True if a loss covers the descendants of its path; a synthesized field had no previous content. */
function coversDescendants({ action }: Loss): boolean {
  return action !== "synthesized";
}

/**
 * Returns a test for paths: true if a loss excuses that the value at the path did not reach the output, because it names
 * the path or an ancestor of it. A loss with the action "moved" does not excuse descendants: they must still arrive.
 */
export function createCoverageTest({ losses }: Pick<Encoded, "losses">): (path: string) => boolean {
  const paths = new Set(losses.map(({ path }) => path));
  const deepPaths = new Set(
    losses.filter((loss) => coversDescendants(loss) && loss.action !== "moved").map(({ path }) => path),
  );
  const isInDeepPath = (path: string): boolean =>
    deepPaths.has(path) || (path !== "" && isInDeepPath(parentPath(path)));
  return paths.size === 0 ? () => false : (path) => paths.has(path) || isInDeepPath(path);
}

/** True if a loss names the path or an ancestor of it. */
export function isCoveredByLoss(encoded: Pick<Encoded, "losses">, path: string): boolean {
  return encoded.losses.some((loss) => path === loss.path || (coversDescendants(loss) && isWithin(path, loss.path)));
}
