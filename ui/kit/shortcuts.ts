// Keys of the page. One listener for all; the one that was registered last has a key, so that what lies on top decides.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

export interface Shortcut {
  keys: readonly string[];
  description: string;
}

interface Registered extends Shortcut {
  /** Gives false where it does not want the key after all. */
  action: (event: KeyboardEvent) => unknown;
}

let registered: readonly Registered[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Registered[]): void {
  registered = next;
  if (next.length > 0) window.addEventListener("keydown", press);
  else window.removeEventListener("keydown", press);
  for (const listener of listeners) listener();
}

/** A key as it is written in `useShortcut`: "mod+k", "shift+Enter", "?", "Escape". */
export function keyOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // Of signs such as "?", Shift is only how they are typed.
  const shift = event.shiftKey && (event.key.length > 1 || event.key.toLowerCase() !== event.key.toUpperCase());
  return [(event.ctrlKey || event.metaKey) && "mod", event.altKey && "alt", shift && "shift", key]
    .filter(Boolean)
    .join("+");
}

/** Where keys are letters. */
const FIELDS =
  "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable], [role=textbox]";

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const typing = event.target instanceof Element && event.target.closest(FIELDS) !== null;
  if (typing && !key.startsWith("mod+")) return;
  // A dialog, or a menu, has the keys to itself.
  if (document.querySelector("dialog:modal") !== null) return;
  for (const { keys, action } of registered.toReversed()) {
    if (!keys.includes(key) || action(event) === false) continue;
    event.preventDefault();
    return;
  }
}

/**
 * Does something on a key while the component is shown. `keys`: one, or several that do the same; "mod" is Ctrl or Cmd.
 * While something is typed only those with "mod" count. An action that gives false leaves the key to others.
 */
export function useShortcut(
  keys: string | readonly string[],
  action: (event: KeyboardEvent) => unknown,
  description: string,
): void {
  const act = useEffectEvent(action);
  const written = typeof keys === "string" ? keys : keys.join(" ");
  useEffect(() => {
    const own: Registered = { keys: written.split(" "), description, action: (event) => act(event) };
    change([...registered, own]);
    return () => change(registered.filter((each) => each !== own));
  }, [written, description]);
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Every key that does something now, for the dialog that tells of them. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => registered);
}

const NAMES: Record<string, string> = {
  mod: /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? "") ? "⌘" : "Ctrl",
  shift: "Shift",
  alt: "Alt",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

/** "mod+k" as it stands on keys: ["Ctrl", "K"]. */
export function keyNames(keys: string): string[] {
  return keys
    .split(/\+(?!$)/)
    .map((key) => NAMES[key] ?? (key.length === 1 && keys.length > 1 ? key.toUpperCase() : key));
}
