// Determines the branch that the view shows: the active branch, or the branch of the message in the URL. Following a
// link does not change the thread's active branch.
import { useMemo, useState } from "react";
import { findLeafUnder, listPathTo, type BranchTree } from "../branches/branch-tree.ts";

export interface ShownBranch {
  path: readonly string[];
  /** True if the shown branch is not the active branch. */
  isInactive: boolean;
  /** Shows the active branch again. */
  showActive: () => void;
}

/**
 * Returns the shown branch. `at` is the message id in the URL; `linkCount` grows with every followed link, so a link
 * that the user follows again shows its branch again.
 */
export function useShownBranch(
  tree: BranchTree,
  activePath: readonly string[],
  at: string | undefined,
  linkCount: number,
): ShownBranch {
  const [dismissedLink, setDismissedLink] = useState<string>();
  const link = `${linkCount} ${at}`;
  const isElsewhere = at !== undefined && dismissedLink !== link && tree.nodes.has(at) && !activePath.includes(at);
  const path = useMemo(
    () => (isElsewhere && at !== undefined ? listPathTo(tree, findLeafUnder(tree, at)) : activePath),
    [isElsewhere, at, tree, activePath],
  );
  return { path, isInactive: isElsewhere, showActive: () => setDismissedLink(link) };
}
