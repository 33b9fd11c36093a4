// Finds the row to which a key moves the focus in the branch tree.
import type { TreeRow } from "./tree-layout.ts";

/** Returns the index of the row that a key moves the focus to; undefined if the key does not move the focus. */
export function findKeyTarget(rows: readonly TreeRow[], at: number, key: string): number | undefined {
  switch (key) {
    case "ArrowDown":
      return Math.min(rows.length - 1, at + 1);
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return 0;
    case "End":
      return rows.length - 1;
    case "ArrowLeft":
      return findParentRow(rows, at);
    case "ArrowRight":
      return findFirstBranch(rows, at);
    default:
      return undefined;
  }
}

/**
 * Returns the index of the row from which the lane of row `at` branches off; `at` itself if the lane starts at a root
 * message.
 */
function findParentRow(rows: readonly TreeRow[], at: number): number {
  const parentRow = rows[at]?.parentRow ?? -1;
  return parentRow === -1 ? at : parentRow;
}

/** Returns the index of the first row of the first branch that branches off from row `at`; `at` itself if none does. */
function findFirstBranch(rows: readonly TreeRow[], at: number): number {
  return rows[at + 1]?.parentRow === at ? at + 1 : at;
}
