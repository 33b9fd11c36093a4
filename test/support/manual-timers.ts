// Timers that a test advances by hand. Vitest's fake timers replace those of the whole process, including those of a
// store that later tests use.

interface ManualTimer {
  at: number;
  callback: () => void;
}

export class ManualTimers {
  #ms: number;
  readonly #timers = new Set<ManualTimer>();

  constructor(ms = 0) {
    this.#ms = ms;
  }

  readonly now = (): number => this.#ms;

  readonly after = (callback: () => void, ms: number): (() => void) => {
    const timer = { at: this.#ms + ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  /** The timers that are set. */
  get count(): number {
    return this.#timers.size;
  }

  /** Calls back every timer that is due within this time, also one that is set meanwhile, in the order of their times. */
  advance(ms: number): void {
    const end = this.#ms + ms;
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#ms = next.at;
      next.callback();
    }
    this.#ms = end;
  }
}
