// Small choices that outlive a reload. Browsers that keep nothing for a page throw when they are asked.

export function readKept(name: string): string | undefined {
  try {
    return localStorage.getItem(`koine.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a choice; undefined forgets it. */
export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`koine.${name}`);
    else localStorage.setItem(`koine.${name}`, value);
  } catch {
    // Then it lasts as long as the tab does.
  }
}
