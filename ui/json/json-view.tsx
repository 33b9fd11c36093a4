// Shows JSON of any size, with foldable lines, marks below their lines, and a search. The view has the role of a tree:
// arrow keys move and fold, n and p go from mark to mark, / opens the search.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { IconButton } from "../kit/button.tsx";
import { readDepth } from "./json-document.ts";
import type { JsonDocument } from "./json-document.ts";
import type { JsonRowActions } from "./json-row.tsx";
import { LineRow, MarkRow } from "./json-row.tsx";
import styles from "./json-view.module.css";
import type { DocumentMark } from "./document-marks.ts";
import type { JsonRow } from "./json-rows.ts";
import { findJsonRow, toggleFold } from "./json-rows.ts";
import { SearchBar } from "./search-bar.tsx";
import { INITIAL_LENGTH } from "./line-tokens.ts";
import type { JsonViewState } from "./use-json-view.ts";
import { useJsonView } from "./use-json-view.ts";

export interface JsonViewProps {
  document: JsonDocument;
  /** Accessible name of the tree. */
  label: string;
  /** Marks of the document, sorted by line. */
  marks?: readonly DocumentMark[];
  /**
   * Ids of the selected losses. The first mark with one of these ids is highlighted; when the ids change, the view
   * scrolls to it.
   */
  selection?: readonly string[];
  /** Called when the user chooses a mark ("choice") or reaches it by n or p ("walk"). */
  onSelect?: OnSelectMark;
  /** Content to the left of the toolbar's buttons. */
  children?: ReactNode;
}

export type OnSelectMark = (mark: DocumentMark, by: "choice" | "walk") => void;

const NO_MARKS: readonly DocumentMark[] = [];
const NO_IDS: readonly string[] = [];
const LINE_HEIGHT = 20;
const MARK_HEIGHT = 48;

export function JsonView({ document, label, marks = NO_MARKS, selection = NO_IDS, onSelect, children }: JsonViewProps) {
  const view = useJsonView(document, marks);
  const field = useRef<HTMLInputElement>(null);
  const tree = useRef<HTMLDivElement>(null);
  const selected = marks.find(({ ids }) => ids.some((id) => selection.includes(id)));
  useSelection(view, selected);
  const toMark = (by: 1 | -1): void => {
    const mark = view.goToMark(by);
    if (mark !== undefined) onSelect?.(mark, "walk");
  };
  const closeSearch = (): void => {
    view.search(undefined);
    // The tree takes the focus, because the search field that had it disappears.
    tree.current?.focus();
  };
  /** Handles the keys that work in the tree and in its toolbar. */
  const press = (event: KeyboardEvent): void => {
    if (hasModifier(event) || event.target instanceof HTMLInputElement) return;
    if (event.key === "/") {
      view.search(view.query ?? "");
      requestAnimationFrame(() => field.current?.focus());
    } else if (event.key === "n" || event.key === "p") toMark(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  };
  return (
    // Key events bubble up from the tree and the toolbar, so this element handles them.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={styles["view"]} onKeyDown={press}>
      <div className={styles["tools"]}>
        <div className={styles["note"]}>{children}</div>
        {marks.length > 0 && (
          <>
            <IconButton label="Previous mark" icon="chevron-up" shortcut="P" size={16} onClick={() => toMark(-1)} />
            <IconButton label="Next mark" icon="chevron-down" shortcut="N" size={16} onClick={() => toMark(1)} />
          </>
        )}
        <JsonTools view={view} closeSearch={closeSearch} />
      </div>
      {view.query !== undefined && <SearchBar ref={field} view={view} query={view.query} onClose={closeSearch} />}
      <JsonRows ref={tree} {...{ document, label, marks, view, selected, onSelect }} />
    </div>
  );
}

/** True if Ctrl, Cmd or Alt is pressed; such keys are shortcuts of the browser or the page. */
function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

function JsonTools({ view, closeSearch }: { view: JsonViewState; closeSearch: () => void }) {
  const areFolded = view.folds.size > 0;
  return (
    <>
      <IconButton
        label={areFolded ? "Unfold everything" : "Fold everything"}
        icon={areFolded ? "chevron-right" : "menu"}
        size={16}
        onClick={() => (areFolded ? view.setFolds(new Set()) : view.foldAll())}
      />
      <IconButton
        label="Search"
        icon="search"
        shortcut="/"
        size={16}
        pressed={view.query !== undefined}
        onClick={() => (view.query === undefined ? view.search("") : closeSearch())}
      />
    </>
  );
}

/** Scrolls to the mark that was selected in the view of another document, once for each selection. */
function useSelection({ goTo, active }: JsonViewState, selected: DocumentMark | undefined): void {
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const name = selected?.ids.join(" ");
    if (selected !== undefined && name !== shown.current && active.mark !== selected) {
      goTo({ line: selected.line, mark: selected });
    }
    shown.current = name;
  });
}

