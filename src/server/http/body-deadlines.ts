// Limits the time for receiving request bodies. All bodies share one timer, because a timer for each body would cost
// more than reading a typical body.

/** Deadlines of request bodies. All have the same duration, so they expire in the order in which they were added. */
export class BodyDeadlines {
  readonly #ms: number;
  readonly #dueTimes = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Calls `onLate` once after the duration has passed, unless `remove` is called before. */
  add(onLate: () => void): void {
    this.#dueTimes.set(onLate, performance.now() + this.#ms);
    if (this.#timer === undefined) this.#schedule(this.#ms);
  }

  remove(onLate: () => void): void {
    this.#dueTimes.delete(onLate);
  }

  #schedule(ms: number): void {
    // The timer is unreferenced, so that only open connections keep the process alive.
    this.#timer = setTimeout(() => this.#sweep(), Math.max(ms, 1)).unref();
  }

  #sweep(): void {
    const now = performance.now();
    this.#timer = undefined;
    for (const [onLate, due] of this.#dueTimes) {
      if (due > now) {
        this.#schedule(due - now);
        return;
      }
      this.#dueTimes.delete(onLate);
      onLate();
    }
  }
}
