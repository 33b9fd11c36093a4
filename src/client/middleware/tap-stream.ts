// Adds listeners to a stream without changing it: they receive every batch of deltas and the outcome of the call.
import type { Snapshot } from "../../assembly/index.ts";
import type { Answer, AnswerSource, AnswerStream } from "../../calls/index.ts";
import { BatchedAnswerStream, notifyListener } from "../../calls/index.ts";
import type { Delta } from "../../model/index.ts";

/** The outcome of a call: its answer or its error. If the reader leaves early, the outcome is an "aborted" error. */
export type CallOutcome = { answer: Answer } | { error: unknown };

/** Listeners of a stream. Their exceptions are ignored. */
export interface StreamTap {
  /** Called with each batch of deltas that the reader receives. */
  deltas?(batch: readonly Delta[]): void;
  /**
   * Called once, at the end of the stream. The reader receives the end only after the promise that this method returns
   * has settled.
   */
  ended?(outcome: CallOutcome): void | Promise<void>;
}

/**
 * Returns a stream that yields the same deltas and notifies the listeners. Read only the returned stream. `signal` is
 * the signal of the call.
 */
export function tapStream(stream: AnswerStream, tap: StreamTap, signal?: AbortSignal): AnswerStream {
  return new BatchedAnswerStream(new TappedSource(stream, tap), signal);
}

class TappedSource implements AnswerSource {
  readonly #inner: AnswerStream;
  readonly #tap: StreamTap;
  #batches: AsyncIterator<readonly Delta[]> | undefined;
  #endNotification: Promise<void> | undefined;

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
      await this.#notifyEnd({ error });
      throw error;
    }
    if (result.done === true) {
      await this.#awaitEnd();
      return undefined;
    }
    const { value } = result;
    if (this.#tap.deltas !== undefined) void notifyListener(() => this.#tap.deltas?.(value));
    const last = value.at(-1)?.kind;
    // The outcome is awaited and reported now, because some readers stop at the last delta and never read the end.
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
    // The outcome is awaited and reported now, because the reader may not read on after a cancellation.
    void this.#awaitEnd();
  }

  async leave(): Promise<void> {
    await this.#inner.return?.();
    await this.#awaitEnd();
  }

  /** Waits for the outcome of the inner stream and notifies the listener. Never rejects. */
  async #awaitEnd(): Promise<void> {
    const outcome = await this.#inner.response().then(
      (answer): CallOutcome => ({ answer }),
      (error: unknown): CallOutcome => ({ error }),
    );
    await this.#notifyEnd(outcome);
  }

  /**
   * Notifies the listener of an outcome, unless it was notified before. Returns the promise of the only notification.
   */
  #notifyEnd(outcome: CallOutcome): Promise<void> {
    this.#endNotification ??= notifyListener(() => this.#tap.ended?.(outcome));
    return this.#endNotification;
  }
}
