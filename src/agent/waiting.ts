// Waiting, in the ways that an agent does beside time: for work unless a signal comes first, for others to have their say,
// and for its turn.

/** As it was in the beginning: a caller's tests may hold the one that everybody sees. */
const { setImmediate: soon } = globalThis;

/** Everything that is ready to run runs first. */
export function letOthersRun(): Promise<void> {
  return new Promise((resolve) => void soon(resolve));
}

/** What the work gives, or undefined where the signal comes first; the work then goes on unheard. */
export async function unlessAborted<T>(
  signal: AbortSignal,
  work: () => T | Promise<T>,
): Promise<{ value: T } | undefined> {
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const done = (async () => ({ value: await work() }))();
    return await Promise.race([done, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Lets so many work at the same time; the others wait in the order in which they came. */
export class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
