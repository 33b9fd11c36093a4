// Applies the color theme: light, dark or the theme of the system. localStorage stores the user's choice; theme.css
// defines the colors.
import { useSyncExternalStore } from "react";
import { writeStored, readStored } from "../kit/index.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = "theme";
const listeners = new Set<() => void>();
let theme: Theme = "system";

const parseTheme = (stored: string | null | undefined): Theme => THEMES.find((each) => each === stored) ?? "system";

/** Applies the stored theme. It is called before the first render, so that the page never flashes in a wrong theme. */
export function restoreTheme(): void {
  applyTheme(parseTheme(readStored(STORAGE_KEY)));
  window.addEventListener("storage", ({ key }) => {
    // Another tab has changed the theme, or has cleared the storage; then `key` is null.
    if (key === null || key.endsWith(STORAGE_KEY)) applyTheme(parseTheme(readStored(STORAGE_KEY)));
  });
}

export function chooseTheme(next: Theme): void {
  writeStored(STORAGE_KEY, next === "system" ? undefined : next);
  applyTheme(next);
}

function applyTheme(next: Theme): void {
  theme = next;
  const root = document.documentElement;
  if (next === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => theme);
}
