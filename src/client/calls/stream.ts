// An answer as it arrives, for whoever reads it: one delta at a time, a batch at a time, or only its end. Deltas wait in
// the batches in which they came; a promise is made per read of the wire, not per delta.
import type { Snapshot } from "../../assembly/index.ts";
import type { Delta, ModelRequest } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import type { Answer, AnswerStream, CallOptions } from "../types.ts";
import type { AttemptResult } from "./ask.ts";
import { runAttempts } from "./ask.ts";
import { abortedError, giveUp } from "./attempts.ts";
import type { ClientContext } from "./call.ts";
import { ModelCall } from "./call.ts";
import { BatchQueue } from "./batch-queue.ts";
import { failureOf } from "./failure.ts";
import { openReading } from "./open.ts";
import type { Reading } from "./reading.ts";

/** Prepares to ask; nothing is sent before somebody reads. */
export function stream(session: ClientContext, request: ModelRequest, options: CallOptions): AnswerStream {
  return new ModelStream(() => new ModelCall(session, request, options, true));
}

/** How an answer ended: whole, or not. */
type Outcome = { answer: Answer; error?: undefined } | { answer?: undefined; error: unknown };

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };
const LEFT = "The stream was left before its end.";

class ModelStream implements AnswerStream {
  readonly #begin: () => ModelCall;
  #call: ModelCall | undefined;
  #answered: AttemptResult<Reading> | undefined;
  #outcome: Outcome | undefined;
  readonly #waiting = new BatchQueue();
  #pulling: Promise<void> | undefined;
  /** The reader has left: the iterator is at its end. */
  #isLeft = false;
  /** Why deltas of an answer that is whole are not given out any more: their reader ended it. */
  #cut: ClientError | undefined;

  constructor(begin: () => ModelCall) {
    this.#begin = begin;
  }

  next(): Promise<IteratorResult<Delta, undefined>> {
    this.#heedSignal();
    const value = this.#waiting.shift();
    return value === undefined ? this.#awaitNext() : Promise.resolve({ done: false, value });
  }

  async #awaitNext(): Promise<IteratorResult<Delta, undefined>> {
    return (await this.#arrived()) ? this.next() : END;
  }

  /** The scope ends what is under way; whoever reads is not given what had arrived before, either. */
  #heedSignal(): void {
    const signal = this.#call?.scope.callerSignal;
    if (signal?.aborted === true) this.cancel(signal.reason);
  }

  /**
   * Whether there is something to take, once that is known. Throws what the answer failed with, to everybody and every
   * time: nobody takes half an answer for a whole one.
   */
  async #arrived(): Promise<boolean> {
    while (this.#waiting.isEmpty && this.#outcome === undefined && !this.#isLeft) await this.#pull();
    if (!this.#waiting.isEmpty) return true;
    const error = this.#outcome?.error ?? this.#cut;
    if (!this.#isLeft && error !== undefined) throw error;
    return false;
  }

  /** One read at a time, whoever asks for it; it never rejects. */
  #pull(): Promise<void> {
    this.#pulling ??= this.#read();
    return this.#pulling;
  }

  async #read(): Promise<void> {
    try {
      const { value: reading } = (this.#answered ??= await this.#open());
      do {
        const batch = await reading.next();
        if (batch !== undefined) this.#waiting.push(batch);
        // What ended it while this came is found out by reading on.
      } while (!reading.isOver && this.#call?.scope.signal.aborted === true);
      if (!reading.isOver) return;
      const { failure } = reading;
      this.#conclude(failure === undefined ? { answer: this.#answerOf(reading) } : { error: this.#explain(failure) });
    } catch (error) {
      this.#conclude({ error: this.#explain(error) });
    } finally {
      this.#pulling = undefined;
    }
  }

  async #open(): Promise<AttemptResult<Reading>> {
    const call = this.#begin();
    this.#call = call;
    call.scope.onEnded = () => {
      // Where nobody reads, what ended it is found out now.
      if (this.#outcome === undefined) void this.#pull();
    };
    return runAttempts(call, async (...tried) => {
      const reading = await openReading(call, ...tried);
      await reading.open();
      call.scope.keepTurn();
      return reading;
    });
  }

  #answerOf(reading: Reading): Answer {
    const { target, attempt } = this.#answered as AttemptResult<Reading>; // there is something to read because of it
    const response = reading.response();
    attempt.end({ usage: response.usage });
    const attempts = this.#call?.log.attempts ?? [];
    return { ...response, provider: target.asked.provider, losses: attempt.losses, attempts };
  }

  /** What the caller is told, and what is noted of the attempt. */
  #explain(error: unknown): unknown {
    const answered = this.#answered;
    const call = this.#call;
    if (error instanceof ClientError || answered === undefined || call === undefined) return error;
    const { attempt, target } = answered;
    const failure = failureOf(error);
    const { partial } = failure;
    const usage = partial?.usage;
    const { ended } = call.scope;
    const { attempts } = call.log;
    if (ended?.by === "caller") {
      attempt.end({ usage, partial, aborted: true });
      return abortedError(ended.reason, target.asked, attempts, partial);
    }
    attempt.end({ usage, partial, error: failure.error });
    return giveUp(failure, target.asked, attempts);
  }

  #conclude(outcome: Outcome): void {
    this.#outcome ??= outcome;
    const { scope } = this.#call ?? {};
    scope?.close();
    // Whoever ended it wants no more.
    if (scope?.ended?.by === "caller") this.#drop(scope.ended.reason);
  }

  /** Lets go of what nobody has taken; whoever reads on is told so. */
  #drop(reason: unknown): void {
    const { answer } = this.#outcome ?? {};
    if (answer !== undefined && !this.#waiting.isEmpty) {
      const { provider, model, attempts } = answer;
      this.#cut ??= abortedError(reason, { provider, model }, attempts, answer);
    }
    this.#waiting.clear();
  }

  batches(): AsyncIterableIterator<readonly Delta[]> {
    const batches: AsyncIterableIterator<readonly Delta[]> = {
      next: async () => {
        this.#heedSignal();
        return (await this.#arrived()) ? { done: false, value: this.#waiting.shiftBatch() } : END;
      },
      return: async () => {
        await this.#leave();
        return END;
      },
      [Symbol.asyncIterator]: () => batches,
    };
    return batches;
  }

  async response(): Promise<Answer> {
    while (this.#outcome === undefined) await this.#pull();
    if (this.#outcome.answer === undefined) throw this.#outcome.error;
    return this.#outcome.answer;
  }

  snapshot(): Snapshot | undefined {
    return this.#answered?.value.snapshot();
  }

  cancel(reason: unknown = new DOMException("The stream was cancelled.", "AbortError")): void {
    this.#drop(reason);
    if (this.#outcome !== undefined) return;
    if (this.#call !== undefined) this.#call.scope.end(reason);
    else {
      const error = new ClientError("aborted", "The stream was ended before it began.", { cause: reason });
      this.#conclude({ error });
    }
  }

  async #leave(): Promise<void> {
    this.#isLeft = true;
    this.cancel(new DOMException(LEFT, "AbortError"));
    await this.#pulling;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.#leave();
    return END;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave();
  }
}
