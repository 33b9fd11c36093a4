// The branch that the view shows: the active one, or the branch of a linked message. Following a link does not change
// the thread's active branch.
import { useMemo, useState } from "react";
import { findLeafUnder, listPathTo, type BranchTree } from "../branches/branch-tree.ts";

export interface ShownBranch {
  path: readonly string[];
  /** The shown branch is not the active one. */
  isInactive: boolean;
  /** Shows the active branch again. */
  showActive: () => void;
}

/** `linkCount`: distinguishes two visits of the same link. */
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
