// Stores JSON values in sessionStorage, so that they survive a reload of the tab. If the browser denies storage or the
// storage is full, a reload loses the values; no error is thrown.
import { onTokenChange } from "../../data/token-change.ts";

export interface TabStorage {
  get(name: string): unknown;
  /**
   * Stores a value; undefined removes the entry. Returns false if the browser did not store the value. While the page
   * is unloaded, the stored value stays, and the function returns true.
   */
  set(name: string, value: unknown): boolean;
}

const KEY_PREFIX = "koine.";

/**
 * True while the browser closes or reloads the page. The unload breaks off requests, and their errors look like
 * rejections of the server. Values are not stored then, so that the next page continues the interrupted requests.
 */
let isUnloading = false;
// Node, which runs the tests of modules that import this file, has no window.
globalThis.addEventListener?.("pagehide", () => (isUnloading = true));
// The browser can show a closed page again, for example after "Back".
globalThis.addEventListener?.("pageshow", () => (isUnloading = false));

export const tabStorage: TabStorage = {
  get(name) {
    try {
      const text = sessionStorage.getItem(KEY_PREFIX + name);
      return text === null ? undefined : (JSON.parse(text) as unknown);
    } catch {
      return undefined;
    }
  },
  set(name, value) {
    if (isUnloading) return true;
    try {
      if (value === undefined) sessionStorage.removeItem(KEY_PREFIX + name);
      else sessionStorage.setItem(KEY_PREFIX + name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  },
};

const clearListeners = new Set<() => void>();

/** Calls the listener after the storage was cleared for another user, so that modules discard their cached values. */
export function onTabStorageCleared(listener: () => void): void {
  clearListeners.add(listener);
}

/** Deletes the page's entries of this tab (unsent messages and drafts), and calls the listeners. */
function clearTabStorage(): void {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(KEY_PREFIX));
    for (const name of names) sessionStorage.removeItem(name);
  } catch {
    // The browser denies storage, so there are no entries to delete.
  }
  for (const listener of clearListeners) listener();
}

onTokenChange((isOther) => isOther && clearTabStorage());
