// Watches the threads of a tenant and yields their changes. The same change of the same thread is made readable at most
// once per interval, and it is yielded once if the reader did not read it in the meantime. A reader with too many
// unread changes is stopped with "busy".
import { LedgerError } from "../errors.ts";
import { onStoreClose } from "../follow/index.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadChange, WatchOptions } from "./types.ts";

/** The time in milliseconds between two moments at which collected changes become readable. */
const INTERVAL_MS = 250;
/** The maximum number of unread changes per reader. */
const MAX_PENDING_CHANGES = 10_000;

/**
 * Returns an iterator over the changes of the tenant's threads. The promise resolves when watching has started; all
 * later changes are yielded.
 */
export async function watchThreads(
  scope: LedgerScope,
  { signal }: WatchOptions = {},
): Promise<AsyncIterableIterator<ThreadChange>> {
  const iterator = new ThreadChangeIterator();
  const unwatch = await scope.store.watchThreads(scope.tenant, (changes) => iterator.add(changes));
  const endIterator = (): void => iterator.end();
  const closed = (): void =>
    iterator.fail(new LedgerError("closed", "The ledger was closed; open it again, and watch again."));
  const removeCallback = onStoreClose(scope.store, closed);
  signal?.addEventListener("abort", endIterator, { once: true });
  iterator.onEnd = () => {
    unwatch();
    removeCallback();
    signal?.removeEventListener("abort", endIterator);
  };
  if (signal?.aborted === true) endIterator();
  return iterator;
}

type ThreadChangeResult = IteratorResult<ThreadChange, void>;

class ThreadChangeIterator implements AsyncIterableIterator<ThreadChange, void> {
  onEnd: () => void = () => undefined;
  /**
   * The changes that `next` can return now, by change and thread id, so that equal changes of a thread are returned
   * once.
   */
  readonly #ready = new Map<string, ThreadChange>();
  /**
   * The changes that were added during the current interval and become readable at its end, by change and thread id.
   */
  readonly #waiting = new Map<string, ThreadChange>();
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;
  #error: LedgerError | undefined;

  [Symbol.asyncIterator](): this {
    return this;
  }

  add(changes: readonly ThreadChange[]): void {
    if (this.#hasEnded) return;
    for (const change of changes) moveToEnd(this.#waiting, change);
    if (this.#timer === undefined) this.#release();
    if (this.#ready.size <= MAX_PENDING_CHANGES && this.#waiting.size <= MAX_PENDING_CHANGES) return;
    const message = "Too many changes are unread; read the list of threads, and watch again.";
    this.fail(new LedgerError("busy", message));
  }

  /** Returns the next change. Concurrent calls are processed one after the other. */
  next(): Promise<ThreadChangeResult> {
    const next = this.#reading.then(() => this.#next());
    this.#reading = next.catch(() => undefined);
    return next;
  }

  async #next(): Promise<ThreadChangeResult> {
    while (this.#ready.size === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#error !== undefined) throw this.#error;
    const [first] = this.#ready;
    if (this.#hasEnded || first === undefined) return { done: true, value: undefined };
    this.#ready.delete(first[0]);
    return { done: false, value: first[1] };
  }

  async return(): Promise<ThreadChangeResult> {
    this.end();
    return { done: true, value: undefined };
  }

  fail(error: LedgerError): void {
    if (!this.#hasEnded) this.#error = error;
    this.end();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#ready.clear();
    this.#waiting.clear();
    this.onEnd();
    this.#wake?.();
  }

  /** Makes waiting changes readable and starts the next interval. */
  #release(): void {
    for (const change of this.#waiting.values()) moveToEnd(this.#ready, change);
    this.#waiting.clear();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.size > 0) this.#release();
    }, INTERVAL_MS).unref();
    this.#wake?.();
  }
}

/** Maps a kind of change to the opposite kind: an unread earlier change of the opposite kind is removed. */
const OPPOSITES: Partial<Record<ThreadChange["change"], ThreadChange["change"]>> = {
  created: "deleted",
  deleted: "created",
};

/**
 * Adds a change at the end of the map. Removes an equal earlier change of the thread, and also the opposite one: if a
 * thread was deleted and created again, only "created" is left, because the thread exists.
 */
function moveToEnd(changes: Map<string, ThreadChange>, { threadId, change }: ThreadChange): void {
  const opposite = OPPOSITES[change];
  if (opposite !== undefined) changes.delete(`${opposite} ${threadId}`);
  changes.delete(`${change} ${threadId}`);
  changes.set(`${change} ${threadId}`, { threadId, change });
}
