// An answer as it arrives, for whoever reads it: one delta at a time, a batch at a time, or only its end. Deltas wait in
// the batches in which they came; a promise is made per read of the wire, not per delta.
import type { Snapshot } from "../../assembly/index.ts";
import type { Delta, Request } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import type { Answer, AnswerStream, CallOptions } from "../types.ts";
import type { Answered } from "./ask.ts";
import { ask } from "./ask.ts";
import { abortedError, giveUp } from "./attempts.ts";
import type { Session } from "./call.ts";
import { ModelCall } from "./call.ts";
import { failureOf } from "./failure.ts";
import { openReading } from "./open.ts";
import type { Reading } from "./reading.ts";

/** Prepares to ask; nothing is sent before somebody reads. */
export function stream(session: Session, request: Request, options: CallOptions): AnswerStream {
  return new ModelStream(() => new ModelCall(session, request, options));
}

/** How an answer ended: whole, or not. */
type Outcome = { answer: Answer; error?: undefined } | { answer?: undefined; error: unknown };

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };
const LEFT = "The stream was left before its end.";

class ModelStream implements AnswerStream {
  private readonly begin: () => ModelCall;
  private call: ModelCall | undefined;
  private answered: Answered<Reading> | undefined;
  private outcome: Outcome | undefined;
  /** Batches that nobody has taken yet; of the first one, deltas before `at` are gone. */
  private waiting: (readonly Delta[])[] = [];
  private at = 0;
  private pulling: Promise<void> | undefined;
  /** The reader has left, or was told of the failure: the iterator is at its end. */
  private isLeft = false;

  constructor(begin: () => ModelCall) {
    this.begin = begin;
  }

  next(): Promise<IteratorResult<Delta, undefined>> {
    const batch = this.waiting[0];
    if (batch === undefined) return this.awaitNext();
    // A batch that waits has a delta left.
    const value = batch[this.at] as Delta;
    this.at += 1;
    if (this.at === batch.length) this.dropBatch();
    return Promise.resolve({ done: false, value });
  }

  private async awaitNext(): Promise<IteratorResult<Delta, undefined>> {
    return (await this.arrived()) ? this.next() : END;
  }

  private takeBatch(): readonly Delta[] {
    const batch = this.waiting[0] ?? [];
    const rest = this.at === 0 ? batch : batch.slice(this.at);
    this.dropBatch();
    return rest;
  }

  private dropBatch(): void {
    this.waiting.shift();
    this.at = 0;
  }

  private dropAll(): void {
    this.waiting = [];
    this.at = 0;
  }

  /** Whether there is something to take, once that is known. Throws what the answer failed with, once. */
  private async arrived(): Promise<boolean> {
    while (this.waiting.length === 0 && this.outcome === undefined && !this.isLeft) await this.pull();
    if (this.waiting.length > 0) return true;
    const isToldYet = this.isLeft;
    this.isLeft = true;
    if (!isToldYet && this.outcome?.error !== undefined) throw this.outcome.error;
    return false;
  }

  /** One read at a time, whoever asks for it; it never rejects. */
  private pull(): Promise<void> {
    this.pulling ??= this.read();
    return this.pulling;
  }

  private async read(): Promise<void> {
    try {
      const { value: reading } = (this.answered ??= await this.open());
      do {
        const batch = await reading.next();
        if (batch !== undefined && batch.length > 0) this.waiting.push(batch);
        // What ended the call while this came is found out by reading on.
      } while (!reading.isOver && this.call?.scope.ended !== undefined);
      if (!reading.isOver) return;
      const { failure } = reading;
      this.settle(failure === undefined ? { answer: this.answerOf(reading) } : { error: this.explain(failure) });
    } catch (error) {
      this.settle({ error: this.explain(error) });
    } finally {
      this.pulling = undefined;
    }
  }

  private async open(): Promise<Answered<Reading>> {
    const call = this.begin();
    this.call = call;
    call.scope.onEnded = () => {
      // Where nobody reads, what ended it is found out now.
      if (this.outcome === undefined) void this.pull();
    };
    return ask(call, true, async (...tried) => {
      const reading = await openReading(call, ...tried);
      await reading.open();
      return reading;
    });
  }

  private answerOf(reading: Reading): Answer {
    const { target, attempt } = this.answered as Answered<Reading>; // there is something to read because of it
    const response = reading.response();
    attempt.end({ usage: response.usage });
    const attempts = this.call?.log.attempts ?? [];
    return { ...response, provider: target.asked.provider, losses: attempt.losses, attempts };
  }

  /** What the caller is told, and what is noted of the attempt. */
  private explain(error: unknown): unknown {
    const { answered, call } = this;
    if (error instanceof ClientError || answered === undefined || call === undefined) return error;
    const { attempt, target } = answered;
    const failure = failureOf(error);
    const usage = failure.partial?.usage;
    const { ended } = call.scope;
    const { attempts } = call.log;
    if (ended?.by === "caller") {
      attempt.end({ usage, aborted: true });
      return abortedError(ended.reason, target.asked, attempts, failure.partial);
    }
    attempt.end({ usage, error: failure.error });
    return giveUp(failure, target.asked, attempts);
  }

  private settle(outcome: Outcome): void {
    this.outcome ??= outcome;
    this.call?.scope.close();
    // Whoever ended it wants no more.
    if (this.call?.scope.ended?.by === "caller") this.dropAll();
  }

  batches(): AsyncIterableIterator<readonly Delta[]> {
    const batches: AsyncIterableIterator<readonly Delta[]> = {
      next: async () => ((await this.arrived()) ? { done: false, value: this.takeBatch() } : END),
      return: async () => {
        await this.leave();
        return END;
      },
      [Symbol.asyncIterator]: () => batches,
    };
    return batches;
  }

  async response(): Promise<Answer> {
    while (this.outcome === undefined) await this.pull();
    if (this.outcome.answer === undefined) throw this.outcome.error;
    return this.outcome.answer;
  }

  snapshot(): Snapshot | undefined {
    return this.answered?.value.snapshot();
  }

  cancel(reason: unknown = new DOMException("The stream was cancelled.", "AbortError")): void {
    if (this.outcome !== undefined) return;
    this.dropAll();
    if (this.call !== undefined) this.call.scope.end(reason);
    else this.settle({ error: new ClientError("aborted", "The stream was ended before it began.", { cause: reason }) });
  }

  private async leave(): Promise<void> {
    this.isLeft = true;
    this.cancel(new DOMException(LEFT, "AbortError"));
    this.dropAll();
    await this.pulling;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.leave();
    return END;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }
}
