// Calls a model for a streamed answer: implements the source of an `AnswerStream`. The request is sent when the first
// read begins.
import type { Snapshot } from "../assembly/index.ts";
import type { Delta, ModelRequest } from "../model/index.ts";
import type { AnswerReader } from "./answer-reader.ts";
import type { AnswerSource } from "./answer-stream.ts";
import { BatchedAnswerStream } from "./answer-stream.ts";
import { toAttemptFailure } from "./attempt-failure.ts";
import type { AttemptResult } from "./attempt-loop.ts";
import { runAttempts } from "./attempt-loop.ts";
import { abortedError, targetFailedError } from "./attempt-log.ts";
import { BatchQueue } from "./batch-queue.ts";
import type { ClientContext } from "./client-context.ts";
import { ClientError } from "./errors.ts";
import { ModelCall } from "./model-call.ts";
import { openAnswerReader } from "./start-attempt.ts";
import type { Answer, AnswerStream, CallOptions } from "./types.ts";

/** Creates the stream of a call. The request is sent when the first read begins. */
export function stream(context: ClientContext, request: ModelRequest, options: CallOptions): AnswerStream {
  return new BatchedAnswerStream(
    new CallAnswerSource(() => new ModelCall(context, request, options, true)),
    options.signal,
  );
}

/** The end of a stream: the complete answer, or the error of a failed answer. */
type StreamOutcome = { answer: Answer; error?: undefined } | { answer?: undefined; error: unknown };

class CallAnswerSource implements AnswerSource {
  readonly #createCall: () => ModelCall;
  #call: ModelCall | undefined;
  #result: AttemptResult<AnswerReader> | undefined;
  #outcome: StreamOutcome | undefined;
  /** Deltas that were read from the reply and not pulled by the stream yet. */
  readonly #queue = new BatchQueue();
  /** The read that is in progress; undefined between reads. */
  #reading: Promise<void> | undefined;
  #hasReaderLeft = false;
  /** The error that further reads throw if the caller cancelled a complete answer whose deltas were not all read. */
  #droppedError: ClientError | undefined;

  constructor(createCall: () => ModelCall) {
    this.#createCall = createCall;
  }

  async pull(): Promise<readonly Delta[] | undefined> {
    const signal = this.#call?.scope.callerSignal;
    if (signal?.aborted === true) this.cancel(signal.reason);
    while (this.#queue.isEmpty && this.#outcome === undefined && !this.#hasReaderLeft) await this.#read();
    if (!this.#queue.isEmpty) return this.#queue.shiftBatch();
    const error = this.#outcome?.error ?? this.#droppedError;
    if (!this.#hasReaderLeft && error !== undefined) throw error;
    return undefined;
  }

  /** Starts a read, or returns the read in progress, which `pull`, `response` and `onEnded` share. Never rejects. */
  #read(): Promise<void> {
    this.#reading ??= this.#readBatch();
    return this.#reading;
  }

  async #readBatch(): Promise<void> {
    try {
      const { value: reader } = (this.#result ??= await this.#open());
      do {
        const batch = await reader.next();
        if (batch !== undefined) this.#queue.push(batch);
        // If the call was ended during the read, the loop reads once more, because that read returns the failure of the
        // call.
      } while (!reader.hasEnded && this.#call?.scope.signal.aborted === true);
      if (!reader.hasEnded) return;
      const { failure } = reader;
      this.#conclude(
        failure === undefined ? { answer: this.#completeAnswer(reader) } : { error: this.#toCallerError(failure) },
      );
    } catch (error) {
      this.#conclude({ error: this.#toCallerError(error) });
    } finally {
      this.#reading = undefined;
    }
  }

  async #open(): Promise<AttemptResult<AnswerReader>> {
    const call = this.#createCall();
    this.#call = call;
    call.scope.onEnded = () => {
      // The call was ended. A read is started even if the caller is not reading, because only a read stores the
      // outcome.
      if (this.#outcome === undefined) void this.#read();
    };
    return runAttempts(call, async (...args) => {
      const reader = await openAnswerReader(call, ...args);
      await reader.readFirstContent();
      call.scope.dropTimeShare();
      return reader;
    });
  }

  #completeAnswer(reader: AnswerReader): Answer {
    // The cast is safe, because `reader` is the value of `#result`.
    const { target, attempt } = this.#result as AttemptResult<AnswerReader>;
    const response = reader.response();
    attempt.end({ usage: response.usage });
    const attempts = this.#call?.log.attempts ?? [];
    return { ...response, provider: target.info.provider, losses: attempt.losses, attempts };
  }

  /**
   * Ends the attempt in the log and returns the error for the caller. A `ClientError`, or an error before an attempt
   * succeeded, is returned unchanged.
   */
  #toCallerError(error: unknown): unknown {
    const result = this.#result;
    const call = this.#call;
    if (error instanceof ClientError || result === undefined || call === undefined) return error;
    const { attempt, target } = result;
    const failure = toAttemptFailure(error);
    const { partial } = failure;
    const usage = partial?.usage;
    const { ended } = call.scope;
    const { attempts } = call.log;
    if (ended?.by === "caller") {
      attempt.end({ usage, partial, aborted: true });
      return abortedError(ended.reason, target.info, attempts, partial);
    }
    attempt.end({ usage, partial, error: failure.error });
    return targetFailedError(failure, target.info, attempts);
  }

  /** Records the outcome, closes the scope of the call, and drops unread deltas if the caller has ended the call. */
  #conclude(outcome: StreamOutcome): void {
    this.#outcome ??= outcome;
    const { scope } = this.#call ?? {};
    scope?.close();
    if (scope?.ended?.by === "caller") this.#dropQueue(scope.ended.reason);
  }

  /** Drops unread deltas. If the answer was complete, further reads throw an "aborted" error with that answer. */
  #dropQueue(reason: unknown): void {
    const { answer } = this.#outcome ?? {};
    if (answer !== undefined && !this.#queue.isEmpty) {
      const { provider, model, attempts } = answer;
      this.#droppedError ??= abortedError(reason, { provider, model }, attempts, answer);
    }
    this.#queue.clear();
  }

  async response(): Promise<Answer> {
    while (this.#outcome === undefined) await this.#read();
    if (this.#outcome.answer === undefined) throw this.#outcome.error;
    return this.#outcome.answer;
  }

  snapshot(): Snapshot | undefined {
    return this.#result?.value.snapshot();
  }

  cancel(reason: unknown): void {
    this.#dropQueue(reason);
    if (this.#outcome !== undefined) return;
    if (this.#call !== undefined) this.#call.scope.endByCaller(reason);
    else {
      const error = new ClientError("aborted", "The stream was ended before it began.", { cause: reason });
      this.#conclude({ error });
    }
  }

  async leave(): Promise<void> {
    this.#hasReaderLeft = true;
    this.cancel(new DOMException("The stream was left before its end.", "AbortError"));
    await this.#reading;
  }
}
