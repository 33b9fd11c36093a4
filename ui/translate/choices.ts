// Which columns are shown, and with which options. The choice of columns is remembered; what is translated never is.
import type { DialectId } from "koine";
import { useSyncExternalStore } from "react";
import { DIALECTS, FIRST_COLUMNS } from "./names.ts";

const KEY = "koine.columns";
const listeners = new Set<() => void>();
let chosen: readonly DialectId[] | undefined;

function remembered(): readonly DialectId[] {
  try {
    const kept = localStorage.getItem(KEY)?.split(" ") ?? [];
    const known = DIALECTS.filter((id) => kept.includes(id));
    return known.length > 0 ? known : FIRST_COLUMNS;
  } catch {
    // A browser may keep nothing.
    return FIRST_COLUMNS;
  }
}

function choose(columns: readonly DialectId[]): void {
  chosen = DIALECTS.filter((id) => columns.includes(id));
  try {
    localStorage.setItem(KEY, chosen.join(" "));
  } catch {
    // Then it holds until the page is left.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useColumnChoice(): [columns: readonly DialectId[], choose: (columns: readonly DialectId[]) => void] {
  return [useSyncExternalStore(subscribe, () => (chosen ??= remembered())), choose];
}
