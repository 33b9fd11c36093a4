// One clock for all bodies that are on their way: a timer for each would cost more than reading most of them.

/** Everything that is waited for here may take equally long, so that what began first is due first. */
export class Deadlines {
  readonly #ms: number;
  readonly #waiting = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** `late` is called once, unless it is removed in time. */
  add(late: () => void): void {
    this.#waiting.set(late, performance.now() + this.#ms);
    if (this.#timer === undefined) this.#look(this.#ms);
  }

  remove(late: () => void): void {
    this.#waiting.delete(late);
  }

  #look(ms: number): void {
    // The connection is the reason for a process to live, not its clock.
    this.#timer = setTimeout(() => this.#sweep(), Math.max(ms, 1)).unref();
  }

  #sweep(): void {
    const now = performance.now();
    this.#timer = undefined;
    for (const [late, due] of this.#waiting) {
      if (due > now) {
        this.#look(due - now);
        return;
      }
      this.#waiting.delete(late);
      late();
    }
  }
}
