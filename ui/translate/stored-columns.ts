// Stores the user's choice of the dialects that are shown as columns in localStorage. Payloads are never stored.
import type { DialectId } from "koine";
import { useSyncExternalStore } from "react";
import { DIALECTS, DEFAULT_COLUMNS } from "./dialect-names.ts";

const STORAGE_KEY = "koine.columns";
const listeners = new Set<() => void>();
let shownColumns: readonly DialectId[] | undefined;

function readStoredColumns(): readonly DialectId[] {
  try {
    const storedIds = localStorage.getItem(STORAGE_KEY)?.split(" ") ?? [];
    const knownIds = DIALECTS.filter((id) => storedIds.includes(id));
    return knownIds.length > 0 ? knownIds : DEFAULT_COLUMNS;
  } catch {
    // A browser that denies storage throws on the read above; then the default columns are shown.
    return DEFAULT_COLUMNS;
  }
}

function setColumns(next: readonly DialectId[]): void {
  shownColumns = DIALECTS.filter((id) => next.includes(id));
  try {
    localStorage.setItem(STORAGE_KEY, shownColumns.join(" "));
  } catch {
    // The browser denies storage, so the choice applies only until the page is closed.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useColumnChoice(): [columns: readonly DialectId[], choose: (columns: readonly DialectId[]) => void] {
  return [useSyncExternalStore(subscribe, () => (shownColumns ??= readStoredColumns())), setColumns];
}
