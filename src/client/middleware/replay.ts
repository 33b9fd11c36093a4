// A stream of an answer that is there already.
import type { Snapshot } from "../../assembly/index.ts";
import { Assembler, disassemble } from "../../assembly/index.ts";
import type { Delta } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import type { Answer, AnswerStream } from "../types.ts";
import type { StreamSource } from "./stream.ts";
import { SourcedStream } from "./stream.ts";

/** An answer as a stream, all at once: the deltas assemble to it again. `signal` is that of the call. */
export function replayAnswer(answer: Answer, signal?: AbortSignal): AnswerStream {
  return new SourcedStream(new Replay(answer, signal), signal);
}

class Replay implements StreamSource {
  readonly #answer: Answer;
  readonly #signal: AbortSignal | undefined;
  #isGiven = false;
  #left: ClientError | undefined;

  constructor(answer: Answer, signal: AbortSignal | undefined) {
    this.#answer = answer;
    this.#signal = signal;
  }

  async pull(): Promise<readonly Delta[] | undefined> {
    if (this.#isGiven) {
      await this.response();
      return undefined;
    }
    this.#refuseLeft();
    this.#isGiven = true;
    return disassemble(this.#answer);
  }

  async response(): Promise<Answer> {
    this.#refuseLeft();
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

  #refuseLeft(): void {
    if (this.#signal?.aborted === true) this.cancel(this.#signal.reason);
    if (this.#left !== undefined) throw this.#left;
  }

  snapshot(): Snapshot | undefined {
    if (!this.#isGiven) return undefined;
    const assembler = new Assembler();
    for (const delta of disassemble(this.#answer)) assembler.push(delta);
    return assembler.snapshot();
  }

  /** What has been given is whole: only its reader can be told that the rest is not read. */
  cancel(reason?: unknown): void {
    if (!this.#isGiven) this.#left ??= leftEarly(reason);
  }

  async leave(): Promise<void> {
    this.cancel();
  }
}

/** The error of a stream whose reader went away before there was anything to read. */
export function leftEarly(reason: unknown): ClientError {
  return new ClientError("aborted", "The stream was ended by its caller before it began.", { cause: reason });
}
