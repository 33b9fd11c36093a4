// Keys of the page. One listener for all; the one that was registered last has a key, so that what lies on top decides.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { keep, readKept } from "./kept.ts";

export interface Shortcut {
  keys: readonly string[];
  description: string;
}

interface Registered extends Shortcut {
  /** It is done again while the key is held. */
  repeats: boolean;
  /** Gives false where it does not want the key after all. */
  action: (event: KeyboardEvent) => unknown;
}

let registered: readonly Registered[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Registered[]): void {
  registered = next;
  if (next.length > 0) {
    window.addEventListener("keydown", press);
    window.addEventListener("focusin", noteField);
  } else {
    window.removeEventListener("keydown", press);
    window.removeEventListener("focusin", noteField);
    leaving?.disconnect();
  }
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

// ---- Keys that are single signs ----

const KEPT = "single-keys";
let areSingleKeysOn: boolean | undefined;

/** Whether single signs do something by themselves: whoever dictates, or presses keys by mistake, can turn them off. */
function singleKeysOn(): boolean {
  return (areSingleKeysOn ??= readKept(KEPT) !== "off");
}

function turnSingleKeys(isOn: boolean): void {
  areSingleKeysOn = isOn;
  keep(KEPT, isOn ? undefined : "off");
  tell();
}

export function useSingleKeys(): [boolean, (isOn: boolean) => void] {
  return [useSyncExternalStore(subscribe, singleKeysOn), turnSingleKeys];
}

/** "r", "?", "shift+a": a sign without a key that only means something with others. */
export function isSingleKey(key: string): boolean {
  return /^(?:shift\+)?.$/u.test(key);
}

// ---- Fields that go while somebody types in them ----

/** What is typed so soon after its field went was meant for the field. */
const MOMENT_MS = 1500;
let lostAt = Number.NEGATIVE_INFINITY;
let leaving: MutationObserver | undefined;

function noteField({ target }: FocusEvent): void {
  leaving?.disconnect();
  if (!(target instanceof Element) || !target.matches(FIELDS)) return;
  leaving = new MutationObserver(() => {
    if (target.isConnected) return;
    lostAt = performance.now();
    leaving?.disconnect();
  });
  leaving.observe(document.body, { childList: true, subtree: true });
}

/** Nothing has the focus, because what had it is gone: whoever goes on typing does not mean the page. */
function isMeantForLostField({ target }: KeyboardEvent): boolean {
  if (target !== document.body || performance.now() - lostAt > MOMENT_MS) return false;
  lostAt = performance.now();
  return true;
}

// ---- Pressing ----

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

/** The key that did something last: while it is held, it is nobody else's. */
let taken: string | undefined;

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const typing = event.target instanceof Element && event.target.closest(FIELDS) !== null;
  if (typing && !key.startsWith("mod+")) return;
  if (isSingleKey(key) && (!singleKeysOn() || isMeantForLostField(event))) return;
  // A dialog, or a menu, has the keys to itself.
  if (document.querySelector("dialog:modal") !== null) return;
  if (event.repeat && taken === key) event.preventDefault();
  if (!event.repeat) taken = undefined;
  for (const { keys, action, repeats } of registered.toReversed()) {
    if (!keys.includes(key) || (event.repeat && !repeats) || action(event) === false) continue;
    event.preventDefault();
    taken = key;
    return;
  }
}

export interface ShortcutOptions {
  /** Done again and again while the key is held: only for what does no harm then. */
  repeats?: boolean;
}

/**
 * Does something on a key while the component is shown. `keys`: one, or several that do the same; "mod" is Ctrl or Cmd.
 * While something is typed only those with "mod" count. An action that gives false leaves the key to others.
 */
export function useShortcut(
  keys: string | readonly string[],
  action: (event: KeyboardEvent) => unknown,
  description: string,
  { repeats = false }: ShortcutOptions = {},
): void {
  const act = useEffectEvent(action);
  const written = typeof keys === "string" ? keys : keys.join(" ");
  useEffect(() => {
    const own: Registered = { keys: written.split(" "), description, repeats, action: (event) => act(event) };
    change([...registered, own]);
    return () => change(registered.filter((each) => each !== own));
  }, [written, description, repeats]);
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
