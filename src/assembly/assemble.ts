// Assembles deltas into messages: those of one answer, or of a run of several answers with tool results between them.
import { assertIterable } from "../model/argument-error.ts";
import type { Delta, MessageDelta, PartPayload } from "../model/delta.ts";
import { withPartKey } from "../model/delta-spelling.ts";
import { copyExtra, mergeExtra } from "../model/merge-extra.ts";
import { copyObject } from "../model/json/index.ts";
import type { Message } from "../model/message.ts";
import type { ModelResponse } from "../model/response.ts";
import type { Snapshot } from "./answer-fields.ts";
import { Assembler } from "./assembler.ts";
import { findFormProblem } from "./payload.ts";
import type { Violation } from "./rules.ts";
import { AssemblyError } from "./rules.ts";
import { RunState } from "./run-state.ts";

type AnyDelta = Delta | MessageDelta;

/**
 * Assembles the deltas of one answer into a response. Throws an `AssemblyError` if the deltas break a rule, contain an
 * `error` delta or do not end with `done`.
 *
 * @example
 * ```ts
 * import type { Delta } from "koine";
 * import { assemble, getText } from "koine";
 *
 * const deltas: Delta[] = [
 *   { kind: "start", payload: { modelId: "koine", requestId: "req_1" } },
 *   { kind: "text", payload: { textDelta: "Hel" } },
 *   { kind: "text", payload: { textDelta: "lo" } },
 *   { kind: "done", payload: { finishReason: "stop" } },
 * ];
 * console.log(getText(assemble(deltas).message)); // Hello
 * ```
 */
export function assemble(deltas: Iterable<AnyDelta>): ModelResponse {
  assertIterable("assemble", "deltas", deltas);
  const assembler = new Assembler();
  for (const delta of deltas) assembler.push(delta);
  return assembler.finish();
}

/** The result of assembling a run: every message in order, including tool messages, and the response of each answer. */
export interface AssembledRun {
  messages: Message[];
  responses: ModelResponse[];
}

/** Assembles the deltas of a run: answers, each from `start` to `done`, with tool results between them. */
export class RunAssembler {
  readonly #run = new RunState();
  readonly #assembled: AssembledRun = { messages: [], responses: [] };
  #answer: Assembler | undefined;

  get #betweenAnswers(): boolean {
    return this.#answer?.complete === true;
  }

  /** Adds one delta. Throws an `AssemblyError` if the delta breaks a rule; the state is then unchanged. */
  push(pushed: AnyDelta): void {
    this.#run.checkOrder(pushed);
    const delta = withPartKey(pushed);
    if (this.#betweenAnswers && delta.kind === "part" && delta.payload?.role === "tool")
      return this.#addToolResult(delta);
    const current = this.#betweenAnswers && delta.kind === "start" ? undefined : this.#answer;
    const answer = current ?? new Assembler(this.#run);
    answer.apply(delta);
    this.#answer = answer;
    if (!answer.complete) return;
    const response = answer.finish();
    this.#assembled.responses.push(response);
    this.#assembled.messages.push(response.message);
  }

  /** Adds a tool result. Consecutive results form one tool message. */
  #addToolResult(delta: { kind: "part"; payload: PartPayload } & AnyDelta): void {
    const problem = findFormProblem(delta);
    if (problem !== undefined) this.#run.fail(problem.rule, problem.detail);
    const { value, extra } = delta.payload;
    if (value.type !== "tool-result") this.#run.fail("result-between", `A ${value.type} part is between two answers.`);
    this.#run.checkPart(value);
    const part = copyObject(value);
    if (extra !== undefined) part.extra = mergeExtra(part.extra && copyExtra(part.extra), extra);
    const last = this.#assembled.messages.at(-1);
    if (last?.role === "tool") last.parts.push(part);
    else this.#assembled.messages.push({ role: "tool", parts: [part] });
    this.#run.addPart(part);
    this.#run.accept(delta);
  }

  /** Returns the complete messages, and the current state of an answer that is not complete yet. */
  snapshot(): { messages: Message[]; answer?: Snapshot } {
    const { messages } = this.#copy();
    if (this.#answer === undefined || this.#answer.complete) return { messages };
    return { messages, answer: this.#answer.snapshot() };
  }

  /**
   * Returns a copy of the messages and responses so far. Of the messages, only a tool message at the end is copied,
   * because further tool results can be added only to that message.
   */
  #copy(): AssembledRun {
    const { messages, responses } = this.#assembled;
    const last = messages.at(-1);
    const settled =
      last?.role === "tool" ? [...messages.slice(0, -1), { ...last, parts: [...last.parts] }] : [...messages];
    return { messages: settled, responses: [...responses] };
  }

  /**
   * Returns the messages and responses of the run. Throws if the last answer failed or was cut off; the error contains
   * the messages before that answer.
   */
  finish(): AssembledRun {
    try {
      (this.#answer ?? new Assembler(this.#run)).finish();
      return this.#copy();
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      throw error.withMessages(this.#copy().messages);
    }
  }
}

/** Assembles the deltas of a complete run into messages and responses. */
export function assembleRun(deltas: Iterable<AnyDelta>): AssembledRun {
  assertIterable("assembleRun", "deltas", deltas);
  const assembler = new RunAssembler();
  for (const delta of deltas) assembler.push(delta);
  return assembler.finish();
}

/**
 * Returns every violation of the rules by a delta sequence, in order; a sequence that ends with `error` is legal.
 * Illegal deltas are skipped. All deltas before the first `start` count as one violation.
 */
export function checkDeltas(deltas: Iterable<AnyDelta>): Violation[] {
  assertIterable("checkDeltas", "deltas", deltas);
  const assembler = new RunAssembler();
  const violations: Violation[] = [];
  let hasReportedStart = false;
  const attempt = (step: () => unknown): void => {
    try {
      step();
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      const { rule, seq, message } = error;
      if (rule !== "error-no-message" && !(rule === "start-first" && hasReportedStart))
        violations.push({ rule, seq, message });
      hasReportedStart ||= rule === "start-first";
    }
  };
  for (const delta of deltas) attempt(() => assembler.push(delta));
  attempt(() => assembler.finish());
  return violations;
}
