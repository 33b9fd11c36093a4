// JSON of any size: lines that fold, remarks under the lines they belong to, and a search. A tree to those who listen to it:
// arrow keys walk and fold, n and p go from mark to mark, / searches.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { IconButton } from "../kit/button.tsx";
import { depthOf, endOf } from "./document.ts";
import type { JsonDocument } from "./document.ts";
import { LineRow, MarkRow } from "./json-row.tsx";
import styles from "./json-view.module.css";
import type { Mark } from "./marks.ts";
import { marksBetween, tallyOf } from "./marks.ts";
import type { Row } from "./rows.ts";
import { rowOf, toggle } from "./rows.ts";
import { SearchBar } from "./search-bar.tsx";
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
  onSelect?: (mark: Mark) => void;
  /** What stands at the left of its tools. */
  children?: ReactNode;
}

const NO_MARKS: readonly Mark[] = [];
const NO_IDS: readonly string[] = [];
const LINE_HEIGHT = 20;
const MARK_HEIGHT = 48;

export function JsonView({ document, label, marks = NO_MARKS, selection = NO_IDS, onSelect, children }: JsonViewProps) {
  const view = useJsonView(document, marks);
  const field = useRef<HTMLInputElement>(null);
  const selected = marks.find(({ ids }) => ids.some((id) => selection.includes(id)));
  useSelection(view, selected);
  const toMark = (by: 1 | -1): void => {
    const mark = view.toMark(by);
    if (mark !== undefined) onSelect?.(mark);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const did = pressKey(event.key, view, toMark, onSelect);
    if (event.key === "/") requestAnimationFrame(() => field.current?.focus());
    if (did) event.preventDefault();
  };
  return (
    <div className={styles["view"]}>
      <div className={styles["tools"]}>
        <div className={styles["told"]}>{children}</div>
        {marks.length > 0 && (
          <>
            <IconButton label="Previous mark" icon="chevron-up" shortcut="P" size={16} onClick={() => toMark(-1)} />
            <IconButton label="Next mark" icon="chevron-down" shortcut="N" size={16} onClick={() => toMark(1)} />
          </>
        )}
        <Tools view={view} />
      </div>
      {view.words !== undefined && <SearchBar ref={field} view={view} words={view.words} />}
      <Rows
        document={document}
        label={label}
        marks={marks}
        view={view}
        selected={selected}
        onKeyDown={press}
        onSelect={onSelect}
      />
    </div>
  );
}

function Tools({ view }: { view: JsonViewState }) {
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
        onClick={() => view.search(view.words === undefined ? "" : undefined)}
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

function pressKey(
  key: string,
  view: JsonViewState,
  toMark: (by: 1 | -1) => void,
  onSelect: ((mark: Mark) => void) | undefined,
): boolean {
  if (key === "n" || key === "p") toMark(key === "n" ? 1 : -1);
  else if (key === "/") view.search(view.words ?? "");
  else if (view.active.mark !== undefined && (key === "Enter" || key === " ")) onSelect?.(view.active.mark);
  else return view.press(key);
  return true;
}

interface RowsProps {
  document: JsonDocument;
  label: string;
  marks: readonly Mark[];
  view: JsonViewState;
  selected: Mark | undefined;
  onKeyDown: (event: KeyboardEvent) => void;
  onSelect: ((mark: Mark) => void) | undefined;
}

function Rows({ document, label, marks, view, selected, onKeyDown, onSelect }: RowsProps) {
  const { rows, active, goal } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.mark === undefined ? LINE_HEIGHT : MARK_HEIGHT),
    overscan: 6,
    useFlushSync: false,
  });
  useEffect(() => {
    if (goal !== undefined) virtual.scrollToIndex(rowOf(rows, goal.row.line, goal.row.mark), { align: goal.align });
    // Only a new goal moves the view; rows that change meanwhile do not.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [goal]);
  const nameOf = (index: number): string => `${id}-${index}`;
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={nameOf(rowOf(rows, active.line, active.mark))}
      className={styles["rows"]}
      onKeyDown={onKeyDown}
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
                <AnyRow id={nameOf(index)} {...{ row, document, marks, view, selected, onSelect }} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

type AnyRowProps = Omit<RowsProps, "label" | "onKeyDown"> & { row: Row; id: string };

function AnyRow({ row, id, document, marks, view, selected, onSelect }: AnyRowProps) {
  const { active, folds, words } = view;
  const { line, mark } = row;
  const isActive = active.line === line && active.mark === mark;
  if (mark !== undefined) {
    const onActivate = (): void => {
      view.activate(row);
      onSelect?.(mark);
    };
    const shared = { id, isActive, onActivate, mark };
    return <MarkRow {...shared} depth={depthOf(document, line)} isSelected={mark === selected} />;
  }
  const isFolded = folds.has(line);
  return (
    <LineRow
      {...{ id, isActive, document, line, isFolded, words }}
      hidden={isFolded ? tallyOf(marksBetween(marks, line + 1, endOf(document, line))) : undefined}
      onActivate={() => view.activate(row)}
      onToggle={() => view.setFolds(toggle(folds, line))}
    />
  );
}
