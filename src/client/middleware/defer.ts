// A stream that is decided upon when somebody reads: what must be looked up, or may be refused, comes first.
import type { Snapshot } from "../../assembly/index.ts";
import type { Delta } from "../../model/index.ts";
import type { Answer, AnswerStream } from "../types.ts";
import { leftEarly } from "./replay.ts";
import type { StreamSource } from "./stream.ts";
import { SourcedStream } from "./stream.ts";

/** The stream that `open` gives, once it is read. What `open` throws, the reader is thrown. */
export function deferStream(open: () => AnswerStream | Promise<AnswerStream>): AnswerStream {
  return new SourcedStream(new Deferred(open));
}

class Deferred implements StreamSource {
  private readonly open: () => AnswerStream | Promise<AnswerStream>;
  private opening: Promise<AnswerStream> | undefined;
  private inner: AnswerStream | undefined;
  private batches: AsyncIterator<readonly Delta[]> | undefined;
  private cancelled: { reason: unknown } | undefined;

  constructor(open: () => AnswerStream | Promise<AnswerStream>) {
    this.open = open;
  }

  private stream(): Promise<AnswerStream> {
    this.opening ??= this.begin();
    return this.opening;
  }

  private async begin(): Promise<AnswerStream> {
    if (this.cancelled !== undefined) throw leftEarly(this.cancelled.reason);
    const inner = await this.open();
    this.inner = inner;
    this.passOn(inner);
    return inner;
  }

  /** Somebody may have cancelled what was not there yet. */
  private passOn(inner: AnswerStream): void {
    if (this.cancelled !== undefined) inner.cancel(this.cancelled.reason);
  }

  async pull(): Promise<readonly Delta[] | undefined> {
    const inner = await this.stream();
    this.batches ??= inner.batches();
    const { done, value } = await this.batches.next();
    return done === true ? undefined : value;
  }

  async response(): Promise<Answer> {
    return (await this.stream()).response();
  }

  snapshot(): Snapshot | undefined {
    return this.inner?.snapshot();
  }

  cancel(reason?: unknown): void {
    this.cancelled ??= { reason };
    this.inner?.cancel(reason);
  }

  async leave(): Promise<void> {
    this.cancelled ??= { reason: undefined };
    if (this.opening === undefined) return;
    // What could not be opened need not be left.
    const inner = await this.opening.catch(() => undefined);
    await inner?.return?.();
  }
}
