// Several sources of events as one, in the order in which they come. Each is asked for its next event only when its last
// one was taken: nothing piles up for a reader that is slow.

type Result<Value> = IteratorResult<Value, void>;
type Outcome<Value> = { result: Result<Value> } | { error: unknown };

/** Ends when the first source does, or fails; the others may end before. What is left is ended with it. */
export class Merged<Value> implements AsyncIterableIterator<Value, void> {
  readonly #first: AsyncIterator<Value, void>;
  readonly #others: readonly AsyncIterator<Value, void>[];
  /** At most one of each source. */
  readonly #arrived: [source: AsyncIterator<Value, void>, outcome: Outcome<Value>][] = [];
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

  async next(): Promise<Result<Value>> {
    if (!this.#isBegun) {
      this.#isBegun = true;
      for (const source of [this.#first, ...this.#others]) this.#ask(source);
    }
    for (;;) {
      const arrived = this.#arrived.shift();
      if (this.#isOver) return { done: true, value: undefined };
      if (arrived === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else {
        const given = await this.#taken(...arrived);
        if (given !== undefined) return given;
      }
    }
  }

  async return(): Promise<Result<Value>> {
    this.#isOver = true;
    this.#arrived.length = 0;
    this.#wake?.();
    // Those that wait for something hear of it without being waited for.
    for (const source of [this.#first, ...this.#others]) void source.return?.()?.catch(() => undefined);
    return { done: true, value: undefined };
  }

  /** undefined where a source has ended and the others go on. */
  async #taken(source: AsyncIterator<Value, void>, outcome: Outcome<Value>): Promise<Result<Value> | undefined> {
    if ("error" in outcome) {
      await this.return();
      throw outcome.error;
    }
    if (outcome.result.done !== true) {
      this.#ask(source);
      return outcome.result;
    }
    return source === this.#first ? this.return() : undefined;
  }

  #ask(source: AsyncIterator<Value, void>): void {
    const arrive = (outcome: Outcome<Value>): void => {
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
