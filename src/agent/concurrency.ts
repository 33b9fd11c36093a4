// Implements concurrency helpers: abortable tasks, a turn of the event loop, and a limit on parallel tasks.

/**
 * The original `setImmediate`, read at load time because a caller's tests may replace the global function by a fake
 * timer.
 */
const { setImmediate: originalSetImmediate } = globalThis;

/** Waits for one turn of the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void originalSetImmediate(resolve));
}

/**
 * Runs a task and returns its value; undefined if the signal is aborted first. The result of the task is then ignored.
 */
export async function unlessAborted<T>(
  signal: AbortSignal,
  task: () => T | Promise<T>,
): Promise<{ value: T } | undefined> {
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const done = (async () => ({ value: await task() }))();
    return await Promise.race([done, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Runs at most `count` tasks at the same time; further tasks wait in order. */
export class ConcurrencyLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
