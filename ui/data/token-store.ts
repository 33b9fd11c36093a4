// The API token in localStorage, shared by all tabs; it is never part of a URL.
import type { PageEffects } from "./effects.ts";

const STORAGE_KEY = "koine.token";

/** Called with the previous token. */
type TokenListener = (previous: string | undefined) => void;

export class TokenStore {
  readonly #storage: PageEffects["storage"];
  readonly #listeners = new Set<TokenListener>();
  #token: string | undefined;
  #epoch = 0;

  constructor(storage: PageEffects["storage"]) {
    this.#storage = storage;
    this.#token = this.#readStorage();
  }

  get(): string | undefined {
    return this.#token;
  }

  /** Grows with every token change; replies to requests of an earlier epoch are discarded. */
  get epoch(): number {
    return this.#epoch;
  }

  set(token: string): void {
    this.#storage?.setItem(STORAGE_KEY, token);
    this.#change(token);
  }

  clear(): void {
    this.#storage?.removeItem(STORAGE_KEY);
    this.#change(undefined);
  }

  /** Reads the storage again after another tab may have changed it. */
  syncFromStorage(): void {
    const token = this.#readStorage();
    if (token !== this.#token) this.#change(token);
  }

  subscribe(listener: TokenListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #readStorage(): string | undefined {
    const token = this.#storage?.getItem(STORAGE_KEY) ?? undefined;
    return token !== undefined && isValidToken(token) ? token : undefined;
  }

  #change(token: string | undefined): void {
    const previous = this.#token;
    this.#token = token;
    this.#epoch++;
    for (const listener of this.#listeners) listener(previous);
  }
}

/** True if an HTTP header can carry the token: browsers throw for most other characters and alter the rest. */
export function isValidToken(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}
