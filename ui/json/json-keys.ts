// Computes with pure functions what a key does in the JSON view: it moves to another row, changes the folds, or expands
// a long line.
import { findClosingLine, findParentLine } from "./json-document.ts";
import type { JsonDocument } from "./json-document.ts";
import type { DocumentMark } from "./document-marks.ts";
import { findMarkIndex } from "./document-marks.ts";
import type { FoldedLines, JsonRow } from "./json-rows.ts";
import { isFocusableRow, findJsonRow, toggleFold } from "./json-rows.ts";

export interface KeyResult {
  /** Row that becomes the active row. */
  to?: JsonRow;
  folds?: FoldedLines;
  /**
   * Number of a line of which the view shows more characters from now on; without effect if the line is already shown
   * completely.
   */
  expand?: number;
}

const PAGE_ROWS = 20;

/** Returns what the key does when `current` is the active row; undefined if the key does nothing. */
export function handleJsonKey(
  key: string,
  document: JsonDocument,
  rows: readonly JsonRow[],
  folds: FoldedLines,
  current: JsonRow,
): KeyResult | undefined {
  const isContainer = current.mark === undefined && findClosingLine(document, current.line) > 0;
  const focusable = rows.filter((row) => isFocusableRow(document, row));
  const index = focusable.indexOf(rows[findJsonRow(rows, current.line, current.mark)] ?? current);
  const step = (by: number): KeyResult => ({
    to: focusable[Math.min(focusable.length - 1, Math.max(0, index + by))] ?? current,
  });
  switch (key) {
    case "ArrowDown":
      return step(1);
    case "ArrowUp":
      return step(-1);
    case "PageDown":
      return step(PAGE_ROWS);
    case "PageUp":
      return step(-PAGE_ROWS);
    case "Home":
      return step(-focusable.length);
    case "End":
      return step(focusable.length);
    case "ArrowRight":
      return isContainer && folds.has(current.line) ? { folds: toggleFold(folds, current.line) } : step(1);
    case "ArrowLeft":
      return foldOrGoToParent(document, folds, current, isContainer);
    case "Enter":
    case " ":
      return isContainer
        ? { folds: toggleFold(folds, current.line) }
        : current.mark === undefined
          ? { expand: current.line }
          : undefined;
    default:
      return undefined;
  }
}

/** Folds an open list or object. On other rows, goes to the line of the parent or, from a mark, to the mark's line. */
function foldOrGoToParent(
  document: JsonDocument,
  folds: FoldedLines,
  current: JsonRow,
  isContainer: boolean,
): KeyResult {
  if (current.mark !== undefined) return { to: { line: current.line } };
  if (isContainer && !folds.has(current.line)) return { folds: toggleFold(folds, current.line) };
  return { to: { line: findParentLine(document, current.line) ?? 0 } };
}

/** Returns the next or previous mark, wrapping around at the ends; undefined if there are no marks. */
export function findNextMark(marks: readonly DocumentMark[], current: JsonRow, by: 1 | -1): DocumentMark | undefined {
  if (marks.length === 0) return undefined;
  const currentIndex = current.mark === undefined ? -1 : marks.indexOf(current.mark);
  const from =
    currentIndex >= 0
      ? currentIndex + by
      : by > 0
        ? findMarkIndex(marks, current.line)
        : findMarkIndex(marks, current.line) - 1;
  return marks[(from + marks.length) % marks.length];
}
