// Listening to a stream without changing it: every delta on its way, and how it ended.
import type { Snapshot } from "../../assembly/index.ts";
import type { Delta } from "../../model/index.ts";
import type { Answer, AnswerStream } from "../types.ts";
import type { StreamSource } from "./stream.ts";
import { SourcedStream } from "./stream.ts";
import { tell } from "../tell.ts";

/** How a call ended. A reader who leaves early ends it with an error "aborted". */
export type CallOutcome = { answer: Answer } | { error: unknown };

/** Whoever only listens cannot fail the call: what these throw goes no further. */
export interface StreamTap {
  /** Deltas as they are handed on, as many as came in together. */
  deltas?(batch: readonly Delta[]): void;
  /** Once, at the end. The reader's end waits for the promise that it gives, if any. */
  ended?(outcome: CallOutcome): void | Promise<void>;
}

/** The same stream, listened to. Read only what this returns. `signal` is that of the call. */
export function tapStream(stream: AnswerStream, tap: StreamTap, signal?: AbortSignal): AnswerStream {
  return new SourcedStream(new TappedSource(stream, tap), signal);
}

class TappedSource implements StreamSource {
  readonly #inner: AnswerStream;
  readonly #tap: StreamTap;
  #batches: AsyncIterator<readonly Delta[]> | undefined;
  #telling: Promise<void> | undefined;

  constructor(inner: AnswerStream, tap: StreamTap) {
    this.#inner = inner;
    this.#tap = tap;
  }

  async pull(): Promise<readonly Delta[] | undefined> {
    this.#batches ??= this.#inner.batches();
    let result: IteratorResult<readonly Delta[]>;
    try {
      result = await this.#batches.next();
    } catch (error) {
      await this.#tellEnd({ error });
      throw error;
    }
    if (result.done === true) {
      await this.#awaitEnd();
      return undefined;
    }
    const { value } = result;
    if (this.#tap.deltas !== undefined) void tell(() => this.#tap.deltas?.(value));
    const last = value.at(-1)?.kind;
    // Some stop reading at the last delta.
    if (last === "done" || last === "error") void this.#awaitEnd();
    return value;
  }

  async response(): Promise<Answer> {
    await this.#awaitEnd();
    return this.#inner.response();
  }

  snapshot(): Snapshot | undefined {
    return this.#inner.snapshot();
  }

  cancel(reason?: unknown): void {
    this.#inner.cancel(reason);
    // Perhaps nobody reads on.
    void this.#awaitEnd();
  }

  async leave(): Promise<void> {
    await this.#inner.return?.();
    await this.#awaitEnd();
  }

  /** Tells how the stream ended, once it has. Never rejects. */
  async #awaitEnd(): Promise<void> {
    const outcome = await this.#inner.response().then(
      (answer): CallOutcome => ({ answer }),
      (error: unknown): CallOutcome => ({ error }),
    );
    await this.#tellEnd(outcome);
  }

  #tellEnd(outcome: CallOutcome): Promise<void> {
    this.#telling ??= tell(() => this.#tap.ended?.(outcome));
    return this.#telling;
  }
}
