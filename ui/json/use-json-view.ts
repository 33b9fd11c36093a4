// Holds the state of a JSON view: folds, active row and search. A new document resets everything except the search.
import { useMemo, useState } from "react";
import { readLine } from "./json-document.ts";
import type { JsonDocument } from "./json-document.ts";
import type { SearchResult } from "./find-lines.ts";
import { findLines } from "./find-lines.ts";
import type { DocumentMark } from "./document-marks.ts";
import type { FoldedLines, JsonRow } from "./json-rows.ts";
import { listAllFolds, createInitialFolds, unfoldTo, buildJsonRows } from "./json-rows.ts";
import { findNextLength, INITIAL_LENGTH, findLengthFor } from "./line-tokens.ts";
import { findNextMark, handleJsonKey } from "./json-keys.ts";

interface JsonViewData {
  document: JsonDocument;
  folds: FoldedLines;
  active: JsonRow;
  /**
   * Row to scroll to; a new object starts a new scroll. After a key the list scrolls only as far as needed ("auto");
   * after a jump the row is centered.
   */
  goal: { row: JsonRow; align: "auto" | "center" } | undefined;
  /** Shown lengths of the long lines that the user has expanded, by line number. */
  shownLengths: ReadonlyMap<number, number>;
}

const createViewData = (document: JsonDocument): JsonViewData => ({
  document,
  folds: createInitialFolds(document),
  active: { line: 0 },
  goal: undefined,
  shownLengths: new Map(),
});

const NO_MATCHES: SearchResult = { lines: [], more: false };

export function useJsonView(document: JsonDocument, marks: readonly DocumentMark[]) {
  const [storedState, setState] = useState(() => createViewData(document));
  const state = storedState.document === document ? storedState : createViewData(document);
  if (state !== storedState) setState(state);
  const [query, setQuery] = useState<string>();
  const { folds, active, goal, shownLengths } = state;
  const rows = useMemo(() => buildJsonRows(document, folds, marks), [document, folds, marks]);
  const matches = useMemo(() => (query === undefined ? NO_MATCHES : findLines(document, query)), [document, query]);
  const change = (next: Partial<JsonViewData>): void => setState({ ...state, ...next });
  const goTo = (row: JsonRow): void =>
    change({ active: row, goal: { row, align: "center" }, folds: unfoldTo(document, folds, row.line) });
  const expand = (line: number): void => {
    const next = findNextLength(readLine(document, line), shownLengths.get(line) ?? INITIAL_LENGTH);
    change({ active: { line }, ...(next !== undefined && { shownLengths: new Map(shownLengths).set(line, next) }) });
  };
  return {
    rows,
    folds,
    active,
    goal,
    shown: shownLengths,
    expand,
    query,
    matches,
    search: setQuery,
    goTo,
    activate: (row: JsonRow) => change({ active: row }),
    setFolds: (next: FoldedLines) => change({ folds: next }),
    foldAll: () => change({ folds: listAllFolds(document), active: { line: 0 } }),
    /** Handles a key. Returns false if the key has no effect. */
    press: (key: string): boolean => {
      const step = handleJsonKey(key, document, rows, folds, active);
      if (step === undefined) return false;
      if (step.to !== undefined) change({ active: step.to, goal: { row: step.to, align: "auto" } });
      else if (step.folds !== undefined) change({ folds: step.folds });
      else if (step.expand !== undefined) expand(step.expand);
      return true;
    },
    goToMark: (by: 1 | -1): DocumentMark | undefined => {
      const mark = findNextMark(marks, active, by);
      if (mark !== undefined) goTo({ line: mark.line, mark });
      return mark;
    },
    goToMatch: (by: 1 | -1): void => {
      const { lines } = matches;
      const next =
        by > 0
          ? (lines.find((line) => line > active.line) ?? lines[0])
          : (lines.findLast((line) => line < active.line) ?? lines.at(-1));
      if (next === undefined) return;
      const row = { line: next };
      const maxLength = findLengthFor(readLine(document, next), query ?? "", shownLengths.get(next) ?? INITIAL_LENGTH);
      change({
        active: row,
        goal: { row, align: "center" },
        folds: unfoldTo(document, folds, next),
        shownLengths: new Map(shownLengths).set(next, maxLength),
      });
    },
  };
}

export type JsonViewState = ReturnType<typeof useJsonView>;
