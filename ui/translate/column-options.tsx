// Shows the options of a request's target that affect the translation: the model and the vendor.
import { useId } from "react";
import { Icon } from "../kit/icons.tsx";
import kit from "../kit/kit.module.css";
import styles from "./columns.module.css";
import { DIALECT_NAMES, VENDORS } from "./dialect-names.ts";
import type { ColumnTarget } from "./types.ts";
import type { ColumnOptions } from "./use-translator.ts";

export interface ColumnOptionsProps {
  target: ColumnTarget;
  /** The model of the payload. */
  model: string;
  onChange: (options: ColumnOptions) => void;
}

export function ColumnOptionsButton({ target, model, onChange }: ColumnOptionsProps) {
  const id = useId();
  const { title } = DIALECT_NAMES[target.dialect];
  const change = (changes: Partial<Record<keyof ColumnOptions, string>>): void => {
    const { dialect: _, ...options } = { ...target, ...changes };
    onChange(Object.fromEntries(Object.entries(options).filter(([, value]) => value !== "")));
  };
  const isSet = target.model !== undefined || target.vendor !== undefined;
  const label = `Options of ${title}`;
  return (
    <>
      <button
        type="button"
        className={kit["iconButton"]}
        aria-label={label}
        title={label}
        popoverTarget={id}
        data-set={isSet}
      >
        <Icon name="sliders" />
      </button>
      <div id={id} popover="auto" role="group" aria-label={label} className={styles["popover"]}>
        <label className={styles["field"]}>
          Model
          <input
            value={target.model ?? ""}
            placeholder={model === "" ? "as in the payload" : model}
            onChange={(event) => change({ model: event.target.value })}
          />
        </label>
        {target.dialect === "openai-chat" && (
          <label className={styles["field"]}>
            Vendor
            <select value={target.vendor ?? ""} onChange={(event) => change({ vendor: event.target.value })}>
              <option value="">any</option>
              {VENDORS.map((vendor) => (
                <option key={vendor}>{vendor}</option>
              ))}
            </select>
          </label>
        )}
        <p className={styles["hint"]}>Some losses and repairs depend on these options.</p>
      </div>
    </>
  );
}
