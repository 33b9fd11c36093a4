// A stream for middleware to hand out: the reading side of an `AnswerStream`, over any source of batches.
import type { Snapshot } from "../../assembly/index.ts";
import type { Delta } from "../../model/index.ts";
import { abortedError } from "../calls/attempts.ts";
import type { Answer, AnswerStream } from "../types.ts";

/** Where the deltas and the answer come from. */
export interface StreamSource {
  /** The next deltas; undefined at the end. Asked one at a time. */
  pull(): Promise<readonly Delta[] | undefined>;
  response(): Promise<Answer>;
  snapshot(): Snapshot | undefined;
  cancel(reason?: unknown): void;
  /** The reader went away before the end. */
  leave(): Promise<void>;
}

const NONE: readonly Delta[] = [];
const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

export class SourcedStream implements AnswerStream {
  readonly #source: StreamSource;
  readonly #signal: AbortSignal | undefined;
  #batch: readonly Delta[] = NONE;
  #at = 0;
  /** There is nothing more to pull: the answer is at its end, or the reader has left. */
  #isOver = false;
  #isLeft = false;
  /** What it failed with. Whoever reads on is told again: half an answer must not look like a whole one. */
  #failure: { error: unknown } | undefined;
  /** Somebody wants no more of it. */
  #cut: { reason: unknown; hasDropped: boolean } | undefined;
  /** The last pull: readers that do not wait for each other are served in turn. */
  #turn: Promise<unknown> = Promise.resolve();

  /** The source heeds the signal by itself; here, it ends what was pulled already and not read. */
  constructor(source: StreamSource, signal?: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Delta, undefined>> {
    this.#heed();
    const delta = this.#batch[this.#at];
    if (delta === undefined) return this.#inTurn(() => this.#advance());
    this.#at += 1;
    return Promise.resolve({ done: false, value: delta });
  }

  async #advance(): Promise<IteratorResult<Delta, undefined>> {
    if (this.#at >= this.#batch.length) {
      const batch = await this.#pull();
      if (batch === undefined) return END;
      this.#batch = batch;
      this.#at = 0;
    }
    // A pulled batch is never empty.
    const value = this.#batch[this.#at] as Delta;
    this.#at += 1;
    return { done: false, value };
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(step);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #pull(): Promise<readonly Delta[] | undefined> {
    if (this.#isOver) return undefined;
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      const batch = await this.#pullSource();
      if (batch === undefined) this.#isOver = true;
      return this.#isLeft ? undefined : batch;
    } catch (error) {
      if (this.#isLeft) return undefined;
      this.#failure = { error };
      throw error;
    }
  }

  async #pullSource(): Promise<readonly Delta[] | undefined> {
    if (this.#cut?.hasDropped === true) throw await this.#whyCut(this.#cut.reason);
    let batch: readonly Delta[] | undefined = NONE;
    // Each pull waits for the one before.
    // oxlint-disable-next-line no-await-in-loop
    while (!this.#isLeft && batch?.length === 0) batch = await this.#source.pull();
    this.#heed();
    if (batch !== undefined && this.#cut !== undefined) throw await this.#whyCut(this.#cut.reason);
    return batch;
  }

  /** A source that was cut off knows best; one that had given everything knows of nothing. */
  async #whyCut(reason: unknown): Promise<unknown> {
    return this.#source.response().then(
      (answer) => abortedError(reason, answer, answer.attempts, answer),
      (error: unknown) => error,
    );
  }

  #heed(): void {
    if (this.#signal?.aborted === true) this.#drop(this.#signal.reason);
  }

  #drop(reason: unknown): void {
    this.#cut ??= { reason, hasDropped: this.#at < this.#batch.length };
    this.#batch = NONE;
    this.#at = 0;
  }

  batches(): AsyncIterableIterator<readonly Delta[]> {
    const next = async (): Promise<IteratorResult<readonly Delta[], undefined>> => {
      this.#heed();
      const rest = this.#batch.slice(this.#at);
      this.#batch = NONE;
      this.#at = 0;
      const value = rest.length > 0 ? rest : await this.#pull();
      return value === undefined ? END : { done: false, value };
    };
    const iterator: AsyncIterableIterator<readonly Delta[]> = {
      [Symbol.asyncIterator]: () => iterator,
      next: () => this.#inTurn(next),
      return: () => this.return(),
    };
    return iterator;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    const isToLeave = !this.#isOver && this.#failure === undefined;
    this.#isLeft = true;
    this.#isOver = true;
    this.#batch = NONE;
    this.#at = 0;
    if (isToLeave) await this.#source.leave();
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

  cancel(reason?: unknown): void {
    this.#drop(reason);
    this.#source.cancel(reason);
  }
}
