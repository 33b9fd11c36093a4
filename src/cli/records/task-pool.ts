// Runs asynchronous work with a limit on parallelism. The first error is thrown by the next `add` or `waitForAll`.

export class TaskPool {
  readonly #maxRunning: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** Starts work as soon as fewer than the maximum are running. */
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

  /** Waits until all started work has ended. */
  async waitForAll(): Promise<void> {
    await Promise.all(this.#running);
    this.#assertNoFailure();
  }

  #assertNoFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
