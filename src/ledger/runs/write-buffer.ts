// Collects items and writes them in batches. An item is written at once if the last write was at least `flushMs` ago;
// otherwise it waits until `flushMs` have passed since that write.
import type { LedgerTimers } from "../types.ts";

/** If the sum of the `count` of all pending items reaches this number, they are written without waiting. */
const MAX_COUNT = 256;
/**
 * If the sum of the `size` of all pending items reaches this number of characters, they are written without waiting.
 */
const MAX_SIZE = 65_536;
/**
 * The maximum number of characters of one write. If a caller adds items without waiting, several writes may be
 * necessary.
 */
const MAX_WRITE_SIZE = 16 * MAX_SIZE;

/** An item to write. */
export interface BufferItem {
  /** The number of values in the item. */
  readonly count: number;
  /** The number of characters of the item. */
  readonly size: number;
}

interface PendingItem<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class WriteBuffer<T extends BufferItem> {
  readonly #flushMs: number;
  readonly #timers: LedgerTimers;
  readonly #write: (items: T[]) => Promise<void>;
  #pending: PendingItem<T>[] = [];
  #count = 0;
  #size = 0;
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #lastWrite = -Infinity;

  /**
   * Creates a buffer that writes items with `write`, which is called again only after the previous call has settled. If
   * `write` fails, all pending items are rejected, too, because they must follow the items that were not written.
   */
  constructor(flushMs: number, timers: LedgerTimers, write: (items: T[]) => Promise<void>) {
    this.#flushMs = flushMs;
    this.#timers = timers;
    this.#write = write;
  }

  /** Adds an item; resolves when it is durable. */
  add(item: T): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({ item, resolve, reject });
    this.#count += item.count;
    this.#size += item.size;
    this.#schedule();
    return promise;
  }

  /** Writes all pending items now. Throws if a write fails. */
  async drain(): Promise<void> {
    while (this.#writing !== undefined || this.#pending.length > 0) await (this.#writing ?? this.#flush());
  }

  /** Rejects all pending items; they will not be written. */
  rejectAll(error: unknown): void {
    this.#stopTimer();
    const rejected = this.#pending;
    this.#pending = [];
    this.#count = 0;
    this.#size = 0;
    for (const { reject } of rejected) reject(error);
  }

  #schedule(): void {
    if (this.#writing !== undefined || this.#pending.length === 0) return;
    const due = this.#lastWrite + this.#flushMs - this.#timers.now();
    if (due <= 0 || this.#count >= MAX_COUNT || this.#size >= MAX_SIZE) void this.#flush().catch(() => undefined);
    else this.#cancelTimer ??= this.#timers.after(() => void this.#flush().catch(() => undefined), due);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Writes one batch. Resolves or rejects the promises of its items, and returns the promise of the write. */
  #flush(): Promise<void> {
    this.#stopTimer();
    const batch = this.#takeBatch();
    this.#lastWrite = this.#timers.now();
    const writing = this.#write(batch.map(({ item }) => item)).then(
      () => {
        this.#writing = undefined;
        for (const { resolve } of batch) resolve();
        this.#schedule();
      },
      (error: unknown) => {
        this.#writing = undefined;
        for (const { reject } of batch) reject(error);
        this.rejectAll(error);
        throw error;
      },
    );
    this.#writing = writing;
    return writing;
  }

  #takeBatch(): PendingItem<T>[] {
    let [size, end] = [0, 0];
    for (const { item } of this.#pending) {
      if (end > 0 && size + item.size > MAX_WRITE_SIZE) break;
      this.#count -= item.count;
      size += item.size;
      end++;
    }
    this.#size -= size;
    const batch = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return batch;
  }
}
