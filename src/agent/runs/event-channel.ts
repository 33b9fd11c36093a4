// A channel of events to async iterators: unread events wait, and so do early readers.
export class EventChannel<T> {
  #unread: T[] = [];
  /** Consumed events at the front of `#unread`. */
  #consumed = 0;
  #readers: { resolve: (result: IteratorResult<T>) => void; reject: (error: unknown) => void }[] = [];
  #hasEnded = false;
  #failure: { error: unknown } | undefined;

  push(value: T): void {
    if (this.#hasEnded) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#unread.push(value);
    else reader.resolve({ done: false, value });
  }

  /** Ends the channel. A failure is thrown to the first reader that reaches the end. */
  end(failure?: { error: unknown }): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const [first, ...others] = this.#readers;
    this.#readers = [];
    if (failure !== undefined && first === undefined) this.#failure = failure;
    else if (failure === undefined) first?.resolve({ done: true, value: undefined });
    else first?.reject(failure.error);
    for (const other of others) other.resolve({ done: true, value: undefined });
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.#consumed < this.#unread.length) return { done: false, value: this.#take() };
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    if (this.#hasEnded) return { done: true, value: undefined };
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** Takes the next event. Consumed events are removed in groups: removing each one would make a long queue quadratic. */
  #take(): T {
    const value = this.#unread[this.#consumed++] as T; // the caller checked that there is one
    if (this.#consumed === this.#unread.length || this.#consumed === 1024) {
      this.#unread = this.#unread.slice(this.#consumed);
      this.#consumed = 0;
    }
    return value;
  }
}
