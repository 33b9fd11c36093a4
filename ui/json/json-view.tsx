// JSON of any size: lines that fold, remarks under the lines they belong to, and a search. A tree to those who listen to it:
// arrow keys walk and fold, n and p go from mark to mark, / searches.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { IconButton } from "../kit/button.tsx";
import { depthOf } from "./document.ts";
import type { JsonDocument } from "./document.ts";
import type { RowActions } from "./json-row.tsx";
import { LineRow, MarkRow } from "./json-row.tsx";
import styles from "./json-view.module.css";
import type { Mark } from "./marks.ts";
import type { Row } from "./rows.ts";
import { rowOf, toggle } from "./rows.ts";
import { SearchBar } from "./search-bar.tsx";
import { SHOWN_AT_FIRST } from "./tokens.ts";
import type { JsonViewState } from "./use-json-view.ts";
import { useJsonView } from "./use-json-view.ts";

export interface JsonViewProps {
  document: JsonDocument;
  /** What it is: the name of the tree. */
  label: string;
  /** Sorted by line. */
  marks?: readonly Mark[];
  /** Marks with one of these ids are highlighted, and scrolled to when they change. */
  selection?: readonly string[];
  /** A mark was chosen, or only come to on the way from mark to mark. */
  onSelect?: OnSelect;
  /** What stands at the left of its tools. */
  children?: ReactNode;
}

export type OnSelect = (mark: Mark, by: "choice" | "walk") => void;

const NO_MARKS: readonly Mark[] = [];
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
    const mark = view.toMark(by);
    if (mark !== undefined) onSelect?.(mark, "walk");
  };
  const closeSearch = (): void => {
    view.search(undefined);
    // Else the keys would be nobody's, and so the page's.
    tree.current?.focus();
  };
  /** Keys that hold for the tree and for all its tools. */
  const press = (event: KeyboardEvent): void => {
    if (isOther(event) || event.target instanceof HTMLInputElement) return;
    if (event.key === "/") {
      view.search(view.words ?? "");
      requestAnimationFrame(() => field.current?.focus());
    } else if (event.key === "n" || event.key === "p") toMark(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  };
  return (
    // The keys are its parts'; here are those that hold for all of them.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={styles["view"]} onKeyDown={press}>
      <div className={styles["tools"]}>
        <div className={styles["told"]}>{children}</div>
        {marks.length > 0 && (
          <>
            <IconButton label="Previous mark" icon="chevron-up" shortcut="P" size={16} onClick={() => toMark(-1)} />
            <IconButton label="Next mark" icon="chevron-down" shortcut="N" size={16} onClick={() => toMark(1)} />
          </>
        )}
        <Tools view={view} closeSearch={closeSearch} />
      </div>
      {view.words !== undefined && <SearchBar ref={field} view={view} words={view.words} onClose={closeSearch} />}
      <Rows ref={tree} {...{ document, label, marks, view, selected, onSelect }} />
    </div>
  );
}

/** Keys of the browser, or of the page. */
function isOther({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

function Tools({ view, closeSearch }: { view: JsonViewState; closeSearch: () => void }) {
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
        pressed={view.words !== undefined}
        onClick={() => (view.words === undefined ? view.search("") : closeSearch())}
      />
    </>
  );
}

/** A mark that was selected elsewhere is shown here, too; once, also where the marks are made anew. */
function useSelection({ goTo, active }: JsonViewState, selected: Mark | undefined): void {
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const name = selected?.ids.join(" ");
    if (selected !== undefined && name !== shown.current && active.mark !== selected) {
      goTo({ line: selected.line, mark: selected });
    }
    shown.current = name;
  });
}

interface RowsProps {
  ref: RefObject<HTMLDivElement | null>;
  document: JsonDocument;
  label: string;
  marks: readonly Mark[];
  view: JsonViewState;
  selected: Mark | undefined;
  onSelect: OnSelect | undefined;
}

function Rows({ ref, document, label, marks, view, selected, onSelect }: RowsProps) {
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
    if (goal !== undefined) virtual.scrollToIndex(rowOf(rows, goal.row.line, goal.row.mark), { align: goal.align });
    // Only a new goal moves the view; rows that change meanwhile do not.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [goal]);
  const press = (event: KeyboardEvent): void => {
    if (isOther(event)) return;
    const isChoice = active.mark !== undefined && (event.key === "Enter" || event.key === " ");
    if (isChoice && active.mark !== undefined) onSelect?.(active.mark, "choice");
    else if (!view.press(event.key)) return;
    event.preventDefault();
  };
  const nameOf = (index: number): string => `${id}-${index}`;
  return (
    <div
      ref={ref}
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={nameOf(rowOf(rows, active.line, active.mark))}
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
                <AnyRow id={nameOf(index)} {...{ row, document, marks, view, selected, actions }} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

/** The same object as long as the view is there; what it does is what the last drawing says. */
function useRowActions(view: JsonViewState, onSelect: OnSelect | undefined): RowActions {
  const latest = useRef({ view, onSelect });
  useEffect(() => void (latest.current = { view, onSelect }));
  const [actions] = useState<RowActions>(() => ({
    activate: (row) => latest.current.view.activate(row),
    toggle: (line) => latest.current.view.setFolds(toggle(latest.current.view.folds, line)),
    expand: (line) => latest.current.view.expand(line),
    select: (mark) => latest.current.onSelect?.(mark, "choice"),
  }));
  return actions;
}

type AnyRowProps = Omit<RowsProps, "ref" | "label" | "onSelect"> & { row: Row; id: string; actions: RowActions };

function AnyRow({ row, id, document, marks, view, selected, actions }: AnyRowProps) {
  const { active, folds, words, shown } = view;
  const { line, mark } = row;
  const isActive = active.line === line && active.mark === mark;
  const shared = { id, isActive, actions };
  if (mark !== undefined) {
    return <MarkRow {...shared} mark={mark} depth={depthOf(document, line)} isSelected={mark === selected} />;
  }
  const isFolded = folds.has(line);
  return (
    <LineRow
      {...shared}
      {...{ document, line, isFolded, words }}
      marks={isFolded ? marks : NO_MARKS}
      most={shown.get(line) ?? SHOWN_AT_FIRST}
    />
  );
}
