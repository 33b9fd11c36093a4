// The token that this browser sends: kept between visits, never part of an address. Tabs that share it hear of changes.
import type { PageEffects } from "./effects.ts";

const KEY = "koine.token";

/** Told with the token that was sent before. */
type TokenListener = (former: string | undefined) => void;

export class TokenKeeper {
  readonly #storage: PageEffects["storage"];
  readonly #listeners = new Set<TokenListener>();
  #token: string | undefined;
  #changes = 0;

  constructor(storage: PageEffects["storage"]) {
    this.#storage = storage;
    this.#token = this.#kept();
  }

  get(): string | undefined {
    return this.#token;
  }

  /** Another number with every change: what was asked in one epoch is no answer in the next. */
  get epoch(): number {
    return this.#changes;
  }

  set(token: string): void {
    this.#storage?.setItem(KEY, token);
    this.#change(token);
  }

  clear(): void {
    this.#storage?.removeItem(KEY);
    this.#change(undefined);
  }

  /** Another tab may have set or cleared it. */
  readAgain(): void {
    const token = this.#kept();
    if (token !== this.#token) this.#change(token);
  }

  subscribe(listener: TokenListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #kept(): string | undefined {
    const token = this.#storage?.getItem(KEY) ?? undefined;
    return token !== undefined && isSendable(token) ? token : undefined;
  }

  #change(token: string | undefined): void {
    const former = this.#token;
    this.#token = token;
    this.#changes++;
    for (const listener of this.#listeners) listener(former);
  }
}

/** Whether a header can hold it: a browser throws for most others, and changes the rest on their way. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}
