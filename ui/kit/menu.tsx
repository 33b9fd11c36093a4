// Shows a button that opens a menu in a popover, with keyboard navigation.
import { Fragment, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";
import kit from "./kit.module.css";
import styles from "./menu.module.css";

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  /** State of a radio item; undefined for other items. */
  checked?: boolean;
  /** True to show a separator above the item. */
  separated?: boolean;
  onSelect: () => void;
}

export interface MenuProps {
  /** Accessible name and tooltip of the button. */
  label: string;
  icon?: IconName;
  items: readonly MenuItem[];
  /** Content of the button instead of the icon. */
  children?: ReactNode;
  className?: string | undefined;
  /** -1 removes the button from the tab order. */
  tabIndex?: number;
}

export function Menu({ label, icon = "dots", items, children, className, tabIndex }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  // The items exist only while the menu is open, because a long list may have a menu in every row. So the first item
  // takes the focus in an effect.
  useEffect(() => {
    if (open && list.current !== null) moveFocus(list.current, "Home");
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
        onKeyDown={handleMenuKey}
      >
        {open &&
          items.map((item) => (
            <Fragment key={item.label}>
              {item.separated === true && <div role="separator" className={styles["separator"]} />}
              <MenuItemButton {...item} close={() => list.current?.hidePopover()} />
            </Fragment>
          ))}
      </div>
    </>
  );
}

function MenuItemButton({ label, icon, danger, disabled, checked, onSelect, close }: MenuItem & { close: () => void }) {
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

const NAVIGATION_KEYS = new Set(["ArrowDown", "ArrowUp", "Home", "End"]);

function handleMenuKey(event: KeyboardEvent<HTMLDivElement>): void {
  const menu = event.currentTarget;
  // Closing the menu returns the focus to its button, so that Tab continues from there.
  if (event.key === "Tab") return menu.hidePopover();
  if (NAVIGATION_KEYS.has(event.key)) {
    event.preventDefault();
    moveFocus(menu, event.key);
  } else if (event.key.length === 1 && event.key !== " ") {
    const typed = event.key.toLowerCase();
    listItems(menu)
      .find((item) => item.textContent.trim().toLowerCase().startsWith(typed))
      ?.focus();
  }
  // The menu has the focus, so its key events must not reach the shortcuts of the page.
  event.stopPropagation();
}

const listItems = (menu: HTMLElement): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];

function moveFocus(menu: HTMLElement, key: string): void {
  const items = listItems(menu);
  const at = items.findIndex((item) => item === document.activeElement);
  const next = key === "Home" ? 0 : key === "End" ? -1 : key === "ArrowDown" ? (at + 1) % items.length : at - 1;
  items.at(at === -1 && key === "ArrowUp" ? -1 : next)?.focus();
}
