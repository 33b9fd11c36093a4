// One timer for the deadlines of all request bodies: a timer per body would cost more than reading most of them.

/** All deadlines have the same duration, so they expire in the order in which they were added. */
export class BodyDeadlines {
  readonly #ms: number;
  readonly #dueTimes = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Calls `onLate` once, unless it is removed in time. */
  add(onLate: () => void): void {
    this.#dueTimes.set(onLate, performance.now() + this.#ms);
    if (this.#timer === undefined) this.#schedule(this.#ms);
  }

  remove(onLate: () => void): void {
    this.#dueTimes.delete(onLate);
  }

  #schedule(ms: number): void {
    // Unreferenced: open connections keep the process alive, not this timer.
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
