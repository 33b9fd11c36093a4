// Holds the state of the dialog that asks for a token: closed, or open with a reason.
import { useSyncExternalStore } from "react";

/** "server" if the server requires a token; "reader" if the user has opened the dialog. */
export type TokenPromptReason = "server" | "reader";

let promptReason: TokenPromptReason | undefined;
const listeners = new Set<() => void>();

export function setTokenPrompt(next: TokenPromptReason | undefined): void {
  promptReason = next;
  for (const listener of listeners) listener();
}

export function openTokenPrompt(): void {
  setTokenPrompt("reader");
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useTokenPrompt(): TokenPromptReason | undefined {
  return useSyncExternalStore(subscribe, () => promptReason);
}
