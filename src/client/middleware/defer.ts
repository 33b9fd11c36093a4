// A stream that is decided upon when somebody reads: what must be looked up, or may be refused, comes first.
import type { Snapshot } from "../../assembly/index.ts";
import type { Delta } from "../../model/index.ts";
import { orAborted } from "../calls/or-aborted.ts";
import type { ClientError } from "../errors.ts";
import type { Answer, AnswerStream } from "../types.ts";
import { leftEarly } from "./replay.ts";
import type { StreamSource } from "./stream.ts";
import { SourcedStream } from "./stream.ts";

/**
 * The stream that `open` gives, once it is read. What `open` throws, the reader is thrown. Whoever leaves meanwhile does
 * not wait for it. `signal` is that of the call.
 */
export function deferStream(open: () => AnswerStream | Promise<AnswerStream>, signal?: AbortSignal): AnswerStream {
  return new SourcedStream(new Deferred(open), signal);
}

class Deferred implements StreamSource {
  readonly #open: () => AnswerStream | Promise<AnswerStream>;
  #opening: Promise<AnswerStream> | undefined;
  #inner: AnswerStream | undefined;
  #batches: AsyncIterator<readonly Delta[]> | undefined;
  /** Ends the wait for what is being opened. */
  readonly #leaving = new AbortController();
  #left: ClientError | undefined;

  constructor(open: () => AnswerStream | Promise<AnswerStream>) {
    this.#open = open;
  }

  async #stream(): Promise<AnswerStream> {
    if (this.#inner !== undefined) return this.#inner;
    if (this.#left !== undefined) throw this.#left;
    this.#opening ??= this.#begin();
    return orAborted(this.#opening, this.#leaving.signal);
  }

  async #begin(): Promise<AnswerStream> {
    const inner = await this.#open();
    // Nobody wants it any more; whoever listens to it is told so.
    if (this.#left !== undefined) inner.cancel(this.#left.cause);
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
    this.#left ??= leftEarly(reason);
    this.#leaving.abort(this.#left);
  }

  async leave(): Promise<void> {
    if (this.#inner === undefined) this.cancel();
    else await this.#inner.return?.();
  }
}
