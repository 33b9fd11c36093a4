// Merges the values of several async iterators in order of arrival. The next value of a source is requested only after
// its previous value was read, so that values do not accumulate if the client reads slowly.

type MergeResult<Value> = IteratorResult<Value, void>;
type SourceOutcome<Value> = { result: MergeResult<Value> } | { error: unknown };

/**
 * An iterator over the values of several source iterators. The merged iterator ends when the source `first` ends, and
 * throws when any source fails; in both cases it closes the remaining sources. The end of another source has no effect.
 */
export class MergedIterator<Value> implements AsyncIterableIterator<Value, void> {
  readonly #first: AsyncIterator<Value, void>;
  readonly #others: readonly AsyncIterator<Value, void>[];
  /** The outcomes that have not been read yet, at most one per source. */
  readonly #arrived: [source: AsyncIterator<Value, void>, outcome: SourceOutcome<Value>][] = [];
  /** Wakes the caller of `next` that waits for an outcome; undefined before the first wait. */
  #wake: (() => void) | undefined;
  #isBegun = false;
  #isOver = false;

  constructor(first: AsyncIterator<Value, void>, others: readonly AsyncIterator<Value, void>[]) {
    this.#first = first;
    this.#others = others;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<MergeResult<Value>> {
    if (!this.#isBegun) {
      this.#isBegun = true;
      for (const source of [this.#first, ...this.#others]) this.#requestNext(source);
    }
    for (;;) {
      const arrived = this.#arrived.shift();
      if (this.#isOver) return { done: true, value: undefined };
      if (arrived === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else {
        const result = await this.#handleOutcome(...arrived);
        if (result !== undefined) return result;
      }
    }
  }

  async return(): Promise<MergeResult<Value>> {
    this.#isOver = true;
    this.#arrived.length = 0;
    this.#wake?.();
    // The calls of `return` are not awaited, because a source may be waiting for its next event.
    for (const source of [this.#first, ...this.#others]) void source.return?.()?.catch(() => undefined);
    return { done: true, value: undefined };
  }

  /**
   * Returns the next result of the merged iterator; undefined if a source other than `first` has ended, so that the
   * merged iterator continues. Throws if the source has failed.
   */
  async #handleOutcome(
    source: AsyncIterator<Value, void>,
    outcome: SourceOutcome<Value>,
  ): Promise<MergeResult<Value> | undefined> {
    if ("error" in outcome) {
      await this.return();
      throw outcome.error;
    }
    if (outcome.result.done !== true) {
      this.#requestNext(source);
      return outcome.result;
    }
    return source === this.#first ? this.return() : undefined;
  }

  #requestNext(source: AsyncIterator<Value, void>): void {
    const arrive = (outcome: SourceOutcome<Value>): void => {
      if (this.#isOver) return;
      this.#arrived.push([source, outcome]);
      this.#wake?.();
    };
    source.next().then(
      (result) => arrive({ result }),
      (error: unknown) => arrive({ error }),
    );
  }
}
