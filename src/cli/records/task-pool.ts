// Runs asynchronous functions with a limit on parallelism. The next `add` or `waitForAll` throws the first error.

export class TaskPool {
  readonly #maxRunning: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** Waits until fewer than the maximum are running, then starts `work` and does not wait for its end. */
  async add(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#maxRunning) await Promise.race(this.#running);
    this.#assertNoFailure();
    const running = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits until all started functions have ended; throws the first error. */
  async waitForAll(): Promise<void> {
    await Promise.all(this.#running);
    this.#assertNoFailure();
  }

  #assertNoFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
