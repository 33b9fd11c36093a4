// Listening to a stream without changing it: every delta on its way, and how it ended.
import type { Snapshot } from "../../assembly/index.ts";
import type { Delta } from "../../model/index.ts";
import type { Answer, AnswerStream } from "../types.ts";
import type { StreamSource } from "./stream.ts";
import { SourcedStream } from "./stream.ts";

/** How a call ended. A reader who leaves early ends it with an error "aborted". */
export type Outcome = { answer: Answer } | { error: unknown };

export interface StreamTap {
  /** Deltas as they are handed on, as many as came in together. */
  deltas?(batch: readonly Delta[]): void;
  /** Once, at the end. The reader's end waits for it, and what it throws is the reader's. */
  ended?(outcome: Outcome): void | Promise<void>;
}

/** The same stream, listened to. Read only what this returns. */
export function tapStream(stream: AnswerStream, tap: StreamTap): AnswerStream {
  return new SourcedStream(new TappedSource(stream, tap));
}

class TappedSource implements StreamSource {
  private readonly inner: AnswerStream;
  private readonly tap: StreamTap;
  private batches: AsyncIterator<readonly Delta[]> | undefined;
  private ending: Promise<void> | undefined;

  constructor(inner: AnswerStream, tap: StreamTap) {
    this.inner = inner;
    this.tap = tap;
  }

  async pull(): Promise<readonly Delta[] | undefined> {
    this.batches ??= this.inner.batches();
    let result: IteratorResult<readonly Delta[]>;
    try {
      result = await this.batches.next();
    } catch (error) {
      await this.end({ error });
      throw error;
    }
    if (result.done === true) {
      await this.settle();
      return undefined;
    }
    this.tap.deltas?.(result.value);
    const last = result.value.at(-1)?.kind;
    // Some stop reading at the last delta.
    if (last === "done" || last === "error") this.settleUnseen();
    return result.value;
  }

  async response(): Promise<Answer> {
    await this.settle();
    return this.inner.response();
  }

  snapshot(): Snapshot | undefined {
    return this.inner.snapshot();
  }

  cancel(reason?: unknown): void {
    this.inner.cancel(reason);
    this.settleUnseen();
  }

  async leave(): Promise<void> {
    await this.inner.return?.();
    await this.settle();
  }

  /** Tells how the stream ended, once it has. */
  private async settle(): Promise<void> {
    const outcome = await this.inner.response().then(
      (answer): Outcome => ({ answer }),
      (error: unknown): Outcome => ({ error }),
    );
    await this.end(outcome);
  }

  /** Perhaps nobody reads on. Whoever does is told what the tap throws. */
  private settleUnseen(): void {
    this.settle().catch(() => undefined);
  }

  private end(outcome: Outcome): Promise<void> {
    this.ending ??= Promise.resolve(outcome).then((it) => this.tap.ended?.(it));
    return this.ending;
  }
}