interface JsonRowsProps {
  ref: RefObject<HTMLDivElement | null>;
  document: JsonDocument;
  label: string;
  marks: readonly DocumentMark[];
  view: JsonViewState;
  selected: DocumentMark | undefined;
  onSelect: OnSelectMark | undefined;
}

function JsonRows({ ref, document, label, marks, view, selected, onSelect }: JsonRowsProps) {
  const { rows, active, goal } = view;
  const id = useId();
  const actions = useRowActions(view, onSelect);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => ref.current,
    estimateSize: (index) => (rows[index]?.mark === undefined ? LINE_HEIGHT : MARK_HEIGHT),
    overscan: 6,
    useFlushSync: false,
  });
  useEffect(() => {
    if (goal !== undefined)
      virtual.scrollToIndex(findJsonRow(rows, goal.row.line, goal.row.mark), { align: goal.align });
    // The effect depends only on `goal`: a change of the rows alone must not scroll the view.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [goal]);
  const press = (event: KeyboardEvent): void => {
    if (hasModifier(event)) return;
    const isChoice = active.mark !== undefined && (event.key === "Enter" || event.key === " ");
    if (isChoice && active.mark !== undefined) onSelect?.(active.mark, "choice");
    else if (!view.press(event.key)) return;
    event.preventDefault();
  };
  const toRowId = (index: number): string => `${id}-${index}`;
  return (
    <div
      ref={ref}
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={toRowId(findJsonRow(rows, active.line, active.mark))}
      className={styles["rows"]}
      onKeyDown={press}
    >
      <div role="presentation" className={styles["all"]} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <div
                key={key}
                role="presentation"
                data-index={index}
                ref={virtual.measureElement}
                className={styles["place"]}
                style={{ translate: `0 ${start}px` }}
              >
                <JsonRowView id={toRowId(index)} {...{ row, document, marks, view, selected, actions }} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

/** Returns the row callbacks in an object that never changes; the callbacks use the latest props. */
function useRowActions(view: JsonViewState, onSelect: OnSelectMark | undefined): JsonRowActions {
  const latest = useRef({ view, onSelect });
  useEffect(() => void (latest.current = { view, onSelect }));
  const [actions] = useState<JsonRowActions>(() => ({
    activate: (row) => latest.current.view.activate(row),
    toggle: (line) => latest.current.view.setFolds(toggleFold(latest.current.view.folds, line)),
    expand: (line) => latest.current.view.expand(line),
    select: (mark) => latest.current.onSelect?.(mark, "choice"),
  }));
  return actions;
}

type JsonRowViewProps = Omit<JsonRowsProps, "ref" | "label" | "onSelect"> & {
  row: JsonRow;
  id: string;
  actions: JsonRowActions;
};

function JsonRowView({ row, id, document, marks, view, selected, actions }: JsonRowViewProps) {
  const { active, folds, query, shown } = view;
  const { line, mark } = row;
  const isActive = active.line === line && active.mark === mark;
  const shared = { id, isActive, actions };
  if (mark !== undefined) {
    return <MarkRow {...shared} mark={mark} depth={readDepth(document, line)} isSelected={mark === selected} />;
  }
  const isFolded = folds.has(line);
  return (
    <LineRow
      {...shared}
      {...{ document, line, isFolded, query }}
      marks={isFolded ? marks : NO_MARKS}
      maxLength={shown.get(line) ?? INITIAL_LENGTH}
    />
  );
}
