// Which dialects are shown, and which marks; and what the marks mean.
import type { LossAction, LossLevel } from "koine";
import { useId, type ReactNode } from "react";
import { Icon } from "../kit/icons.tsx";
import type { IconName } from "../kit/icons.tsx";
import kit from "../kit/kit.module.css";
import { LEVEL_WORDS } from "../json/json-row.tsx";
import { useColumnChoice } from "./choices.ts";
import styles from "./columns.module.css";
import type { Levels } from "./loss-marks.ts";
import { DIALECTS, SPEAKER_NAMES } from "./names.ts";
import { ACTION_WORDS, LEVEL_MEANINGS } from "./words.ts";

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
  const [chosen, choose] = useColumnChoice();
  return (
    <Popover label="Columns" icon="inspect">
      {DIALECTS.map((id) => (
        <label key={id} className={styles["check"]}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ target }) => choose(target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
          {SPEAKER_NAMES[id].title}
        </label>
      ))}
    </Popover>
  );
}

export function NotesSwitch({ levels, onChange }: { levels: Levels; onChange: (levels: Levels) => void }) {
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
    <Popover label="What marks mean" icon="info">
      <dl className={styles["legend"]}>
        {(Object.entries(LEVEL_MEANINGS) as [LossLevel, string][]).map(([level, meaning]) => (
          <div key={level} data-level={level}>
            <dt>{LEVEL_WORDS[level]}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
        {(Object.entries(ACTION_WORDS) as [LossAction, string][]).map(([action, meaning]) => (
          <div key={action}>
            <dt>{action}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p className={styles["hint"]}>
        In a column, n and p go from mark to mark. Choosing one shows it in the other columns, too.
      </p>
    </Popover>
  );
}
