// Moves the keyboard focus into the composer of a conversation that was just started, once.

let pendingThreadId: string | undefined;

export function requestFocus(threadId: string): void {
  pendingThreadId = threadId;
}

export function takePendingFocus(threadId: string): boolean {
  if (pendingThreadId !== threadId) return false;
  pendingThreadId = undefined;
  return true;
}
