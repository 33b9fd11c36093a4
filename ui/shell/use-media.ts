// Hook that returns whether a media query matches, for changes that CSS alone cannot make.
import { useCallback, useSyncExternalStore } from "react";

/** Media query of screens on which the sidebar is a drawer; frame.module.css uses the same width. */
export const NARROW_SCREEN = "(width <= 48rem)";

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
