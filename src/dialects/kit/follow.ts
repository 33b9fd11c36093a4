// The answer that a stream encoder follows. Every delta goes through the one loop that assembles, which checks that it
// is legal and says which part it belongs to; at the end the whole answer is there, so that an encoder can report what
// did not arrive exactly as for an answer that came in one piece, and close its stream with what such an answer says.
import { Assembler } from "../../assembly/assembler.ts";
import type { Draft } from "../../assembly/draft.ts";
import { formProblem } from "../../assembly/payload.ts";
import { AssemblyError } from "../../assembly/rules.ts";
import { RunState } from "../../assembly/run-state.ts";
import type { Delta } from "../../model/delta.ts";
import type { ModelResponse } from "../../model/response.ts";

export type { CallDraft, Draft } from "../../assembly/draft.ts";

export class Follower {
  readonly #run = new RunState();
  #assembler: Assembler | undefined;
  /** Whether an answer has begun and not ended. */
  isOpen = false;

  /**
   * Takes the next delta. Returns the part that it belongs to; none for `start`, `usage`, `done` and `error`, and for a
   * result between two answers. A `start` after an end begins the next answer.
   */
  push(delta: Delta): Draft | undefined {
    this.#run.arrive(delta);
    if (!this.isOpen && isBetween(delta)) {
      const problem = formProblem(delta);
      if (problem !== undefined) this.#run.fail(problem.rule, problem.detail);
      this.#run.checkPart(delta.payload.value);
      this.#run.addPart(delta.payload.value);
      this.#run.accept(delta);
      return undefined;
    }
    if (this.#assembler === undefined || (!this.isOpen && delta.kind === "start"))
      this.#assembler = new Assembler(this.#run);
    const draft = this.#assembler.take(delta);
    if (delta.kind === "start") this.isOpen = true;
    else if (delta.kind === "done" || delta.kind === "error") this.isOpen = false;
    return draft;
  }

  /** The answer as it has come: whole after `done`; after an error, or before the end, as far as it got. */
  response(): ModelResponse | undefined {
    try {
      return this.#assembler?.finish();
    } catch (error) {
      if (error instanceof AssemblyError) return error.response;
      throw error;
    }
  }
}

/** Where a part stands in the assembled response, for the report. */
export function placeOf({ choice, index }: Draft): (string | number)[] {
  const message = choice === 0 ? ["message"] : ["alternatives", choice - 1, "message"];
  return [...message, "parts", index];
}

/** A result that its reader has put between two answers of a run: nothing that a model said. */
function isBetween(delta: Delta): delta is Extract<Delta, { kind: "part" }> {
  return delta.kind === "part" && delta.payload?.role === "tool";
}
