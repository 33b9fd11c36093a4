// Where a key leads in the view of a document: to another row, or to other folds. Pure: the view does it.
import { endOf, parentOf } from "./document.ts";
import type { JsonDocument } from "./document.ts";
import type { Mark } from "./marks.ts";
import { indexOfLine } from "./marks.ts";
import type { Folds, Row } from "./rows.ts";
import { isStop, rowOf, toggle } from "./rows.ts";

export interface Step {
  to?: Row;
  folds?: Folds;
  /** A line of which more is to be shown, if there is more. */
  expand?: number;
}

const PAGE = 20;

/** What a key does at a row; undefined where it does nothing. */
export function walk(
  key: string,
  document: JsonDocument,
  rows: readonly Row[],
  folds: Folds,
  at: Row,
): Step | undefined {
  const opens = at.mark === undefined && endOf(document, at.line) > 0;
  const stops = rows.filter((row) => isStop(document, row));
  const index = stops.indexOf(rows[rowOf(rows, at.line, at.mark)] ?? at);
  const step = (by: number): Step => ({ to: stops[Math.min(stops.length - 1, Math.max(0, index + by))] ?? at });
  switch (key) {
    case "ArrowDown":
      return step(1);
    case "ArrowUp":
      return step(-1);
    case "PageDown":
      return step(PAGE);
    case "PageUp":
      return step(-PAGE);
    case "Home":
      return step(-stops.length);
    case "End":
      return step(stops.length);
    case "ArrowRight":
      return opens && folds.has(at.line) ? { folds: toggle(folds, at.line) } : step(1);
    case "ArrowLeft":
      return leave(document, folds, at, opens);
    case "Enter":
    case " ":
      return opens ? { folds: toggle(folds, at.line) } : at.mark === undefined ? { expand: at.line } : undefined;
    default:
      return undefined;
  }
}

/** Closes what is open, else goes to what one is in. */
function leave(document: JsonDocument, folds: Folds, at: Row, opens: boolean): Step {
  if (at.mark !== undefined) return { to: { line: at.line } };
  if (opens && !folds.has(at.line)) return { folds: toggle(folds, at.line) };
  return { to: { line: parentOf(document, at.line) ?? 0 } };
}

/** The mark after, or before, a row; around the end, and from anywhere. */
export function nextMark(marks: readonly Mark[], at: Row, by: 1 | -1): Mark | undefined {
  if (marks.length === 0) return undefined;
  const own = at.mark === undefined ? -1 : marks.indexOf(at.mark);
  const from = own >= 0 ? own + by : by > 0 ? indexOfLine(marks, at.line) : indexOfLine(marks, at.line) - 1;
  return marks[(from + marks.length) % marks.length];
}
