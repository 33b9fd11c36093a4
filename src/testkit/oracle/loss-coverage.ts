// Decides which paths of a canonical value the losses of an encoding cover.
import type { Encoded } from "../../dialects/dialect.ts";
import type { Loss } from "../../model/loss.ts";
import { isWithin, parentPath } from "../json/json-nodes.ts";

/** True if a loss covers the descendants of its path; false for a synthesized field, which had no content before. */
function coversDescendants({ action }: Loss): boolean {
  return action !== "synthesized";
}

/**
 * Returns a function that is true if the value at a path may be absent from the output, because a loss names the path
 * or an ancestor. A loss with the action "moved" covers only its own path: the descendants must be in the output.
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

/** True if a loss names the path or, unless the loss is of the action "synthesized", an ancestor of the path. */
export function isCoveredByLoss(encoded: Pick<Encoded, "losses">, path: string): boolean {
  return encoded.losses.some((loss) => path === loss.path || (coversDescendants(loss) && isWithin(path, loss.path)));
}
