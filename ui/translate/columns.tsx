// The canonical value and every chosen dialect side by side; on phones one after the other.
import type { DialectId } from "koine";
import { useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { Tabs } from "../kit/index.ts";
import type { Mark } from "../json/marks.ts";
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
  const panels = usePanels({ translation, reading, subject, levels });
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
        <TabbedPanels panels={panels} />
      ) : (
        <div className={styles["columns"]}>{panels.map(({ panel }) => panel)}</div>
      )}
    </div>
  );
}

interface Panel {
  id: DialectId | "koine";
  panel: ReactNode;
}

interface PanelsOptions {
  translation: Translation;
  reading: Reading;
  subject: string | number;
  levels: Levels;
}

/** Choosing a mark in one shows it in all that have it. */
function usePanels({ translation, reading, subject, levels }: PanelsOptions): Panel[] {
  const [selection, setSelection] = useState<readonly string[]>([]);
  const [chosen, choose] = useColumnChoice();
  const { targets, setOptions } = translation;
  const { columns } = translation.state;
  const marks = useMemo(() => canonicalMarks([...columns.values()], levels), [columns, levels]);
  const { kind, model, canonical } = reading;
  const select = ({ ids }: Mark): void => setSelection(ids);
  const shared = { kind, selection, onSelect: select };
  const selectAll = (mark: Mark): void => {
    select(mark);
    showFirst(mark);
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
      return { id: dialect, panel };
    }),
  ];
}

/** A column that has the loss may be beyond the edge. */
function showFirst({ ids }: Mark): void {
  const [dialect = ""] = ids[0]?.split(":") ?? [];
  document.getElementById(columnId(dialect))?.scrollIntoView({ inline: "nearest", block: "nearest" });
}

function TabbedPanels({ panels }: { panels: readonly Panel[] }) {
  const [selected, select] = useState<Panel["id"]>("koine");
  const shown = panels.find(({ id }) => id === selected) ?? panels[0];
  const tabs = panels.map(({ id }) => ({ id, label: SPEAKER_NAMES[id].short }));
  return (
    <div className={styles["tabbed"]}>
      <Tabs label="Columns" tabs={tabs} selected={shown?.id ?? "koine"} onSelect={select}>
        {shown?.panel}
      </Tabs>
    </div>
  );
}
