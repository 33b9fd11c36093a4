// Where the arrow keys lead in a drawn tree.
import type { TreeRow } from "./layout.ts";

/** The row that a key leads to; undefined: the key means nothing here. */
export function stepFrom(rows: readonly TreeRow[], at: number, key: string): number | undefined {
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
      return outwards(rows, at);
    case "ArrowRight":
      return inwards(rows, at);
    default:
      return undefined;
  }
}

/** Where the branch left another one. */
function outwards(rows: readonly TreeRow[], at: number): number {
  const under = rows[at]?.under ?? -1;
  return under === -1 ? at : under;
}

/** The first branch beside what goes on. */
function inwards(rows: readonly TreeRow[], at: number): number {
  return rows[at + 1]?.under === at ? at + 1 : at;
}
