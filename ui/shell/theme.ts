// Light, dark, or whatever the system says. The choice is kept in this browser; the colours are theme.css's to know.
import { useSyncExternalStore } from "react";
import { keep, readKept } from "../kit/index.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const NAME = "theme";
const listeners = new Set<() => void>();
let theme: Theme = "system";

const themeOf = (kept: string | null | undefined): Theme => THEMES.find((each) => each === kept) ?? "system";

/** Called before the first view is drawn, so that it never flashes in the other scheme. */
export function restoreTheme(): void {
  show(themeOf(readKept(NAME)));
  window.addEventListener("storage", ({ key }) => {
    // Another tab has chosen, or cleared everything.
    if (key === null || key.endsWith(NAME)) show(themeOf(readKept(NAME)));
  });
}

export function chooseTheme(next: Theme): void {
  keep(NAME, next === "system" ? undefined : next);
  show(next);
}

function show(next: Theme): void {
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
