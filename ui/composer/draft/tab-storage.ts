// JSON values in sessionStorage, which survive a reload of the tab. If the browser denies storage or it is full, values
// are lost on reload, without an error.
import { onTokenChange } from "../../data/token-change.ts";

export interface TabStorage {
  get(name: string): unknown;
  /** undefined removes the entry. Returns false if the value could not be stored. */
  set(name: string, value: unknown): boolean;
}

const KEY_PREFIX = "koine.";

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

/** Calls the listener after the storage was cleared for another user; cached values must be dropped. */
export function onTabStorageCleared(listener: () => void): void {
  clearListeners.add(listener);
}

/** Deletes all entries of this tab: unsent messages and drafts. */
function clearTabStorage(): void {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(KEY_PREFIX));
    for (const name of names) sessionStorage.removeItem(name);
  } catch {
    // Storage is denied, so it contains nothing.
  }
  for (const listener of clearListeners) listener();
}

onTokenChange((isOther) => isOther && clearTabStorage());
