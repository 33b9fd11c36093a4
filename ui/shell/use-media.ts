// Hook for media queries, for changes that CSS alone cannot make.
import { useCallback, useSyncExternalStore } from "react";

/** Below this width the sidebar is a drawer; frame.module.css has the same value. */
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
