// Stores the API token in localStorage, which all tabs share. The token is never part of a URL.
import type { PageEffects } from "./effects.ts";

const STORAGE_KEY = "koine.token";

/** Called with the previous token; undefined if there was none. */
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

  /**
   * Number that grows with every token change; replies to requests that were sent in an earlier epoch are discarded.
   */
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

  /** Reads the token from localStorage again, because another tab may have changed it. */
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

/** True if the token has only visible ASCII characters. In headers, browsers reject or alter most other characters. */
export function isValidToken(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}
