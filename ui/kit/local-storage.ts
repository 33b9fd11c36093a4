// Reads and writes small preferences in localStorage. Errors are caught, because browsers that deny storage throw on
// every access.

export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(`koine.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value; undefined removes the entry. */
export function writeStored(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`koine.${name}`);
    else localStorage.setItem(`koine.${name}`, value);
  } catch {
    // The browser denies storage, so the preference applies only until the tab is closed.
  }
}
