// Shows a combobox for a model id: it offers the server's models and accepts any other text of the form
// "provider/model".
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { ModelInfo } from "../../data/types.ts";
import { Icon } from "../../kit/index.ts";
import { filterModels, resolveTypedModel } from "./model-choice.ts";
import styles from "./model-picker.module.css";

export interface ModelPickerProps {
  label: string;
  value: string;
  models: readonly ModelInfo[];
  /** Called with the chosen model id; "" if the user has emptied the field, which means the default model. */
  onChange: (model: string) => void;
  placeholder?: string;
  /** True for the small size of toolbar controls. */
  compact?: boolean;
}

export function ModelPicker({ label, value, models, onChange, placeholder, compact = false }: ModelPickerProps) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const list = useModelChoice(models, value, onChange);
  const { typed, open, matches, active } = list;
  return (
    <span className={styles["picker"]} data-compact={compact}>
      <input
        ref={field}
        className={styles["field"]}
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && matches[active] !== undefined ? `${id}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        // The field is as wide as its text, within 12 to 28 characters.
        size={Math.min(28, Math.max(12, (typed ?? value).length || (placeholder?.length ?? 0)))}
        value={typed ?? value}
        onChange={(event) => list.type(event.target.value)}
        onClick={list.show}
        onFocus={(event) => event.target.select()}
        onBlur={list.leave}
        onKeyDown={list.press}
      />
      <Icon name="chevron-down" size={14} className={styles["sign"]} />
      {open && (
        <ModelOptions
          id={id}
          label={label}
          field={field.current}
          matches={matches}
          active={active}
          onPick={list.pick}
        />
      )}
    </span>
  );
}

/** Returns the state of the combobox (typed text, matching models, index of the highlighted model) and its handlers. */
function useModelChoice(models: readonly ModelInfo[], value: string, onChange: (model: string) => void) {
  const [typed, setTyped] = useState<string>();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const matches = filterModels(models, typed ?? "");
  const pick = (model: string): void => {
    setTyped(undefined);
    setOpen(false);
    if (model.trim() !== value) onChange(model.trim());
  };
  const show = (): void => {
    setOpen(true);
    setActive(matches.findIndex(({ id }) => id === value));
  };
  const close = (): void => {
    setTyped(undefined);
    setOpen(false);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = STEPS[event.key];
    if (step !== undefined) {
      if (!open) show();
      else if (matches.length > 0)
        setActive((active + step + matches.length + (active < 0 && step < 0 ? 1 : 0)) % matches.length);
    } else if (event.key === "Enter") {
      pick(open ? (matches[active]?.id ?? typed ?? value) : (typed ?? value));
    } else if (event.key === "Escape" && open) close();
    else return;
    event.preventDefault();
    // The list of models has handled the key, so the handlers of surrounding elements must not receive the event.
    event.stopPropagation();
  };
  const type = (text: string): void => {
    setTyped(text);
    setOpen(true);
    setActive(-1);
  };
  const leave = (): void => {
    const resolved = typed === undefined ? undefined : resolveTypedModel(models, typed);
    if (resolved === undefined) close();
    else pick(resolved);
  };
  return { typed, open, matches, active, pick, show, press, type, leave };
}

const STEPS: Record<string, number | undefined> = { ArrowDown: 1, ArrowUp: -1 };

interface ModelOptionsProps {
  id: string;
  label: string;
  field: HTMLElement | null;
  matches: readonly ModelInfo[];
  active: number;
  onPick: (model: string) => void;
}

/** Shows the matching models in a popover above or below the field. */
function ModelOptions({ id, label, field, matches, active, onPick }: ModelOptionsProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.showPopover(), []);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <ul
      ref={list}
      id={`${id}-list`}
      className={styles["choices"]}
      role="listbox"
      aria-label={label}
      popover="manual"
      style={positionBeside(field)}
      // A mouse press on the list must not take the focus from the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {matches.map((model, index) => (
        <li
          key={model.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onClick={() => onPick(model.id)}
        >
          {model.id}
        </li>
      ))}
      {matches.length === 0 && (
        <li className={styles["none"]} role="option" aria-selected={false} aria-disabled>
          The server lists no such model. Press Enter to use it anyway.
        </li>
      )}
    </ul>
  );
}

const GAP = 4;

function positionBeside(field: HTMLElement | null): Record<string, number | string> {
  if (field === null) return {};
  const { left, top, bottom } = field.getBoundingClientRect();
  const above = top;
  const below = window.innerHeight - bottom;
  const isUp = below < 240 && above > below;
  const room = Math.max(120, Math.min(320, (isUp ? above : below) - 3 * GAP));
  const side = isUp ? { bottom: window.innerHeight - top + GAP, top: "auto" } : { top: bottom + GAP, bottom: "auto" };
  return { left: Math.max(GAP, Math.min(left, window.innerWidth - 260)), right: "auto", maxHeight: room, ...side };
}
