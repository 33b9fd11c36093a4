// Small values that outlive a reload, in the browser's storage: of this tab, or of the browser. Where there is none, or it is
// full, they are not kept, and nothing else is different.

export interface Shelf {
  get(name: string): unknown;
  /** undefined removes. Says whether it is kept. */
  set(name: string, value: unknown): boolean;
}

const PREFIX = "koine.";

export function shelf(kind: "session" | "local"): Shelf {
  return {
    get(name) {
      try {
        const text = storageOf(kind)?.getItem(PREFIX + name) ?? null;
        return text === null ? undefined : (JSON.parse(text) as unknown);
      } catch {
        return undefined;
      }
    },
    set(name, value) {
      try {
        const storage = storageOf(kind);
        if (value === undefined) storage?.removeItem(PREFIX + name);
        else storage?.setItem(PREFIX + name, JSON.stringify(value));
        return storage !== undefined;
      } catch {
        return false;
      }
    },
  };
}

/** Reading the property alone throws where a browser forbids it. */
function storageOf(kind: "session" | "local"): Storage | undefined {
  return kind === "session" ? globalThis.sessionStorage : globalThis.localStorage;
}
