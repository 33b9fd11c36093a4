// Waits until a thread may have new rows. The wait ends when the store reports a change, when the poll interval has
// passed (the store may report late), or when the reader stops.
import { LedgerError } from "../errors.ts";
import type { LedgerStore, ThreadKey } from "../store/contract.ts";

/** The interval in milliseconds after which a reader checks for new rows even if the store has reported no change. */
const POLL_MS = 1000;

/**
 * The callbacks of each store's waiting readers, and those of `onStoreClose`. They are called before the store closes.
 */
const readersOfStore = new WeakMap<LedgerStore, Set<() => void>>();
const closedStores = new WeakSet<LedgerStore>();

/** Stops all readers of a store. Called before the store closes. */
export function closeReaders(store: LedgerStore): void {
  closedStores.add(store);
  for (const wake of readersOfStore.get(store) ?? []) wake();
}

/** Calls `callback` before the store closes. Returns a function that removes the callback. */
export function onStoreClose(store: LedgerStore, callback: () => void): () => void {
  const readers = readersOfStore.get(store) ?? new Set();
  readersOfStore.set(store, readers.add(callback));
  return () => void readers.delete(callback);
}

/** The lifetime of a reader. The lifetime ends when the reader's signal aborts or `end` is called. */
export class ReaderLifetime {
  readonly #signal: AbortSignal | undefined;
  #isEnded = false;
  readonly #callbacks = new Set<() => void>();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  get hasEnded(): boolean {
    return this.#isEnded || this.#signal?.aborted === true;
  }

  /** Ends the lifetime and calls the callbacks. */
  end(): void {
    this.#isEnded = true;
    for (const callback of this.#callbacks) callback();
  }

  /** Calls `callback` at the end of the lifetime. Returns a function that removes the callback. */
  onEnd(callback: () => void): () => void {
    this.#callbacks.add(callback);
    this.#signal?.addEventListener("abort", callback, { once: true });
    return () => {
      this.#callbacks.delete(callback);
      this.#signal?.removeEventListener("abort", callback);
    };
  }
}

/** Wakes one reader when its thread may have new rows. */
export class ThreadWakeups {
  readonly #store: LedgerStore;
  readonly #key: ThreadKey;
  readonly #lifetime: ReaderLifetime;
  #unwatch: (() => void) | undefined;
  #isPending = false;
  #wake: (() => void) | undefined;

  constructor(store: LedgerStore, key: ThreadKey, lifetime: ReaderLifetime) {
    this.#store = store;
    this.#key = key;
    this.#lifetime = lifetime;
  }

  /**
   * Resolves when the thread may have new rows; at once if rows were written since the last call. Throws "closed" when
   * the ledger closes.
   */
  async next(): Promise<void> {
    this.#assertOpen();
    if (this.#unwatch === undefined) {
      this.#unwatch = this.#store.watch(this.#key, () => this.#notify());
      // The first call returns at once, because rows may have been written before the watch began.
      return;
    }
    if (!this.#isPending && !this.#lifetime.hasEnded) await this.#waitForCall();
    this.#isPending = false;
    if (!this.#lifetime.hasEnded) this.#assertOpen();
  }

  #assertOpen(): void {
    if (closedStores.has(this.#store))
      throw new LedgerError("closed", "The ledger was closed; open it again, and follow from the last cursor.");
  }

  close(): void {
    this.#unwatch?.();
  }

  #notify(): void {
    this.#isPending = true;
    this.#wake?.();
  }

  async #waitForCall(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, POLL_MS);
    const removeCallback = this.#lifetime.onEnd(resolve);
    const readers = readersOfStore.get(this.#store) ?? new Set();
    readersOfStore.set(this.#store, readers.add(resolve));
    await promise;
    readers.delete(resolve);
    removeCallback();
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
