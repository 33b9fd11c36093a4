// Waiting for a thread to go on: until the store calls, until a while has passed (calls may be late), or until nobody
// wants to know any more.
import { LedgerError } from "../errors.ts";
import type { LedgerStore, ThreadKey } from "../store.ts";

/** Milliseconds after which a reader looks for itself. */
const POLL = 1000;

/** The readers of each store that wait, to be woken when it closes. */
const waiting = new WeakMap<LedgerStore, Set<() => void>>();
const closed = new WeakSet<LedgerStore>();

/** Readers of a store stop at once: it is about to be closed. */
export function closeReaders(store: LedgerStore): void {
  closed.add(store);
  for (const wake of waiting.get(store) ?? []) wake();
}

/** Calls back when the store is about to be closed; the returned function takes that back. */
export function whenClosed(store: LedgerStore, leave: () => void): () => void {
  const readers = waiting.get(store) ?? new Set();
  waiting.set(store, readers.add(leave));
  return () => void readers.delete(leave);
}

/** Whether a reader still wants to read. */
export class Interest {
  readonly #signal: AbortSignal | undefined;
  #hasLeft = false;
  readonly #leaving = new Set<() => void>();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  get isOver(): boolean {
    return this.#hasLeft || this.#signal?.aborted === true;
  }

  /** The reader leaves. */
  end(): void {
    this.#hasLeft = true;
    for (const leave of this.#leaving) leave();
  }

  /** Calls back when the interest ends; the returned function takes that back. */
  onEnd(leave: () => void): () => void {
    this.#leaving.add(leave);
    this.#signal?.addEventListener("abort", leave, { once: true });
    return () => {
      this.#leaving.delete(leave);
      this.#signal?.removeEventListener("abort", leave);
    };
  }
}

export class Wakeups {
  readonly #store: LedgerStore;
  readonly #key: ThreadKey;
  readonly #interest: Interest;
  #unwatch: (() => void) | undefined;
  #isCalled = false;
  #wake: (() => void) | undefined;

  constructor(store: LedgerStore, key: ThreadKey, interest: Interest) {
    this.#store = store;
    this.#key = key;
    this.#interest = interest;
  }

  /** Resolves when there may be something to read. What came since the last call counts. Throws where the ledger closes. */
  async next(): Promise<void> {
    this.#demandOpen();
    if (this.#unwatch === undefined) {
      this.#unwatch = this.#store.watch(this.#key, () => this.#call());
      // Something may have come before the watch began.
      return;
    }
    if (!this.#isCalled && !this.#interest.isOver) await this.#called();
    this.#isCalled = false;
    if (!this.#interest.isOver) this.#demandOpen();
  }

  #demandOpen(): void {
    if (closed.has(this.#store)) throw new LedgerError("closed", "The ledger was closed; open it again and follow on.");
  }

  close(): void {
    this.#unwatch?.();
  }

  #call(): void {
    this.#isCalled = true;
    this.#wake?.();
  }

  async #called(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, POLL);
    const stay = this.#interest.onEnd(resolve);
    const readers = waiting.get(this.#store) ?? new Set();
    waiting.set(this.#store, readers.add(resolve));
    await promise;
    readers.delete(resolve);
    stay();
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
