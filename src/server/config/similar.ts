// What somebody who misspelt a name meant.

/** The known name that is most like the one given, where one is like it. */
export function similarTo(given: string, known: readonly string[]): string | undefined {
  const plain = plainOf(given);
  let best: string | undefined;
  // Of a short name, two letters may be half.
  let least = plain.length < 5 ? 2 : 3;
  for (const each of known) {
    const distance = distanceOf(plain, plainOf(each));
    if (distance < least) [best, least] = [each, distance];
  }
  return best;
}

/** A name without what people get wrong in it. */
function plainOf(name: string): string {
  return name.replaceAll(/[-_ ]/g, "").toLowerCase();
}

/** How many letters must be put in, left out, changed or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        at(above, column) + 1,
        at(line, column - 1) + 1,
        at(above, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Infinity,
      );
    }
    [before, above] = [above, line];
  }
  return at(above, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
