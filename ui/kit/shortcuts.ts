// Handles the keyboard shortcuts of the page with one event listener. If several shortcuts use the same key, the last
// registered one is tried first, so that the topmost view takes precedence.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { writeStored, readStored } from "./local-storage.ts";

export interface Shortcut {
  keys: readonly string[];
  description: string;
}

interface RegisteredShortcut extends Shortcut {
  /** True if the action runs repeatedly while the key is held down. */
  repeats: boolean;
  /** Runs the shortcut. If it returns false, other shortcuts with the same key are tried. */
  action: (event: KeyboardEvent) => unknown;
}

let registered: readonly RegisteredShortcut[] = [];
const listeners = new Set<() => void>();

function setRegistered(next: readonly RegisteredShortcut[]): void {
  registered = next;
  if (next.length > 0) {
    window.addEventListener("keydown", handleKeyDown);
    window.addEventListener("focusin", observeField);
  } else {
    window.removeEventListener("keydown", handleKeyDown);
    window.removeEventListener("focusin", observeField);
    fieldObserver?.disconnect();
  }
  notifyListeners();
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

// ---- Single-character keys ----

const STORAGE_KEY = "single-keys";
let areSingleKeysOn: boolean | undefined;

/**
 * True if shortcuts of a single character are enabled. Users of speech input can disable them, because dictated words
 * would trigger them.
 */
function isSingleKeyEnabled(): boolean {
  return (areSingleKeysOn ??= readStored(STORAGE_KEY) !== "off");
}

function enableSingleKeys(isOn: boolean): void {
  areSingleKeysOn = isOn;
  writeStored(STORAGE_KEY, isOn ? undefined : "off");
  notifyListeners();
}

export function useSingleKeys(): [boolean, (isOn: boolean) => void] {
  return [useSyncExternalStore(subscribe, isSingleKeyEnabled), enableSingleKeys];
}

/** True for keys such as "r", "?", "shift+a", without Ctrl, Cmd or Alt. */
export function isSingleKey(key: string): boolean {
  return /^(?:shift\+)?.$/u.test(key);
}

// ---- Text fields that disappear while the user types ----

/** Time after a text field has disappeared during which typed keys are ignored: the user meant them for the field. */
const LOST_FIELD_MS = 1500;
let lostAt = Number.NEGATIVE_INFINITY;
let fieldObserver: MutationObserver | undefined;

function observeField({ target }: FocusEvent): void {
  fieldObserver?.disconnect();
  if (!(target instanceof Element) || !target.matches(TEXT_FIELDS)) return;
  fieldObserver = new MutationObserver(() => {
    if (target.isConnected) return;
    lostAt = performance.now();
    fieldObserver?.disconnect();
  });
  fieldObserver.observe(document.body, { childList: true, subtree: true });
}

/**
 * True if no element has the focus and a text field has disappeared within the last `LOST_FIELD_MS`. Each ignored key
 * starts this time again.
 */
function followsLostField({ target }: KeyboardEvent): boolean {
  if (target !== document.body || performance.now() - lostAt > LOST_FIELD_MS) return false;
  lostAt = performance.now();
  return true;
}

// ---- Key events ----

/** Returns the key of an event in the format of `useShortcut`: "mod+k", "shift+Enter", "?", "Escape". */
export function formatKeyEvent(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // "shift" is omitted for characters without case, such as "?", because some keyboards need Shift to type them.
  const shift = event.shiftKey && (event.key.length > 1 || event.key.toLowerCase() !== event.key.toUpperCase());
  return [(event.ctrlKey || event.metaKey) && "mod", event.altKey && "alt", shift && "shift", key]
    .filter(Boolean)
    .join("+");
}

/** Selector of elements in which keys enter text. */
const TEXT_FIELDS =
  "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable], [role=textbox]";

/** The key that last triggered an action. While it is held down, its repeated events trigger no browser action. */
let handledKey: string | undefined;

function handleKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = formatKeyEvent(event);
  const typing = event.target instanceof Element && event.target.closest(TEXT_FIELDS) !== null;
  if (typing && !key.startsWith("mod+")) return;
  if (isSingleKey(key) && (!isSingleKeyEnabled() || followsLostField(event))) return;
  // While a modal dialog is open, only the dialog handles keys.
  if (document.querySelector("dialog:modal") !== null) return;
  if (event.repeat && handledKey === key) event.preventDefault();
  if (!event.repeat) handledKey = undefined;
  for (const { keys, action, repeats } of registered.toReversed()) {
    if (!keys.includes(key) || (event.repeat && !repeats) || action(event) === false) continue;
    event.preventDefault();
    handledKey = key;
    return;
  }
}

export interface ShortcutOptions {
  /** True to repeat the action while the key is held down; only for harmless actions. */
  repeats?: boolean;
}

/**
 * Runs an action when one of the equivalent `keys` is pressed, while the component is mounted; "mod" is Ctrl or Cmd. In
 * text fields only keys with "mod" are handled. If the action returns false, other shortcuts with the key are tried.
 */
export function useShortcut(
  keys: string | readonly string[],
  action: (event: KeyboardEvent) => unknown,
  description: string,
  { repeats = false }: ShortcutOptions = {},
): void {
  const runAction = useEffectEvent(action);
  const keysText = typeof keys === "string" ? keys : keys.join(" ");
  useEffect(() => {
    const shortcut: RegisteredShortcut = {
      keys: keysText.split(" "),
      description,
      repeats,
      action: (event) => runAction(event),
    };
    setRegistered([...registered, shortcut]);
    return () => setRegistered(registered.filter((each) => each !== shortcut));
  }, [keysText, description, repeats]);
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Returns all active shortcuts, for the help dialog. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => registered);
}

const KEY_NAMES: Record<string, string> = {
  mod: /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? "") ? "⌘" : "Ctrl",
  shift: "Shift",
  alt: "Alt",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

/** Returns the names of the keys for display, such as ["Ctrl", "K"] for "mod+k". */
export function listKeyNames(keys: string): string[] {
  return keys
    .split(/\+(?!$)/)
    .map((key) => KEY_NAMES[key] ?? (key.length === 1 && keys.length > 1 ? key.toUpperCase() : key));
}
