// Small preferences in localStorage. Browsers that deny storage throw when it is accessed.

export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(`koine.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** undefined removes the entry. */
export function writeStored(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`koine.${name}`);
    else localStorage.setItem(`koine.${name}`, value);
  } catch {
    // The preference is then valid until the tab is closed.
  }
}
