// Assembles the answer that a stream encoder writes. The assembler checks every delta and returns the part that the
// delta belongs to. At the end of the answer, the encoder reports losses and writes the last events from the complete
// answer.
import { Assembler } from "../../../assembly/assembler.ts";
import type { PartDraft } from "../../../assembly/draft.ts";
import { findFormProblem } from "../../../assembly/payload.ts";
import { AssemblyError } from "../../../assembly/rules.ts";
import { RunState } from "../../../assembly/run-state.ts";
import type { Delta } from "../../../model/delta.ts";
import type { ModelResponse } from "../../../model/response.ts";
export type { CallDraft, PartDraft } from "../../../assembly/draft.ts";

/** Assembles the answers of one stream, one after another. */
export class AnswerFollower {
  readonly #run = new RunState();
  #assembler: Assembler | undefined;
  /** True if an answer has started and not ended. */
  isOpen = false;

  /**
   * Applies the next delta and returns the draft of its part. Returns undefined for `start`, `usage`, `done` and
   * `error`, and for a tool result between two answers. A `start` after the end of an answer starts the next answer.
   */
  push(delta: Delta): PartDraft | undefined {
    this.#run.checkOrder(delta);
    if (!this.isOpen && isResultBetweenAnswers(delta)) {
      const problem = findFormProblem(delta);
      if (problem !== undefined) this.#run.fail(problem.rule, problem.detail);
      this.#run.checkPart(delta.payload.value);
      this.#run.addPart(delta.payload.value);
      this.#run.accept(delta);
      return undefined;
    }
    if (this.#assembler === undefined || (!this.isOpen && delta.kind === "start"))
      this.#assembler = new Assembler(this.#run);
    const draft = this.#assembler.apply(delta);
    if (delta.kind === "start") this.isOpen = true;
    else if (delta.kind === "done" || delta.kind === "error") this.isOpen = false;
    return draft;
  }

  /**
   * Returns the current answer: complete after `done`, otherwise with the content so far; undefined before the first
   * `start`.
   */
  response(): ModelResponse | undefined {
    try {
      return this.#assembler?.finish();
    } catch (error) {
      if (error instanceof AssemblyError) return error.response;
      throw error;
    }
  }
}

/** Returns the path of a part in the assembled response, for losses. */
export function toDraftPath({ choice, index }: PartDraft): (string | number)[] {
  const message = choice === 0 ? ["message"] : ["alternatives", choice - 1, "message"];
  return [...message, "parts", index];
}

/**
 * True for a tool result of the client (role "tool"), which arrives between two answers of a run and is not the model's
 * output.
 */
function isResultBetweenAnswers(delta: Delta): delta is Extract<Delta, { kind: "part" }> {
  return delta.kind === "part" && delta.payload?.role === "tool";
}
