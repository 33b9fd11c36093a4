// Implements a channel of events for async iterators: events that are not read yet are buffered, and readers wait for
// the next event.
export class EventChannel<T> {
  #unread: T[] = [];
  /** The number of events at the front of `#unread` that were read and are not removed from the list yet. */
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

  /** Ends the channel. The first reader that reaches the end receives the failure as an exception. */
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

  /**
   * Removes and returns the next event. Consumed events are removed in groups, because removing each one would make the
   * cost of a long queue quadratic.
   */
  #take(): T {
    // The cast is safe, because the caller checked that there is an event.
    const value = this.#unread[this.#consumed++] as T;
    if (this.#consumed === this.#unread.length || this.#consumed === 1024) {
      this.#unread = this.#unread.slice(this.#consumed);
      this.#consumed = 0;
    }
    return value;
  }
}
