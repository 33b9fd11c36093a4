// Notifies modules with local data of the user, such as unsent drafts, when the token changes.

/** `hadToken`: a token was stored before, so local data may belong to another user. */
type TokenChangeListener = (hadToken: boolean) => void;

const listeners = new Set<TokenChangeListener>();

/** Calls the listener when the token is replaced or removed. */
export function onTokenChange(listener: TokenChangeListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function notifyTokenChange(hadToken: boolean): void {
  for (const listener of listeners) listener(hadToken);
}
