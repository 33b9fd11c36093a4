// Tells modules that store data of the user in this tab, such as unsent drafts, that the token has changed.

/** `hadToken` is true if a token was stored before; then local data may belong to another user. */
type TokenChangeListener = (hadToken: boolean) => void;

const listeners = new Set<TokenChangeListener>();

/** Calls the listener when the token is set, replaced or removed. Returns a function that unsubscribes. */
export function onTokenChange(listener: TokenChangeListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function notifyTokenChange(hadToken: boolean): void {
  for (const listener of listeners) listener(hadToken);
}
