// Waits until a thread may have new rows: until the store calls, the poll interval has passed (calls may be late), or
// the reader leaves.
import { LedgerError } from "../errors.ts";
import type { LedgerStore, ThreadKey } from "../store/contract.ts";

/** The interval after which a reader checks for new rows itself. */
const POLL_MS = 1000;

/** The waiting readers of each store; they are woken when it closes. */
const readersOfStore = new WeakMap<LedgerStore, Set<() => void>>();
const closedStores = new WeakSet<LedgerStore>();

/** Stops all readers of a store that is about to close. */
export function closeReaders(store: LedgerStore): void {
  closedStores.add(store);
  for (const wake of readersOfStore.get(store) ?? []) wake();
}

/** Calls `leave` when the store is about to close. Returns a function that removes the callback. */
export function onStoreClose(store: LedgerStore, leave: () => void): () => void {
  const readers = readersOfStore.get(store) ?? new Set();
  readersOfStore.set(store, readers.add(leave));
  return () => void readers.delete(leave);
}

/** The lifetime of a reader: ends at its signal or when it leaves. */
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

  /** Ends the lifetime, because the reader leaves. */
  end(): void {
    this.#isEnded = true;
    for (const leave of this.#callbacks) leave();
  }

  /** Calls `leave` at the end of the lifetime. Returns a function that removes the callback. */
  onEnd(leave: () => void): () => void {
    this.#callbacks.add(leave);
    this.#signal?.addEventListener("abort", leave, { once: true });
    return () => {
      this.#callbacks.delete(leave);
      this.#signal?.removeEventListener("abort", leave);
    };
  }
}

/** Wakes one reader of a thread. */
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
   * Resolves when there may be new rows, also if they came since the last call. Throws "closed" when the ledger closes.
   */
  async next(): Promise<void> {
    this.#assertOpen();
    if (this.#unwatch === undefined) {
      this.#unwatch = this.#store.watch(this.#key, () => this.#notify());
      // Rows may have been written before the watch began.
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
