// Streams an answer that already exists, for example an answer from a cache.
import type { Snapshot } from "../../assembly/index.ts";
import { Assembler, disassemble } from "../../assembly/index.ts";
import type { Answer, AnswerSource, AnswerStream } from "../../calls/index.ts";
import { BatchedAnswerStream, ClientError } from "../../calls/index.ts";
import type { Delta } from "../../model/index.ts";

/**
 * Returns a stream that yields an existing answer in one batch; the deltas assemble to the same answer. `signal` is the
 * signal of the call.
 */
export function replayAnswer(answer: Answer, signal?: AbortSignal): AnswerStream {
  return new BatchedAnswerStream(new ReplaySource(answer, signal), signal);
}

class ReplaySource implements AnswerSource {
  readonly #answer: Answer;
  readonly #signal: AbortSignal | undefined;
  #isPulled = false;
  /**
   * The error that all later reads throw if the reader cancelled or left before the first read; undefined otherwise.
   */
  #leftError: ClientError | undefined;

  constructor(answer: Answer, signal: AbortSignal | undefined) {
    this.#answer = answer;
    this.#signal = signal;
  }

  async pull(): Promise<readonly Delta[] | undefined> {
    if (this.#isPulled) {
      await this.response();
      return undefined;
    }
    this.#throwIfLeft();
    this.#isPulled = true;
    return disassemble(this.#answer);
  }

  async response(): Promise<Answer> {
    this.#throwIfLeft();
    const { error, provider, model, attempts } = this.#answer;
    if (error === undefined) return this.#answer;
    throw new ClientError(error.kind, `${provider}/${model}: ${error.kind}: ${error.message}`, {
      error,
      provider,
      model,
      attempts,
      partial: this.#answer,
    });
  }

  #throwIfLeft(): void {
    if (this.#signal?.aborted === true) this.cancel(this.#signal.reason);
    if (this.#leftError !== undefined) throw this.#leftError;
  }

  snapshot(): Snapshot | undefined {
    if (!this.#isPulled) return undefined;
    const assembler = new Assembler();
    for (const delta of disassemble(this.#answer)) assembler.push(delta);
    return assembler.snapshot();
  }

  /**
   * Ends the stream if it has not been read yet. After the first read this has no effect: that read returns the whole
   * answer, and `BatchedAnswerStream` drops the deltas that its reader has not received.
   */
  cancel(reason?: unknown): void {
    if (!this.#isPulled) this.#leftError ??= leftBeforeStartError(reason);
  }

  async leave(): Promise<void> {
    this.cancel();
  }
}

/** Creates the error of a stream whose reader left before the first delta was available. */
export function leftBeforeStartError(reason: unknown): ClientError {
  return new ClientError("aborted", "The stream was ended by its caller before it began.", { cause: reason });
}
