// A stream for middleware to hand out: the reading side of an `AnswerStream`, over any source of batches.
import type { Snapshot } from "../../assembly/index.ts";
import type { Delta } from "../../model/index.ts";
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

export class SourcedStream implements AnswerStream {
  private readonly source: StreamSource;
  private batch: readonly Delta[] = NONE;
  private at = 0;
  private isOver = false;
  /** The last pull: readers that do not wait for each other are served in turn. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(source: StreamSource) {
    this.source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Delta, undefined>> {
    const delta = this.batch[this.at];
    if (delta === undefined) return this.inTurn(() => this.advance());
    this.at += 1;
    return Promise.resolve({ done: false, value: delta });
  }

  private async advance(): Promise<IteratorResult<Delta, undefined>> {
    if (this.at >= this.batch.length) {
      const batch = await this.pull();
      if (batch === undefined) return { done: true, value: undefined };
      this.batch = batch;
      this.at = 0;
    }
    // A pulled batch is never empty.
    const value = this.batch[this.at] as Delta;
    this.at += 1;
    return { done: false, value };
  }

  private inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.turn.then(step);
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async pull(): Promise<readonly Delta[] | undefined> {
    try {
      let batch: readonly Delta[] | undefined = NONE;
      // Each pull waits for the one before.
      // oxlint-disable-next-line no-await-in-loop
      while (!this.isOver && batch?.length === 0) batch = await this.source.pull();
      if (!this.isOver && batch !== undefined) return batch;
      this.isOver = true;
      return undefined;
    } catch (error) {
      this.isOver = true;
      throw error;
    }
  }

  batches(): AsyncIterableIterator<readonly Delta[]> {
    const next = async (): Promise<IteratorResult<readonly Delta[], undefined>> => {
      const rest = this.batch.slice(this.at);
      this.batch = NONE;
      this.at = 0;
      const value = rest.length > 0 ? rest : await this.pull();
      return value === undefined ? { done: true, value } : { done: false, value };
    };
    const iterator: AsyncIterableIterator<readonly Delta[]> = {
      [Symbol.asyncIterator]: () => iterator,
      next: () => this.inTurn(next),
      return: async () => {
        await this.return();
        return { done: true, value: undefined };
      },
    };
    return iterator;
  }

  async return(): Promise<IteratorResult<Delta, undefined>> {
    this.batch = NONE;
    this.at = 0;
    if (!this.isOver) {
      this.isOver = true;
      await this.source.leave();
    }
    return { done: true, value: undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  response(): Promise<Answer> {
    return this.source.response();
  }

  snapshot(): Snapshot | undefined {
    return this.source.snapshot();
  }

  cancel(reason?: unknown): void {
    this.source.cancel(reason);
  }
}
