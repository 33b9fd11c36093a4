// Shows the canonical document and the chosen dialects in columns side by side, or in tabs on narrow screens.
import type { DialectId } from "koine";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { Tabs, VisuallyHidden } from "../kit/index.ts";
import type { OnSelectMark } from "../json/json-view.tsx";
import { useColumnChoice } from "./stored-columns.ts";
import { CanonicalColumn, toColumnElementId, DialectColumn } from "./column.tsx";
import { ColumnChoice, Legend, NotesSwitch } from "./column-choice.tsx";
import styles from "./columns.module.css";
import type { ShownLevels } from "./loss-marks.ts";
import { createCanonicalMarks } from "./loss-marks.ts";
import { DIALECT_NAMES } from "./dialect-names.ts";
import type { ReadResult } from "./types.ts";
import type { TranslatorHandle } from "./use-translator.ts";

const NARROW_SCREEN = "(width <= 48rem)";
const INITIAL_LEVELS: ShownLevels = new Set(["loss", "breaks"]);

function subscribeToWidth(listener: () => void): () => void {
  const query = matchMedia(NARROW_SCREEN);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

export interface ColumnsProps {
  translation: TranslatorHandle;
  reading: ReadResult;
  /**
   * Identifies the payload. A change of this value resets the scroll positions and folds; an edit of the payload keeps
   * the value.
   */
  subject: string | number;
  /** Content beside the column controls. */
  children?: ReactNode;
}

export function Columns({ translation, reading, subject, children }: ColumnsProps) {
  const { state, targets } = translation;
  const [levels, setLevels] = useState(INITIAL_LEVELS);
  const isNarrow = useSyncExternalStore(subscribeToWidth, () => matchMedia(NARROW_SCREEN).matches);
  const [tab, setTab] = useState<ColumnPanel["id"]>("koine");
  const panels = usePanels({ translation, reading, subject, levels, onShowOther: isNarrow ? setTab : undefined });
  const lossCount = [...state.columns.values()]
    .flatMap(({ losses }) => losses)
    .filter(({ level }) => level !== "note").length;
  const isDone = targets.every(({ dialect }) => state.columns.has(dialect));
  return (
    <div className={styles["columnsBox"]}>
      <div className={styles["bar"]}>
        <ColumnChoice />
        <Legend />
        <NotesSwitch levels={levels} onChange={setLevels} />
        <p role="status" className={styles["sum"]}>
          {isDone ? `${targets.length} columns, ${lossCount === 1 ? "1 loss" : `${lossCount} losses`}` : "Translating…"}
        </p>
        {children}
      </div>
      {isNarrow ? (
        <TabbedPanels panels={panels} selected={tab} onSelect={setTab} />
      ) : (
        <div className={styles["columns"]}>{panels.map(({ panel }) => panel)}</div>
      )}
    </div>
  );
}

interface ColumnPanel {
  id: DialectId | "koine";
  /**
   * Number of losses that are not mere notes; undefined until the column is translated, and for the canonical column.
   */
  lossCount?: number | undefined;
  panel: ReactNode;
}

interface PanelsOptions {
  translation: TranslatorHandle;
  reading: ReadResult;
  subject: string | number;
  levels: ShownLevels;
  /** Shows another column on narrow screens; undefined on wide screens. */
  onShowOther: ((id: ColumnPanel["id"]) => void) | undefined;
}

/**
 * Builds the columns. Selecting a mark selects the marks of the same loss in all columns. On narrow screens, which show
 * one column, choosing a mark in a dialect's column shows the canonical column, and choosing a mark in the canonical
 * column shows the column of the dialect that has the loss.
 */
function usePanels({ translation, reading, subject, levels, onShowOther }: PanelsOptions): ColumnPanel[] {
  const [selection, setSelection] = useState<readonly string[]>([]);
  const [shownColumns, setColumns] = useColumnChoice();
  const { targets, setOptions } = translation;
  const { columns } = translation.state;
  const marks = useMemo(() => createCanonicalMarks([...columns.values()], levels), [columns, levels]);
  const { kind, model, canonical } = reading;
  const showOther = (id: ColumnPanel["id"]): void => {
    if (onShowOther === undefined) return;
    onShowOther(id);
    // The focus moves to the column that is now shown, because the next render hides the column that has the focus.
    requestAnimationFrame(() =>
      document.getElementById(toColumnElementId(id))?.querySelector<HTMLElement>("[role=tree]")?.focus(),
    );
  };
  const select: OnSelectMark = (mark, by) => {
    setSelection(mark.ids);
    if (by === "choice") showOther("koine");
  };
  const shared = { kind, selection, onSelect: select };
  const selectAll: OnSelectMark = ({ ids }, by) => {
    setSelection(ids);
    const dialect = targets.find((target) => ids[0]?.startsWith(`${target.dialect}:`))?.dialect;
    if (dialect === undefined) return;
    // The same loss has a mark in the dialect's own column, which may be scrolled out of view, so the page scrolls to
    // that column.
    document.getElementById(toColumnElementId(dialect))?.scrollIntoView({ inline: "nearest", block: "nearest" });
    if (by === "choice") showOther(dialect);
  };
  const canonicalColumn = (
    <CanonicalColumn key={`koine ${subject}`} document={canonical} marks={marks} {...shared} onSelect={selectAll}>
      Origin of the losses
    </CanonicalColumn>
  );
  return [
    { id: "koine", panel: canonicalColumn },
    ...targets.map((target) => {
      const { dialect } = target;
      const close = (): void => setColumns(shownColumns.filter((id) => id !== dialect));
      const panel = (
        <DialectColumn
          key={`${dialect} ${subject}`}
          {...{ target, model, levels, ...shared }}
          column={columns.get(dialect)}
          setOptions={(options) => setOptions(dialect, options)}
          onClose={shownColumns.length > 1 ? close : undefined}
        />
      );
      const losses = columns.get(dialect)?.losses.filter(({ level }) => level !== "note");
      return { id: dialect, lossCount: losses?.length, panel };
    }),
  ];
}

interface TabbedPanelsProps {
  panels: readonly ColumnPanel[];
  selected: ColumnPanel["id"];
  onSelect: (id: ColumnPanel["id"]) => void;
}

/** Shows one panel at a time. All panels stay mounted, so that their folds and scroll positions are preserved. */
function TabbedPanels({ panels, selected, onSelect }: TabbedPanelsProps) {
  const shown = panels.find(({ id }) => id === selected) ?? panels[0];
  const box = useRef<HTMLDivElement>(null);
  // If the user has chosen a mark, the tab of another column is now selected and may be scrolled out of view.
  useEffect(() => {
    const tab = box.current?.querySelector("[role=tab][aria-selected=true]");
    tab?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }, [shown?.id]);
  const tabs = panels.map(({ id, lossCount }) => ({ id, label: <TabLabel id={id} lossCount={lossCount} /> }));
  return (
    <div ref={box} className={styles["tabbed"]}>
      <Tabs label="Columns" tabs={tabs} selected={shown?.id ?? "koine"} onSelect={onSelect}>
        {panels.map(({ id, panel }) => (
          <div key={id} className={styles["tabPanel"]} hidden={id !== shown?.id}>
            {panel}
          </div>
        ))}
      </Tabs>
    </div>
  );
}

function TabLabel({ id, lossCount = 0 }: Pick<ColumnPanel, "id" | "lossCount">) {
  return (
    <>
      {DIALECT_NAMES[id].short}
      {lossCount > 0 && (
        <>
          {" "}
          <span className={styles["lost"]}>
            {lossCount}
            <VisuallyHidden> {lossCount === 1 ? "loss" : "losses"}</VisuallyHidden>
          </span>
        </>
      )}
    </>
  );
}
