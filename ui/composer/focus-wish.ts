// Whoever begins a conversation goes on writing in it: the field there is to have the focus, once.

let wished: string | undefined;

export function wishFocus(threadId: string): void {
  wished = threadId;
}

export function takeFocusWish(threadId: string): boolean {
  if (wished !== threadId) return false;
  wished = undefined;
  return true;
}
