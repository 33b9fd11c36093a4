// Implements `AnswerStream` over any `AnswerSource`: the reader takes single deltas, batches of deltas, or only the
// complete response. One promise is created per read of the source, not per delta.
import type { Snapshot } from "../assembly/index.ts";
import type { Delta } from "../model/index.ts";
import { abortedError } from "./attempt-log.ts";
import { BatchQueue } from "./batch-queue.ts";
import type { Answer, AnswerStream } from "./types.ts";

/** The source of a stream's deltas and of its complete answer. */
export interface AnswerSource {
  /**
   * Returns the next deltas; undefined at the end of the answer. The stream never calls `pull` while an earlier call of
   * `pull` is pending.
   */
  pull(): Promise<readonly Delta[] | undefined>;
  /**
   * Returns the complete answer. It reads to the end of the answer by itself, without `pull`; the deltas that it has
   * read are returned by later calls of `pull`.
   */
  response(): Promise<Answer>;
  snapshot(): Snapshot | undefined;
  cancel(reason?: unknown): void;
  /** Called when the reader stops reading before the end of the answer. */
  leave(): Promise<void>;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

export class BatchedAnswerStream implements AnswerStream {
  readonly #source: AnswerSource;
  readonly #signal: AbortSignal | undefined;
  /** Deltas that were pulled from the source and not returned to the reader yet. */
  readonly #unread = new BatchQueue();
  /** True once the source has returned undefined or the reader has left; every further read returns `END`. */
  #isOver = false;
  #hasReaderLeft = false;
  /**
   * The error that a call of `pull` threw. Every further read throws it, so that a partial answer never looks complete.
   */
  #failure: { error: unknown } | undefined;
  /** The first cancellation, by `cancel` or by the signal; `hasDroppedDeltas` is true if unread deltas were dropped. */
  #cancelled: { reason: unknown; hasDroppedDeltas: boolean } | undefined;
  /**
   * Settles when the most recent call of `pull` has settled. Each call waits for the previous call, because the source
   * allows only one call at a time.
   */
  #lastPull: Promise<unknown> = Promise.resolve();
  /** Number of reads that wait for `#lastPull`. A new read must not take a delta before an earlier read has one. */
  #waitingReads = 0;

  /**
   * `signal` is the signal of the call. When it is aborted, this stream drops deltas that were pulled and not read; the
   * source ends the call itself.
   */
  constructor(source: AnswerSource, signal?: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Delta, undefined>> {
    this.#checkSignal();
    const value = this.#waitingReads === 0 ? this.#unread.shift() : undefined;
    return value === undefined ? this.#inOrder(() => this.#pullNext()) : Promise.resolve({ done: false, value });
  }

  async #pullNext(): Promise<IteratorResult<Delta, undefined>> {
    if (this.#unread.isEmpty) {
      const batch = await this.#pull();
      if (batch === undefined) return END;
      this.#unread.push(batch);
    }
    // The cast is safe, because `#pull` never returns an empty batch.
    return { done: false, value: this.#unread.shift() as Delta };
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    this.#waitingReads++;
    const result = this.#lastPull.then(step).finally(() => this.#waitingReads--);
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
    // Empty batches are skipped. The source allows only one call of `pull` at a time, so each call is awaited.
    // oxlint-disable-next-line no-await-in-loop
    while (!this.#hasReaderLeft && batch?.length === 0) batch = await this.#source.pull();
    this.#checkSignal();
    if (batch !== undefined && this.#cancelled !== undefined) throw await this.#cancelledError(this.#cancelled.reason);
    return batch;
  }

  /**
   * Returns the error of a cancelled stream: the error with which the source ended, or an "aborted" error with the
   * answer if the answer was already complete.
   */
  async #cancelledError(reason: unknown): Promise<unknown> {
    return this.#source.response().then(
      (answer) => abortedError(reason, answer, answer.attempts, answer),
      (error: unknown) => error,
    );
  }

  #checkSignal(): void {
    if (this.#signal?.aborted === true) this.#dropUnread(this.#signal.reason);
  }

  /** Drops the unread deltas and records the reason of the first cancellation. */
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
