// A stream of an answer that is there already.
import type { Snapshot } from "../../assembly/index.ts";
import { Assembler, disassemble } from "../../assembly/index.ts";
import type { Delta } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import type { Answer, AnswerStream } from "../types.ts";
import type { StreamSource } from "./stream.ts";
import { SourcedStream } from "./stream.ts";

/** An answer as a stream, all at once: the deltas assemble to it again. */
export function replayAnswer(answer: Answer): AnswerStream {
  return new SourcedStream(new Replay(answer));
}

class Replay implements StreamSource {
  private readonly answer: Answer;
  private isGiven = false;
  private left: ClientError | undefined;

  constructor(answer: Answer) {
    this.answer = answer;
  }

  async pull(): Promise<readonly Delta[] | undefined> {
    if (this.isGiven) {
      await this.response();
      return undefined;
    }
    if (this.left !== undefined) throw this.left;
    this.isGiven = true;
    return disassemble(this.answer);
  }

  async response(): Promise<Answer> {
    if (this.left !== undefined) throw this.left;
    const { error, provider, model, attempts } = this.answer;
    if (error === undefined) return this.answer;
    throw new ClientError(error.kind, `${provider}/${model}: ${error.kind}: ${error.message}`, {
      error,
      provider,
      model,
      attempts,
      partial: this.answer,
    });
  }

  snapshot(): Snapshot | undefined {
    if (!this.isGiven) return undefined;
    const assembler = new Assembler();
    for (const delta of disassemble(this.answer)) assembler.push(delta);
    return assembler.snapshot();
  }

  cancel(reason?: unknown): void {
    if (!this.isGiven) this.left ??= leftEarly(reason);
  }

  async leave(): Promise<void> {
    this.cancel();
  }
}

/** The error of a stream whose reader went away before there was anything to read. */
export function leftEarly(reason: unknown): ClientError {
  return new ClientError("aborted", "The stream was ended by its caller before it began.", { cause: reason });
}
