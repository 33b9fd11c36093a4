// Whether the page asks for a token now, and why.
import { useSyncExternalStore } from "react";

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
