// Who reads: told to those who hold something that is not the server's, such as words that were written and not sent.

/** `isOther`: there was a token before, and what was written with it is not for those who read now. */
type ReaderListener = (isOther: boolean) => void;

const listeners = new Set<ReaderListener>();

/** Told when another token is used, or none. */
export function onReader(listener: ReaderListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellReader(isOther: boolean): void {
  for (const listener of listeners) listener(isOther);
}
