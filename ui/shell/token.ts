// Whether the server wants a token, and whether this browser has one. The token itself is the data's to keep.
import { useSyncExternalStore } from "react";
import { useApi } from "../data/hooks.ts";

/** Why the page asks: the server wants one, or the reader does. */
export type Asking = "server" | "reader";

let asking: Asking | undefined;
const listeners = new Set<() => void>();

export function setAsking(next: Asking | undefined): void {
  asking = next;
  for (const listener of listeners) listener();
}

export function askForToken(): void {
  setAsking("reader");
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useAsking(): Asking | undefined {
  return useSyncExternalStore(subscribe, () => asking);
}

export function useToken(): { isKept: boolean; forget: () => void } {
  const { token } = useApi();
  const isKept = useSyncExternalStore(
    (listener) => token.subscribe(listener),
    () => token.get() !== undefined,
  );
  return { isKept, forget: () => token.clear() };
}
