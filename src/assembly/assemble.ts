// Deltas to messages, for one answer and for a run of several answers with tool results between them.
import type { Delta, MessageDelta, PartPayload } from "../model/delta.ts";
import { copyExtra, growExtra } from "../model/extra.ts";
import { copyObject } from "../model/json.ts";
import type { Message } from "../model/message.ts";
import type { ModelResponse } from "../model/response.ts";
import type { Snapshot } from "./answer-fields.ts";
import { Assembler } from "./assembler.ts";
import { formProblem } from "./payload.ts";
import type { Violation } from "./rules.ts";
import { AssemblyError } from "./rules.ts";
import { RunState } from "./run-state.ts";

type AnyDelta = Delta | MessageDelta;

/** The response of one answer. Throws an `AssemblyError` for a broken rule, an `error` delta or a missing end. */
export function assemble(deltas: Iterable<AnyDelta>): ModelResponse {
  const assembler = new Assembler();
  for (const delta of deltas) assembler.push(delta);
  return assembler.finish();
}

/** What a run gave: every message in order, tool messages included, and the response of each answer. */
export interface AssembledRun {
  messages: Message[];
  responses: ModelResponse[];
}

/** Assembles a run: answers, each `start … done`, with tool results between them. */
export class RunAssembler {
  readonly #run = new RunState();
  readonly #assembled: AssembledRun = { messages: [], responses: [] };
  #answer: Assembler | undefined;

  get #betweenAnswers(): boolean {
    return this.#answer?.complete === true;
  }

  /** Takes one delta. Throws an `AssemblyError` where it breaks a rule; the delta then never happened. */
  push(delta: AnyDelta): void {
    this.#run.arrive(delta);
    if (this.#betweenAnswers && delta.kind === "part" && delta.payload?.role === "tool") return this.#takeResult(delta);
    const current = this.#betweenAnswers && delta.kind === "start" ? undefined : this.#answer;
    const answer = current ?? new Assembler(this.#run);
    answer.take(delta);
    this.#answer = answer;
    if (!answer.complete) return;
    const response = answer.finish();
    this.#assembled.responses.push(response);
    this.#assembled.messages.push(response.message);
  }

  /** Results that follow each other are one tool message: one round of tools. */
  #takeResult(delta: { kind: "part"; payload: PartPayload } & AnyDelta): void {
    const problem = formProblem(delta);
    if (problem !== undefined) this.#run.fail(problem.rule, problem.detail);
    const { value, extra } = delta.payload;
    if (value.type !== "tool-result") this.#run.fail("result-between", `A ${value.type} stands between answers.`);
    this.#run.checkPart(value);
    const part = copyObject(value);
    if (extra !== undefined) part.extra = growExtra(part.extra && copyExtra(part.extra), extra);
    const last = this.#assembled.messages.at(-1);
    if (last?.role === "tool") last.parts.push(part);
    else this.#assembled.messages.push({ role: "tool", parts: [part] });
    this.#run.addPart(part);
    this.#run.accept(delta);
  }

  /** The messages that are complete, and the answer that is still arriving. */
  snapshot(): { messages: Message[]; answer?: Snapshot } {
    const { messages } = this.#copy();
    if (this.#answer === undefined || this.#answer.complete) return { messages };
    return { messages, answer: this.#answer.snapshot() };
  }

  /** The messages so far. Only a tool message at the end can still grow, so only that one is copied. */
  #copy(): AssembledRun {
    const { messages, responses } = this.#assembled;
    const last = messages.at(-1);
    const settled =
      last?.role === "tool" ? [...messages.slice(0, -1), { ...last, parts: [...last.parts] }] : [...messages];
    return { messages: settled, responses: [...responses] };
  }

  /** Everything the run gave. Throws where the last answer failed or was cut off; what came before is on the error. */
  finish(): AssembledRun {
    try {
      (this.#answer ?? new Assembler(this.#run)).finish();
      return this.#copy();
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      throw error.after(this.#copy().messages);
    }
  }
}

/** The messages and responses of a whole run. */
export function assembleRun(deltas: Iterable<AnyDelta>): AssembledRun {
  const assembler = new RunAssembler();
  for (const delta of deltas) assembler.push(delta);
  return assembler.finish();
}

/**
 * Every broken rule of a sequence, in order; a sequence that ends with `error` is legal. An illegal delta is left out
 * and the rest is judged without it; what comes before the first `start` is reported once.
 */
export function checkDeltas(deltas: Iterable<AnyDelta>): Violation[] {
  const assembler = new RunAssembler();
  const violations: Violation[] = [];
  let told = false;
  const attempt = (step: () => unknown): void => {
    try {
      step();
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      const { rule, seq, message } = error;
      if (rule !== "error-no-message" && !(rule === "start-first" && told)) violations.push({ rule, seq, message });
      told ||= rule === "start-first";
    }
  };
  for (const delta of deltas) attempt(() => assembler.push(delta));
  attempt(() => assembler.finish());
  return violations;
}
