// Whether the screen is as a question of CSS has it; for what CSS alone cannot change, such as what is the main part.
import { useCallback, useSyncExternalStore } from "react";

/** Where the side is a drawer; frame.module.css says the same. */
export const NARROW = "(width <= 48rem)";

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
