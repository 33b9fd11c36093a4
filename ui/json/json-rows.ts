// Builds the visible rows of a JSON document: the lines that are not hidden by a fold, each followed by its marks.
import {
  listChildLines,
  readDepth,
  findClosingLine,
  isClosingLine,
  countLines,
  findParentLine,
} from "./json-document.ts";
import type { JsonDocument } from "./json-document.ts";
import type { DocumentMark } from "./document-marks.ts";

/** A line of the document or, if `mark` is set, a mark below that line. */
export interface JsonRow {
  line: number;
  mark?: DocumentMark;
}

/** Numbers of the lines whose list or object is folded. */
export type FoldedLines = ReadonlySet<number>;

/**
 * In a document with more lines than this, lists and objects below the first `INITIAL_OPEN_LEVELS` levels are initially
 * folded.
 */
const MAX_UNFOLDED_LINES = 300;
const INITIAL_OPEN_LEVELS = 2;

export function createInitialFolds(document: JsonDocument): FoldedLines {
  const folds = new Set<number>();
  if (countLines(document) <= MAX_UNFOLDED_LINES) return folds;
  for (let line = 0; line < countLines(document); line++) {
    if (findClosingLine(document, line) > 0 && readDepth(document, line) >= INITIAL_OPEN_LEVELS) folds.add(line);
  }
  return folds;
}

/** Returns the numbers of all lines that can be folded, except the root. */
export function listAllFolds(document: JsonDocument): FoldedLines {
  const folds = new Set<number>();
  for (let line = 1; line < countLines(document); line++) if (findClosingLine(document, line) > 0) folds.add(line);
  return folds;
}

export function buildJsonRows(document: JsonDocument, folds: FoldedLines, marks: readonly DocumentMark[]): JsonRow[] {
  const rows: JsonRow[] = [];
  let next = 0;
  for (let line = 0; line < countLines(document); line++) {
    rows.push({ line });
    for (; marks[next] !== undefined && (marks[next]?.line ?? 0) <= line; next++) {
      const mark = marks[next];
      if (mark?.line === line) rows.push({ line, mark });
    }
    if (folds.has(line)) line = findClosingLine(document, line);
  }
  return rows;
}

/** Returns the folds without the lines that hide `line`; the object `folds` itself if no fold hides it. */
export function unfoldTo(document: JsonDocument, folds: FoldedLines, line: number): FoldedLines {
  let unfolded: Set<number> | undefined;
  for (let at = findParentLine(document, line); at !== undefined; at = findParentLine(document, at)) {
    if (folds.has(at)) (unfolded ??= new Set(folds)).delete(at);
  }
  return unfolded ?? folds;
}

export function toggleFold(folds: FoldedLines, line: number): FoldedLines {
  const next = new Set(folds);
  if (!next.delete(line)) next.add(line);
  return next;
}

/**
 * Returns the index of the row that shows a line or a mark; if no row shows it, the index of the first row at or after
 * the line.
 */
export function findJsonRow(rows: readonly JsonRow[], line: number, mark?: DocumentMark): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  for (let at = low; rows[at]?.line === line; at++) if (rows[at]?.mark === mark) return at;
  return low;
}

/** False for lines that only close a list or object, which the keyboard navigation skips. */
export function isFocusableRow(document: JsonDocument, row: JsonRow): boolean {
  return row.mark !== undefined || row.line === 0 || !isClosingLine(document, row.line);
}

export function countChildren(document: JsonDocument, line: number): number {
  return listChildLines(document, line).length;
}
