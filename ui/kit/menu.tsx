// A menu behind a button: a popover of the browser, placed beside its button, walked with the arrow keys.
import { Fragment, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";
import kit from "./kit.module.css";
import styles from "./menu.module.css";

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  /** Of a choice among several: whether it is the one. */
  checked?: boolean;
  /** A line above it: what follows is of another kind. */
  separated?: boolean;
  onSelect: () => void;
}

export interface MenuProps {
  /** The accessible name of the button, and its tooltip. */
  label: string;
  icon?: IconName;
  items: readonly MenuItem[];
  /** The button's content where a sign is not enough. */
  children?: ReactNode;
  className?: string | undefined;
  /** Of the button: -1 where Tab is not to stop at it. */
  tabIndex?: number;
}

export function Menu({ label, icon = "dots", items, children, className, tabIndex }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  // Its items are there only while it is open: a long list may have a menu in every row.
  useEffect(() => {
    if (open && list.current !== null) move(list.current, "Home");
  }, [open]);
  const shape = children === undefined ? kit["iconButton"] : `${kit["button"]} ${kit["plain"]}`;
  return (
    <>
      <button
        type="button"
        className={[shape, className].filter(Boolean).join(" ")}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        popoverTarget={id}
        tabIndex={tabIndex}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          list.current?.showPopover({ source: event.currentTarget });
        }}
      >
        {children ?? <Icon name={icon} />}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        className={styles["menu"]}
        onToggle={(event) => setOpen(event.newState === "open")}
        onKeyDown={walk}
      >
        {open &&
          items.map((item) => (
            <Fragment key={item.label}>
              {item.separated === true && <div role="separator" className={styles["separator"]} />}
              <Item {...item} close={() => list.current?.hidePopover()} />
            </Fragment>
          ))}
      </div>
    </>
  );
}

function Item({ label, icon, danger, disabled, checked, onSelect, close }: MenuItem & { close: () => void }) {
  const role = checked === undefined ? { role: "menuitem" } : { role: "menuitemradio", "aria-checked": checked };
  return (
    <button
      type="button"
      {...role}
      tabIndex={-1}
      className={styles["item"]}
      data-danger={danger}
      aria-disabled={disabled}
      onClick={() => {
        if (disabled === true) return;
        close();
        onSelect();
      }}
    >
      {icon === undefined ? <span className={styles["blank"]} /> : <Icon name={icon} size={16} />}
      <span>{label}</span>
      {checked === true && <Icon name="check" size={16} />}
    </button>
  );
}

const MOVES = new Set(["ArrowDown", "ArrowUp", "Home", "End"]);

function walk(event: KeyboardEvent<HTMLDivElement>): void {
  const menu = event.currentTarget;
  // Whoever leaves by Tab goes on from the button.
  if (event.key === "Tab") return menu.hidePopover();
  if (MOVES.has(event.key)) {
    event.preventDefault();
    move(menu, event.key);
  } else if (event.key.length === 1 && event.key !== " ") {
    const typed = event.key.toLowerCase();
    itemsOf(menu)
      .find((item) => item.textContent.trim().toLowerCase().startsWith(typed))
      ?.focus();
  }
  // Keys of the page mean nothing while a menu is open.
  event.stopPropagation();
}

const itemsOf = (menu: HTMLElement): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];

function move(menu: HTMLElement, key: string): void {
  const items = itemsOf(menu);
  const at = items.findIndex((item) => item === document.activeElement);
  const next = key === "Home" ? 0 : key === "End" ? -1 : key === "ArrowDown" ? (at + 1) % items.length : at - 1;
  items.at(at === -1 && key === "ArrowUp" ? -1 : next)?.focus();
}
