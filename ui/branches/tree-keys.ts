// Keyboard navigation in the branch tree.
import type { TreeRow } from "./tree-layout.ts";

/** Returns the row that a key moves to; undefined if the key is not handled. */
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

/** Returns the row where the branch starts. */
function findParentRow(rows: readonly TreeRow[], at: number): number {
  const parentRow = rows[at]?.parentRow ?? -1;
  return parentRow === -1 ? at : parentRow;
}

/** Returns the first branch beside the lane. */
function findFirstBranch(rows: readonly TreeRow[], at: number): number {
  return rows[at + 1]?.parentRow === at ? at + 1 : at;
}
