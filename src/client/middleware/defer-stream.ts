// Streams that open when they are read, so that middleware can look something up or reject the call first.
import type { Snapshot } from "../../assembly/index.ts";
import type { Answer, AnswerSource, AnswerStream, ClientError } from "../../calls/index.ts";
import { BatchedAnswerStream, orAborted } from "../../calls/index.ts";
import type { Delta } from "../../model/index.ts";
import { leftBeforeStartError } from "./replay-answer.ts";

/**
 * Returns a stream that calls `open` when it is first read. The reader receives the exceptions of `open`, and does not
 * wait for it after leaving. `signal` is the call's signal.
 */
export function deferStream(open: () => AnswerStream | Promise<AnswerStream>, signal?: AbortSignal): AnswerStream {
  return new BatchedAnswerStream(new DeferredSource(open), signal);
}

class DeferredSource implements AnswerSource {
  readonly #open: () => AnswerStream | Promise<AnswerStream>;
  #opening: Promise<AnswerStream> | undefined;
  #inner: AnswerStream | undefined;
  #batches: AsyncIterator<readonly Delta[]> | undefined;
  /** Ends the wait for `open`. */
  readonly #leaving = new AbortController();
  /** Set if the reader left before the inner stream was open. */
  #leftError: ClientError | undefined;

  constructor(open: () => AnswerStream | Promise<AnswerStream>) {
    this.#open = open;
  }

  async #stream(): Promise<AnswerStream> {
    if (this.#inner !== undefined) return this.#inner;
    if (this.#leftError !== undefined) throw this.#leftError;
    this.#opening ??= this.#openInner();
    return orAborted(this.#opening, this.#leaving.signal);
  }

  async #openInner(): Promise<AnswerStream> {
    const inner = await this.#open();
    // The reader has left: the inner stream is cancelled, so that its listeners are notified.
    if (this.#leftError !== undefined) inner.cancel(this.#leftError.cause);
    else this.#inner = inner;
    return inner;
  }

  async pull(): Promise<readonly Delta[] | undefined> {
    this.#batches ??= (await this.#stream()).batches();
    const { done, value } = await this.#batches.next();
    return done === true ? undefined : value;
  }

  async response(): Promise<Answer> {
    return (await this.#stream()).response();
  }

  snapshot(): Snapshot | undefined {
    return this.#inner?.snapshot();
  }

  cancel(reason?: unknown): void {
    if (this.#inner !== undefined) return this.#inner.cancel(reason);
    this.#leftError ??= leftBeforeStartError(reason);
    this.#leaving.abort(this.#leftError);
  }

  async leave(): Promise<void> {
    if (this.#inner === undefined) this.cancel();
    else await this.#inner.return?.();
  }
}
