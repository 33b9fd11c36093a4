// Finds the known name that a misspelled name of a setting or provider probably means.

/** Returns the most similar known name; undefined if no name is similar enough. */
export function findSimilarName(name: string, known: readonly string[]): string | undefined {
  const plain = normalizeName(name);
  let best: string | undefined;
  // A name of fewer than 5 letters may differ in one letter and a longer name in two, because two letters are too large
  // a part of a short name.
  let least = plain.length < 5 ? 2 : 3;
  for (const each of known) {
    const distance = editDistance(plain, normalizeName(each));
    if (distance < least) [best, least] = [each, distance];
  }
  return best;
}

/** Removes differences that are not misspellings: case, dashes, underscores and spaces. */
function normalizeName(name: string): string {
  return name.replaceAll(/[-_ ]/g, "").toLowerCase();
}

/** Returns the edit distance of two texts: the number of insertions, deletions, replacements and swaps of neighbors. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        cellAt(above, column) + 1,
        cellAt(line, column - 1) + 1,
        cellAt(above, column - 1) + (isSame ? 0 : 1),
        isSwapped ? cellAt(before, column - 2) + 1 : Infinity,
      );
    }
    [before, above] = [above, line];
  }
  return cellAt(above, b.length);
}

function cellAt(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
