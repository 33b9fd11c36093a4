// Creates streams that open when they are first read, so that middleware can search a cache or reject the call before
// the request is sent.
import type { Snapshot } from "../../assembly/index.ts";
import type { Answer, AnswerSource, AnswerStream, ClientError } from "../../calls/index.ts";
import { BatchedAnswerStream, orAborted } from "../../calls/index.ts";
import type { Delta } from "../../model/index.ts";
import { leftBeforeStartError } from "./replay-answer.ts";

/**
 * Returns a stream that calls `open` when it is first read. The reader receives the exceptions of `open`. A reader that
 * leaves does not wait for `open`. `signal` is the signal of the call.
 */
export function deferStream(open: () => AnswerStream | Promise<AnswerStream>, signal?: AbortSignal): AnswerStream {
  return new BatchedAnswerStream(new DeferredSource(open), signal);
}

class DeferredSource implements AnswerSource {
  readonly #open: () => AnswerStream | Promise<AnswerStream>;
  #opening: Promise<AnswerStream> | undefined;
  #inner: AnswerStream | undefined;
  #batches: AsyncIterator<readonly Delta[]> | undefined;
  /** Aborted when the reader leaves; ends the wait for `open`. */
  readonly #leaving = new AbortController();
  /**
   * The error that later reads throw if the reader left before `open` had returned the inner stream; undefined
   * otherwise.
   */
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
    // If the reader has left, the inner stream is cancelled, because it has no reader. Its listeners then receive its
    // outcome.
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
