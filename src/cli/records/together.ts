// Work of which so many pieces may be under way at the same time. The first that fails is told to who adds or waits.

export class Together {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Begins work once there is room for it. */
  async add(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running);
    this.#demandWell();
    const running = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits until all that was begun is over. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
    this.#demandWell();
  }

  #demandWell(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
