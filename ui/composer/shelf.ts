// Values that outlive a reload of this tab. Where the browser keeps nothing for a page, or has no room, they do not, and
// nothing else is different.
import { onReader } from "../data/reader.ts";

export interface Shelf {
  get(name: string): unknown;
  /** undefined removes. Says whether it is kept. */
  set(name: string, value: unknown): boolean;
}

const PREFIX = "koine.";

export const tabShelf: Shelf = {
  get(name) {
    try {
      const text = sessionStorage.getItem(PREFIX + name);
      return text === null ? undefined : (JSON.parse(text) as unknown);
    } catch {
      return undefined;
    }
  },
  set(name, value) {
    try {
      if (value === undefined) sessionStorage.removeItem(PREFIX + name);
      else sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  },
};

const forgetting = new Set<() => void>();

/** Told when somebody else reads the page from now on: what is held of the shelf is not theirs. */
export function onForgotten(listener: () => void): void {
  forgetting.add(listener);
}

/** Everything that was written and not sent. */
function forgetWords(): void {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
    for (const name of names) sessionStorage.removeItem(name);
  } catch {
    // Then nothing is kept.
  }
  for (const listener of forgetting) listener();
}

onReader((isOther) => isOther && forgetWords());
