// The reading side of every `AnswerStream`: single deltas, batches, or only the response, over any source of batches. One
// promise is created per read of the source, not per delta.
import type { Snapshot } from "../assembly/index.ts";
import type { Delta } from "../model/index.ts";
import { abortedError } from "./attempt-log.ts";
import { BatchQueue } from "./batch-queue.ts";
import type { Answer, AnswerStream } from "./types.ts";

/** The source of a stream's deltas and of its complete answer. */
export interface AnswerSource {
  /** Returns the next deltas; undefined at the end. Never called again before it has settled. */
  pull(): Promise<readonly Delta[] | undefined>;
  /** Returns the complete answer. Reads to the end by itself and keeps the deltas for `pull`. */
  response(): Promise<Answer>;
  snapshot(): Snapshot | undefined;
  cancel(reason?: unknown): void;
  /** Called when the reader leaves before the end. */
  leave(): Promise<void>;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

export class BatchedAnswerStream implements AnswerStream {
  readonly #source: AnswerSource;
  readonly #signal: AbortSignal | undefined;
  /** Pulled deltas that were not read. */
  readonly #unread = new BatchQueue();
  /** True after the last pull, or after the reader left. */
  #isOver = false;
  #hasReaderLeft = false;
  /** Thrown on every further read, so that a partial answer never looks complete. */
  #failure: { error: unknown } | undefined;
  /** Set by `cancel` and by the signal. */
  #cancelled: { reason: unknown; hasDroppedDeltas: boolean } | undefined;
  /** Settles after the last pull: concurrent readers are served in order. */
  #lastPull: Promise<unknown> = Promise.resolve();

  /** The source handles the signal itself; here, the signal drops deltas that were pulled and not read. */
  constructor(source: AnswerSource, signal?: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Delta, undefined>> {
    this.#checkSignal();
    const value = this.#unread.shift();
    return value === undefined ? this.#inOrder(() => this.#pullNext()) : Promise.resolve({ done: false, value });
  }

  async #pullNext(): Promise<IteratorResult<Delta, undefined>> {
    if (this.#unread.isEmpty) {
      const batch = await this.#pull();
      if (batch === undefined) return END;
      this.#unread.push(batch);
    }
    // Pulled batches are never empty.
    return { done: false, value: this.#unread.shift() as Delta };
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#lastPull.then(step);
    this.#lastPull = result.catch(() => undefined);
    return result;
  }

  async #pull(): Promise<readonly Delta[] | undefined> {
    if (this.#isOver) return undefined;
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      const batch = await this.#pullSource();
      if (batch === undefined) this.#isOver = true;
      return this.#hasReaderLeft ? undefined : batch;
    } catch (error) {
      if (this.#hasReaderLeft) return undefined;
      this.#failure = { error };
      throw error;
    }
  }

  async #pullSource(): Promise<readonly Delta[] | undefined> {
    if (this.#cancelled?.hasDroppedDeltas === true) throw await this.#cancelledError(this.#cancelled.reason);
    let batch: readonly Delta[] | undefined = [];
    // Each pull waits for the one before.
    // oxlint-disable-next-line no-await-in-loop
    while (!this.#hasReaderLeft && batch?.length === 0) batch = await this.#source.pull();
    this.#checkSignal();
    if (batch !== undefined && this.#cancelled !== undefined) throw await this.#cancelledError(this.#cancelled.reason);
    return batch;
  }

  /** Returns the error of the source; if its answer was already complete, an "aborted" error with that answer. */
  async #cancelledError(reason: unknown): Promise<unknown> {
    return this.#source.response().then(
      (answer) => abortedError(reason, answer, answer.attempts, answer),
      (error: unknown) => error,
    );
  }

  #checkSignal(): void {
    if (this.#signal?.aborted === true) this.#dropUnread(this.#signal.reason);
  }

  #dropUnread(reason: unknown): void {
    this.#cancelled ??= { reason, hasDroppedDeltas: !this.#unread.isEmpty };
    this.#unread.clear();
  }

  batches(): AsyncIterableIterator<readonly Delta[]> {
    const next = async (): Promise<IteratorResult<readonly Delta[], undefined>> => {
      this.#checkSignal();
      const value = this.#unread.isEmpty ? await this.#pull() : this.#unread.shiftBatch();
      return value === undefined ? END : { done: false, value };
    };
    const iterator: AsyncIterableIterator<readonly Delta[]> = {
      [Symbol.asyncIterator]: () => iterator,
      next: () => this.#inOrder(next),
      return: () => this.return(),
    };
    return iterator;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    const mustLeave = !this.#isOver && this.#failure === undefined;
    this.#hasReaderLeft = true;
    this.#isOver = true;
    this.#unread.clear();
    if (mustLeave) await this.#source.leave();
    return END;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  response(): Promise<Answer> {
    return this.#source.response();
  }

  snapshot(): Snapshot | undefined {
    return this.#source.snapshot();
  }

  cancel(reason: unknown = new DOMException("The stream was cancelled.", "AbortError")): void {
    this.#dropUnread(reason);
    this.#source.cancel(reason);
  }
}
