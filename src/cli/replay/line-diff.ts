// What changed between two lists of lines: the shortest way from one to the other.

export interface Change {
  sign: " " | "-" | "+";
  line: string;
}

/** Beyond so many pairs the search would take longer than anybody waits: then all is old, and all is new. */
const MOST_PAIRS = 4_000_000;

export function lineDiff(before: readonly string[], after: readonly string[]): Change[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    ...before.slice(0, start).map(kept),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(kept),
  ];
}

function kept(line: string): Change {
  return { sign: " ", line };
}

function middle(before: readonly string[], after: readonly string[]): Change[] {
  if (before.length * after.length > MOST_PAIRS) {
    return [
      ...before.map((line): Change => ({ sign: "-", line })),
      ...after.map((line): Change => ({ sign: "+", line })),
    ];
  }
  const lengths = commonLengths(before, after);
  const changes: Change[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]];
    if (old !== undefined && old === fresh) {
      changes.push({ sign: " ", line: old });
      row++;
      column++;
    } else if (
      old !== undefined &&
      (fresh === undefined || at(lengths, row + 1, column) >= at(lengths, row, column + 1))
    ) {
      changes.push({ sign: "-", line: old });
      row++;
    } else {
      changes.push({ sign: "+", line: fresh ?? "" });
      column++;
    }
  }
  return changes;
}

function at(lengths: readonly Uint32Array[], row: number, column: number): number {
  return lengths[row]?.[column] ?? 0;
}

/** How many lines the rests from each place on have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let row = before.length - 1; row >= 0; row--) {
    const line = lengths[row];
    if (line === undefined) continue;
    for (let column = after.length - 1; column >= 0; column--) {
      line[column] =
        before[row] === after[column]
          ? at(lengths, row + 1, column + 1) + 1
          : Math.max(at(lengths, row + 1, column), line[column + 1] ?? 0);
    }
  }
  return lengths;
}
