// The state of a view of a document: folds, the row that keys start from, what is searched for. It begins anew with another
// document.
import { useMemo, useState } from "react";
import { lineText } from "./document.ts";
import type { JsonDocument } from "./document.ts";
import type { Found } from "./find.ts";
import { findLines } from "./find.ts";
import type { Mark } from "./marks.ts";
import type { Folds, Row } from "./rows.ts";
import { allFolds, firstFolds, reveal, rowsOf } from "./rows.ts";
import { nextStep, SHOWN_AT_FIRST, shownFor } from "./tokens.ts";
import { nextMark, walk } from "./walk.ts";

interface State {
  document: JsonDocument;
  folds: Folds;
  active: Row;
  /** Where to scroll: a new object each time. A step moves as little as it must, a leap shows what is around. */
  goal: { row: Row; align: "auto" | "center" } | undefined;
  /** Of long lines: how much of each piece is shown. */
  shown: ReadonlyMap<number, number>;
}

const begin = (document: JsonDocument): State => ({
  document,
  folds: firstFolds(document),
  active: { line: 0 },
  goal: undefined,
  shown: new Map(),
});

const NOTHING: Found = { lines: [], more: false };

export function useJsonView(document: JsonDocument, marks: readonly Mark[]) {
  const [kept, setState] = useState(() => begin(document));
  const state = kept.document === document ? kept : begin(document);
  if (state !== kept) setState(state);
  const [words, setWords] = useState<string>();
  const { folds, active, goal, shown } = state;
  const rows = useMemo(() => rowsOf(document, folds, marks), [document, folds, marks]);
  const found = useMemo(() => (words === undefined ? NOTHING : findLines(document, words)), [document, words]);
  const change = (next: Partial<State>): void => setState({ ...state, ...next });
  const goTo = (row: Row): void =>
    change({ active: row, goal: { row, align: "center" }, folds: reveal(document, folds, row.line) });
  const expand = (line: number): void => {
    const next = nextStep(lineText(document, line), shown.get(line) ?? SHOWN_AT_FIRST);
    change({ active: { line }, ...(next !== undefined && { shown: new Map(shown).set(line, next) }) });
  };
  return {
    rows,
    folds,
    active,
    goal,
    shown,
    expand,
    words,
    found,
    search: setWords,
    goTo,
    activate: (row: Row) => change({ active: row }),
    setFolds: (next: Folds) => change({ folds: next }),
    foldAll: () => change({ folds: allFolds(document), active: { line: 0 } }),
    /** Does what a key does here; false where it does nothing. */
    press: (key: string): boolean => {
      const step = walk(key, document, rows, folds, active);
      if (step === undefined) return false;
      if (step.to !== undefined) change({ active: step.to, goal: { row: step.to, align: "auto" } });
      else if (step.folds !== undefined) change({ folds: step.folds });
      else if (step.expand !== undefined) expand(step.expand);
      return true;
    },
    toMark: (by: 1 | -1): Mark | undefined => {
      const mark = nextMark(marks, active, by);
      if (mark !== undefined) goTo({ line: mark.line, mark });
      return mark;
    },
    toFound: (by: 1 | -1): void => {
      const { lines } = found;
      const next =
        by > 0
          ? (lines.find((line) => line > active.line) ?? lines[0])
          : (lines.findLast((line) => line < active.line) ?? lines.at(-1));
      if (next === undefined) return;
      const row = { line: next };
      const most = shownFor(lineText(document, next), words ?? "", shown.get(next) ?? SHOWN_AT_FIRST);
      change({
        active: row,
        goal: { row, align: "center" },
        folds: reveal(document, folds, next),
        shown: new Map(shown).set(next, most),
      });
    },
  };
}

export type JsonViewState = ReturnType<typeof useJsonView>;
