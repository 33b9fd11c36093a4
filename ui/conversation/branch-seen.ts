// Which branch is looked at. Mostly the active one; a link may lead to another, which is then shown here alone: which branch
// is the active one is for somebody to say, not for a link.
import { useMemo, useState } from "react";
import { leafUnder, pathTo, type Tree } from "../branches/tree.ts";

export interface SeenBranch {
  path: readonly string[];
  /** It is not the active one. */
  isElsewhere: boolean;
  /** Back to the active one. */
  leave: () => void;
}

/** `visit`: told apart from the time before, though it be the same link. */
export function useSeenBranch(
  tree: Tree,
  active: readonly string[],
  at: string | undefined,
  visit: number,
): SeenBranch {
  const [left, setLeft] = useState<string>();
  const link = `${visit} ${at}`;
  const isElsewhere = at !== undefined && left !== link && tree.nodes.has(at) && !active.includes(at);
  const path = useMemo(
    () => (isElsewhere && at !== undefined ? pathTo(tree, leafUnder(tree, at)) : active),
    [isElsewhere, at, tree, active],
  );
  return { path, isElsewhere, leave: () => setLeft(link) };
}
