// Stores the id of the conversation that was just started, so that its composer takes the keyboard focus once.

let pendingThreadId: string | undefined;

export function requestFocus(threadId: string): void {
  pendingThreadId = threadId;
}

export function takePendingFocus(threadId: string): boolean {
  if (pendingThreadId !== threadId) return false;
  pendingThreadId = undefined;
  return true;
}
