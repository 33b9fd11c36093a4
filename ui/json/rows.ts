// What is shown of a document: its lines without those that are folded away, each with its marks under it.
import { childrenOf, depthOf, endOf, isCloser, lineCount, parentOf } from "./document.ts";
import type { JsonDocument } from "./document.ts";
import type { Mark } from "./marks.ts";

/** A line, or a mark under the line that it belongs to. */
export interface Row {
  line: number;
  mark?: Mark;
}

/** Lines that open something and are shown closed. */
export type Folds = ReadonlySet<number>;

/** What fits at a glance is shown as it is; of more, two levels. */
const AT_A_GLANCE = 300;
const OPEN_LEVELS = 2;

export function firstFolds(document: JsonDocument): Folds {
  const folds = new Set<number>();
  if (lineCount(document) <= AT_A_GLANCE) return folds;
  for (let line = 0; line < lineCount(document); line++) {
    if (endOf(document, line) > 0 && depthOf(document, line) >= OPEN_LEVELS) folds.add(line);
  }
  return folds;
}

/** Everything that opens something, but for the root. */
export function allFolds(document: JsonDocument): Folds {
  const folds = new Set<number>();
  for (let line = 1; line < lineCount(document); line++) if (endOf(document, line) > 0) folds.add(line);
  return folds;
}

export function rowsOf(document: JsonDocument, folds: Folds, marks: readonly Mark[]): Row[] {
  const rows: Row[] = [];
  let next = 0;
  for (let line = 0; line < lineCount(document); line++) {
    rows.push({ line });
    for (; marks[next] !== undefined && (marks[next]?.line ?? 0) <= line; next++) {
      const mark = marks[next];
      if (mark?.line === line) rows.push({ line, mark });
    }
    if (folds.has(line)) line = endOf(document, line);
  }
  return rows;
}

/** Without the folds that hide a line. */
export function reveal(document: JsonDocument, folds: Folds, line: number): Folds {
  let shown: Set<number> | undefined;
  for (let at = parentOf(document, line); at !== undefined; at = parentOf(document, at)) {
    if (folds.has(at)) (shown ??= new Set(folds)).delete(at);
  }
  return shown ?? folds;
}

export function toggle(folds: Folds, line: number): Folds {
  const changed = new Set(folds);
  if (!changed.delete(line)) changed.add(line);
  return changed;
}

/** The row of a line, or of one of its marks. Rows are in the order of their lines. */
export function rowOf(rows: readonly Row[], line: number, mark?: Mark): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  for (let at = low; rows[at]?.line === line; at++) if (rows[at]?.mark === mark) return at;
  return low;
}

/** Whether a row can be walked to: lines that only close are passed over. */
export function isStop(document: JsonDocument, row: Row): boolean {
  return row.mark !== undefined || row.line === 0 || !isCloser(document, row.line);
}

/** How many values a list or an object holds. */
export function sizeOf(document: JsonDocument, line: number): number {
  return childrenOf(document, line).length;
}
