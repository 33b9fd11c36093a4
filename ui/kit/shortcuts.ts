// Keyboard shortcuts of the page. One listener for all; the last registered shortcut wins, so that the topmost view
// decides.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { writeStored, readStored } from "./local-storage.ts";

export interface Shortcut {
  keys: readonly string[];
  description: string;
}

interface RegisteredShortcut extends Shortcut {
  /** The action is repeated while the key is held. */
  repeats: boolean;
  /** Returning false leaves the key to other shortcuts. */
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

/** True if single-character shortcuts are enabled; they can be disabled for dictation or against accidental keys. */
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

// ---- Fields that disappear during typing ----

/** Keys typed this soon after their field disappeared were meant for the field. */
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

/** True if nothing has the focus because a text field has just disappeared. */
function followsLostField({ target }: KeyboardEvent): boolean {
  if (target !== document.body || performance.now() - lostAt > LOST_FIELD_MS) return false;
  lostAt = performance.now();
  return true;
}

// ---- Key events ----

/** Formats a key event as in `useShortcut`: "mod+k", "shift+Enter", "?", "Escape". */
export function formatKeyEvent(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // Shift is only needed to type characters such as "?".
  const shift = event.shiftKey && (event.key.length > 1 || event.key.toLowerCase() !== event.key.toUpperCase());
  return [(event.ctrlKey || event.metaKey) && "mod", event.altKey && "alt", shift && "shift", key]
    .filter(Boolean)
    .join("+");
}

/** Elements in which keys enter text. */
const TEXT_FIELDS =
  "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable], [role=textbox]";

/** The key that triggered an action; while it is held, it triggers nothing else. */
let handledKey: string | undefined;

function handleKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = formatKeyEvent(event);
  const typing = event.target instanceof Element && event.target.closest(TEXT_FIELDS) !== null;
  if (typing && !key.startsWith("mod+")) return;
  if (isSingleKey(key) && (!isSingleKeyEnabled() || followsLostField(event))) return;
  // A modal dialog handles its own keys.
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
  /** Repeats the action while the key is held; only for harmless actions. */
  repeats?: boolean;
}

/**
 * Runs an action on a key while the component is mounted. `keys`: one or several equivalent keys; "mod" is Ctrl or Cmd.
 * In text fields only keys with "mod" are handled. An action that returns false leaves the key to others.
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

/** Returns the key names of "mod+k" for display: ["Ctrl", "K"]. */
export function listKeyNames(keys: string): string[] {
  return keys
    .split(/\+(?!$)/)
    .map((key) => KEY_NAMES[key] ?? (key.length === 1 && keys.length > 1 ? key.toUpperCase() : key));
}
