// Computes the shortest list of changes between two lists of lines.

export interface LineChange {
  sign: " " | "-" | "+";
  line: string;
}

/** The maximum number of compared line pairs. In a larger input, all lines are reported as removed and added. */
const MAX_LINE_PAIRS = 4_000_000;

export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    ...before.slice(0, start).map(toUnchanged),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(toUnchanged),
  ];
}

function toUnchanged(line: string): LineChange {
  return { sign: " ", line };
}

function diffMiddle(before: readonly string[], after: readonly string[]): LineChange[] {
  if (before.length * after.length > MAX_LINE_PAIRS) {
    return [
      ...before.map((line): LineChange => ({ sign: "-", line })),
      ...after.map((line): LineChange => ({ sign: "+", line })),
    ];
  }
  const lengths = computeCommonLengths(before, after);
  const changes: LineChange[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]];
    if (old !== undefined && old === fresh) {
      changes.push({ sign: " ", line: old });
      row++;
      column++;
    } else if (
      old !== undefined &&
      (fresh === undefined || readCommonLength(lengths, row + 1, column) >= readCommonLength(lengths, row, column + 1))
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

function readCommonLength(lengths: readonly Uint32Array[], row: number, column: number): number {
  return lengths[row]?.[column] ?? 0;
}

/**
 * Returns a table. The entry at [row][column] is the length of the longest common subsequence of the lines of `before`
 * from `row` on and the lines of `after` from `column` on.
 */
function computeCommonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let row = before.length - 1; row >= 0; row--) {
    const line = lengths[row];
    if (line === undefined) continue;
    for (let column = after.length - 1; column >= 0; column--) {
      line[column] =
        before[row] === after[column]
          ? readCommonLength(lengths, row + 1, column + 1) + 1
          : Math.max(readCommonLength(lengths, row + 1, column), line[column + 1] ?? 0);
    }
  }
  return lengths;
}
