// The canonical value and every chosen dialect side by side; on phones one after the other.
import type { DialectId } from "koine";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { Tabs, VisuallyHidden } from "../kit/index.ts";
import type { OnSelect } from "../json/json-view.tsx";
import { useColumnChoice } from "./choices.ts";
import { CanonicalColumn, columnId, DialectColumn } from "./column.tsx";
import { ColumnChoice, Legend, NotesSwitch } from "./column-choice.tsx";
import styles from "./columns.module.css";
import type { Levels } from "./loss-marks.ts";
import { canonicalMarks } from "./loss-marks.ts";
import { SPEAKER_NAMES } from "./names.ts";
import type { Reading } from "./types.ts";
import type { Translation } from "./use-translator.ts";

const NARROW = "(width <= 48rem)";
const FIRST_LEVELS: Levels = new Set(["loss", "breaks"]);

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

export interface ColumnsProps {
  translation: Translation;
  reading: Reading;
  /** What is looked at: something else is shown from its beginning, a change of the same where one was. */
  subject: string | number;
  /** Beside the choice of columns. */
  children?: ReactNode;
}

export function Columns({ translation, reading, subject, children }: ColumnsProps) {
  const { state, targets } = translation;
  const [levels, setLevels] = useState(FIRST_LEVELS);
  const isNarrow = useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
  const [tab, setTab] = useState<Panel["id"]>("koine");
  const panels = usePanels({ translation, reading, subject, levels, onLeave: isNarrow ? setTab : undefined });
  const lost = [...state.columns.values()]
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
          {isDone ? `${targets.length} columns, ${lost === 1 ? "1 loss" : `${lost} losses`}` : "Translating…"}
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

interface Panel {
  id: DialectId | "koine";
  /** Of losses and breaks; undefined where it has none to count. */
  lost?: number | undefined;
  panel: ReactNode;
}

interface PanelsOptions {
  translation: Translation;
  reading: Reading;
  subject: string | number;
  levels: Levels;
  /** Where one column is seen at a time: shows another. */
  onLeave: ((id: Panel["id"]) => void) | undefined;
}

/** Choosing a mark in one shows it in all that have it; where one is seen at a time, in the one at its other end. */
function usePanels({ translation, reading, subject, levels, onLeave }: PanelsOptions): Panel[] {
  const [selection, setSelection] = useState<readonly string[]>([]);
  const [chosen, choose] = useColumnChoice();
  const { targets, setOptions } = translation;
  const { columns } = translation.state;
  const marks = useMemo(() => canonicalMarks([...columns.values()], levels), [columns, levels]);
  const { kind, model, canonical } = reading;
  const leave = (id: Panel["id"]): void => {
    if (onLeave === undefined) return;
    onLeave(id);
    // What had the focus is hidden by then.
    requestAnimationFrame(() =>
      document.getElementById(columnId(id))?.querySelector<HTMLElement>("[role=tree]")?.focus(),
    );
  };
  const select: OnSelect = (mark, by) => {
    setSelection(mark.ids);
    if (by === "choice") leave("koine");
  };
  const shared = { kind, selection, onSelect: select };
  const selectAll: OnSelect = ({ ids }, by) => {
    setSelection(ids);
    const dialect = targets.find((target) => ids[0]?.startsWith(`${target.dialect}:`))?.dialect;
    if (dialect === undefined) return;
    // A column that has the loss may be beyond the edge.
    document.getElementById(columnId(dialect))?.scrollIntoView({ inline: "nearest", block: "nearest" });
    if (by === "choice") leave(dialect);
  };
  const whole = (
    <CanonicalColumn key={`koine ${subject}`} document={canonical} marks={marks} {...shared} onSelect={selectAll}>
      Where losses come from
    </CanonicalColumn>
  );
  return [
    { id: "koine", panel: whole },
    ...targets.map((target) => {
      const { dialect } = target;
      const close = (): void => choose(chosen.filter((id) => id !== dialect));
      const panel = (
        <DialectColumn
          key={`${dialect} ${subject}`}
          {...{ target, model, levels, ...shared }}
          column={columns.get(dialect)}
          setOptions={(options) => setOptions(dialect, options)}
          onClose={chosen.length > 1 ? close : undefined}
        />
      );
      const losses = columns.get(dialect)?.losses.filter(({ level }) => level !== "note");
      return { id: dialect, lost: losses?.length, panel };
    }),
  ];
}

interface TabbedPanelsProps {
  panels: readonly Panel[];
  selected: Panel["id"];
  onSelect: (id: Panel["id"]) => void;
}

/** All of them stay, so that each keeps its folds and its place; one is seen. */
function TabbedPanels({ panels, selected, onSelect }: TabbedPanelsProps) {
  const shown = panels.find(({ id }) => id === selected) ?? panels[0];
  const box = useRef<HTMLDivElement>(null);
  // A mark may have led to a tab beyond the edge.
  useEffect(() => {
    const tab = box.current?.querySelector("[role=tab][aria-selected=true]");
    tab?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }, [shown?.id]);
  const tabs = panels.map(({ id, lost }) => ({ id, label: <TabLabel id={id} lost={lost} /> }));
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

function TabLabel({ id, lost = 0 }: Pick<Panel, "id" | "lost">) {
  return (
    <>
      {SPEAKER_NAMES[id].short}
      {lost > 0 && (
        <>
          {" "}
          <span className={styles["lost"]}>
            {lost}
            <VisuallyHidden> {lost === 1 ? "loss" : "losses"}</VisuallyHidden>
          </span>
        </>
      )}
    </>
  );
}
