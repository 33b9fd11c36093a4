// Waiting for a thread to go on: until the store calls, until a while has passed (calls may be late), or until nobody
// wants to know any more.
import type { LedgerStore, ThreadKey } from "../store.ts";

/** Milliseconds after which a reader looks for itself. */
const POLL = 1000;

/** Whether a reader still wants to read. */
export class Interest {
  private readonly signal: AbortSignal | undefined;
  private hasLeft = false;
  private readonly leaving = new Set<() => void>();

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal;
  }

  get isOver(): boolean {
    return this.hasLeft || this.signal?.aborted === true;
  }

  /** The reader leaves. */
  end(): void {
    this.hasLeft = true;
    for (const leave of this.leaving) leave();
  }

  /** Calls back when the interest ends; the returned function takes that back. */
  onEnd(leave: () => void): () => void {
    this.leaving.add(leave);
    this.signal?.addEventListener("abort", leave, { once: true });
    return () => {
      this.leaving.delete(leave);
      this.signal?.removeEventListener("abort", leave);
    };
  }
}

export class Wakeups {
  private readonly store: LedgerStore;
  private readonly key: ThreadKey;
  private readonly interest: Interest;
  private unwatch: (() => void) | undefined;
  private isCalled = false;
  private wake: (() => void) | undefined;

  constructor(store: LedgerStore, key: ThreadKey, interest: Interest) {
    this.store = store;
    this.key = key;
    this.interest = interest;
  }

  /** Resolves when there may be something to read. What came since the last call counts. */
  async next(): Promise<void> {
    if (this.unwatch === undefined) {
      this.unwatch = this.store.watch(this.key, () => this.call());
      // Something may have come before the watch began.
      return;
    }
    if (!this.isCalled && !this.interest.isOver) await this.called();
    this.isCalled = false;
  }

  close(): void {
    this.unwatch?.();
  }

  private call(): void {
    this.isCalled = true;
    this.wake?.();
  }

  private async called(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake = resolve;
    const timer = setTimeout(resolve, POLL);
    const stay = this.interest.onEnd(resolve);
    await promise;
    stay();
    clearTimeout(timer);
    this.wake = undefined;
  }
}
