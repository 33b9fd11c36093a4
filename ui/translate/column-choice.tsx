// Shows the controls above the columns: the choice of dialects, the switch for notes, and the legend of the marks.
import type { LossAction, LossLevel } from "koine";
import { useId, type ReactNode } from "react";
import { Icon } from "../kit/icons.tsx";
import type { IconName } from "../kit/icons.tsx";
import kit from "../kit/kit.module.css";
import { LEVEL_LABELS } from "../json/json-row.tsx";
import { useColumnChoice } from "./stored-columns.ts";
import styles from "./columns.module.css";
import type { ShownLevels } from "./loss-marks.ts";
import { DIALECTS, DIALECT_NAMES } from "./dialect-names.ts";
import { ACTION_MEANINGS, LEVEL_MEANINGS } from "./loss-labels.ts";

function Popover({ label, icon, children }: { label: string; icon: IconName; children: ReactNode }) {
  const id = useId();
  return (
    <>
      <button type="button" className={`${kit["button"]} ${kit["plain"]} ${kit["small"]}`} popoverTarget={id}>
        <Icon name={icon} size={16} />
        {label}
      </button>
      <div id={id} popover="auto" role="group" aria-label={label} className={styles["popover"]}>
        {children}
      </div>
    </>
  );
}

export function ColumnChoice() {
  const [columns, setColumns] = useColumnChoice();
  return (
    <Popover label="Columns" icon="inspect">
      {DIALECTS.map((id) => (
        <label key={id} className={styles["check"]}>
          <input
            type="checkbox"
            checked={columns.includes(id)}
            onChange={({ target }) =>
              setColumns(target.checked ? [...columns, id] : columns.filter((each) => each !== id))
            }
          />
          {DIALECT_NAMES[id].title}
        </label>
      ))}
    </Popover>
  );
}

export function NotesSwitch({ levels, onChange }: { levels: ShownLevels; onChange: (levels: ShownLevels) => void }) {
  return (
    <label className={styles["check"]}>
      <input
        type="checkbox"
        checked={levels.has("note")}
        onChange={({ target }) => onChange(new Set(target.checked ? ["note", "loss", "breaks"] : ["loss", "breaks"]))}
      />
      Show notes
    </label>
  );
}

export function Legend() {
  return (
    <Popover label="Legend" icon="info">
      <dl className={styles["legend"]}>
        {(Object.entries(LEVEL_MEANINGS) as [LossLevel, string][]).map(([level, meaning]) => (
          <div key={level} data-level={level}>
            <dt>{LEVEL_LABELS[level]}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        {(Object.entries(ACTION_MEANINGS) as [LossAction, string][]).map(([action, meaning]) => (
          <div key={action}>
            <dt>{action}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p className={styles["hint"]}>
        In a column, n and p move from mark to mark. Selecting a mark shows it in the other columns, too.
      </p>
    </Popover>
  );
}
