// A field for a model's name that offers those the server knows: any other "provider/model" may be written, too.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { ModelInfo } from "../data/types.ts";
import { Icon } from "../kit/index.ts";
import { matchingModels, meantModel } from "./model-choice.ts";
import styles from "./model-picker.module.css";

export interface ModelPickerProps {
  label: string;
  value: string;
  models: readonly ModelInfo[];
  /** "": whichever the server would ask. */
  onChange: (model: string) => void;
  placeholder?: string;
  /** As small as the tools beside it. */
  compact?: boolean;
}

export function ModelPicker({ label, value, models, onChange, placeholder, compact = false }: ModelPickerProps) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const list = useChoice(models, value, onChange);
  const { typed, open, found, active } = list;
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
        aria-activedescendant={open && found[active] !== undefined ? `${id}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        // The field is as wide as its words.
        size={Math.min(28, Math.max(12, (typed ?? value).length || (placeholder?.length ?? 0)))}
        value={typed ?? value}
        onChange={(event) => list.type(event.target.value)}
        onClick={list.show}
        onFocus={(event) => event.target.select()}
        onBlur={list.leave}
        onKeyDown={list.press}
      />
      <Icon name="chevron-down" size={14} className={styles["sign"]} />
      {open && <Choices id={id} label={label} field={field.current} found={found} active={active} onPick={list.pick} />}
    </span>
  );
}

/** What was typed, and which of the models that fit it is about to be taken. */
function useChoice(models: readonly ModelInfo[], value: string, onChange: (model: string) => void) {
  const [typed, setTyped] = useState<string>();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const found = matchingModels(models, typed ?? "");
  const pick = (model: string): void => {
    setTyped(undefined);
    setOpen(false);
    if (model.trim() !== value) onChange(model.trim());
  };
  const show = (): void => {
    setOpen(true);
    setActive(found.findIndex(({ id }) => id === value));
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
      else if (found.length > 0)
        setActive((active + step + found.length + (active < 0 && step < 0 ? 1 : 0)) % found.length);
    } else if (event.key === "Enter") {
      pick(open ? (found[active]?.id ?? typed ?? value) : (typed ?? value));
    } else if (event.key === "Escape" && open) close();
    else return;
    event.preventDefault();
    // The key was meant for the list, and for nothing around it.
    event.stopPropagation();
  };
  const type = (text: string): void => {
    setTyped(text);
    setOpen(true);
    setActive(-1);
  };
  const leave = (): void => {
    const meant = typed === undefined ? undefined : meantModel(models, typed);
    if (meant === undefined) close();
    else pick(meant);
  };
  return { typed, open, found, active, pick, show, press, type, leave };
}

const STEPS: Record<string, number | undefined> = { ArrowDown: 1, ArrowUp: -1 };

interface ChoicesProps {
  id: string;
  label: string;
  field: HTMLElement | null;
  found: readonly ModelInfo[];
  active: number;
  onPick: (model: string) => void;
}

/** Lies above everything, at the side of the field that has room. */
function Choices({ id, label, field, found, active, onPick }: ChoicesProps) {
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
      style={placeAt(field)}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      {found.map((model, index) => (
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
      {found.length === 0 && (
        <li className={styles["none"]} role="option" aria-selected={false} aria-disabled>
          None that the server lists. Enter asks for it all the same.
        </li>
      )}
    </ul>
  );
}

const GAP = 4;

function placeAt(field: HTMLElement | null): Record<string, number | string> {
  if (field === null) return {};
  const { left, top, bottom } = field.getBoundingClientRect();
  const above = top;
  const below = window.innerHeight - bottom;
  const isUp = below < 240 && above > below;
  const room = Math.max(120, Math.min(320, (isUp ? above : below) - 3 * GAP));
  const side = isUp ? { bottom: window.innerHeight - top + GAP, top: "auto" } : { top: bottom + GAP, bottom: "auto" };
  return { left: Math.max(GAP, Math.min(left, window.innerWidth - 260)), right: "auto", maxHeight: room, ...side };
}
