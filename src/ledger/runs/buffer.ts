// Gathers what is to be written and writes it together: at once after a pause, else a bounded time after the last
// write. Whoever adds something hears when it is durable.

/** The most that waits before it is written whatever the time: entries' own counts, and characters. */
const MANY = 256;
const LONG = 65_536;
/** The most that one write takes; a caller that never waits gets several. */
const MOST = 16 * LONG;

/** Something to write, and how much it is. */
export interface Load {
  readonly count: number;
  readonly size: number;
}

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class WriteBuffer<T extends Load> {
  readonly #flushMs: number;
  readonly #write: (items: T[]) => Promise<void>;
  #waiting: Waiting<T>[] = [];
  #count = 0;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #lastWrite = -Infinity;

  /** `write` is called for one write at a time. Where it fails, everything that waits fails with it: it was built on it. */
  constructor(flushMs: number, write: (items: T[]) => Promise<void>) {
    this.#flushMs = flushMs;
    this.#write = write;
  }

  /** Resolves once the item is durable. */
  add(item: T): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ item, resolve, reject });
    this.#count += item.count;
    this.#size += item.size;
    this.#schedule();
    return promise;
  }

  /** Writes what waits now. Throws where that fails. */
  async drain(): Promise<void> {
    while (this.#writing !== undefined || this.#waiting.length > 0) await (this.#writing ?? this.#flush());
  }

  /** Nothing that waits will be written. */
  refuse(error: unknown): void {
    this.#stopTimer();
    const refused = this.#waiting;
    this.#waiting = [];
    this.#count = 0;
    this.#size = 0;
    for (const { reject } of refused) reject(error);
  }

  #schedule(): void {
    if (this.#writing !== undefined || this.#waiting.length === 0) return;
    const due = this.#lastWrite + this.#flushMs - performance.now();
    if (due <= 0 || this.#count >= MANY || this.#size >= LONG) void this.#flush().catch(() => undefined);
    else this.#timer ??= setTimeout(() => void this.#flush().catch(() => undefined), due);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Writes once. The promise tells how that went; those who added hear of it too. */
  #flush(): Promise<void> {
    this.#stopTimer();
    const taken = this.#take();
    this.#lastWrite = performance.now();
    const writing = this.#write(taken.map(({ item }) => item)).then(
      () => {
        this.#writing = undefined;
        for (const { resolve } of taken) resolve();
        this.#schedule();
      },
      (error: unknown) => {
        this.#writing = undefined;
        for (const { reject } of taken) reject(error);
        this.refuse(error);
        throw error;
      },
    );
    this.#writing = writing;
    return writing;
  }

  #take(): Waiting<T>[] {
    let [size, end] = [0, 0];
    for (const { item } of this.#waiting) {
      if (end > 0 && size + item.size > MOST) break;
      this.#count -= item.count;
      size += item.size;
      end++;
    }
    this.#size -= size;
    const taken = this.#waiting.slice(0, end);
    this.#waiting = this.#waiting.slice(end);
    return taken;
  }
}
