// Events on their way to whoever iterates: those that nobody has read wait, readers that are early wait too.
export class Channel<T> {
  #waiting: T[] = [];
  #read = 0;
  #readers: { resolve: (result: IteratorResult<T>) => void; reject: (error: unknown) => void }[] = [];
  #ended = false;
  #failure: { error: unknown } | undefined;

  push(value: T): void {
    if (this.#ended) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#waiting.push(value);
    else reader.resolve({ done: false, value });
  }

  /** Nothing follows. An error is thrown to the first reader that comes to the end. */
  end(failure?: { error: unknown }): void {
    if (this.#ended) return;
    this.#ended = true;
    const [first, ...others] = this.#readers;
    this.#readers = [];
    if (failure !== undefined && first === undefined) this.#failure = failure;
    else if (failure === undefined) first?.resolve({ done: true, value: undefined });
    else first?.reject(failure.error);
    for (const other of others) other.resolve({ done: true, value: undefined });
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.#read < this.#waiting.length) return { done: false, value: this.#take() };
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    if (this.#ended) return { done: true, value: undefined };
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** In steps, because moving the rest for each event would cost more with every one that waits. */
  #take(): T {
    const value = this.#waiting[this.#read++] as T; // the caller has looked
    if (this.#read === this.#waiting.length || this.#read === 1024) {
      this.#waiting = this.#waiting.slice(this.#read);
      this.#read = 0;
    }
    return value;
  }
}
