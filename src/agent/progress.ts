// What a run has come to: its steps, its last answer, and what all of it cost.
import { addUsage, textOf } from "../model/index.ts";
import type { Message, StoredMessage, Usage } from "../model/index.ts";
import { answerIn, isPaused } from "./standing.ts";
import type { Step } from "./step.ts";
import type { AgentResult, EndReason, StepInfo } from "./types.ts";
import type { RunContext } from "./work.ts";

export class Progress {
  readonly steps: StepInfo[] = [];
  /** How often the model was asked. */
  asked = 0;
  #answer: { message: StoredMessage; text: string; isPaused: boolean } | undefined;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  readonly #work: RunContext;

  constructor(work: RunContext) {
    this.#work = work;
  }

  add({ info, answer, usage }: Step): void {
    if (usage !== undefined) this.#usage = addUsage(this.#usage, usage);
    if (info === undefined) return;
    this.steps.push(info);
    if (answer === undefined) return;
    const message = info.messages.find(({ role }) => role === "assistant") ?? answer;
    // An answer that paused is one with the piece that goes on with it.
    const before = this.#answer?.isPaused === true ? this.#answer.text : "";
    this.#answer = { message, text: before + textOf(answer), isPaused: isPaused(answer) };
  }

  /** The answer in messages that were there before this run. */
  lookBack(messages: readonly StoredMessage[]): void {
    const found = answerIn(messages);
    if (found !== undefined) this.#answer = { ...found, isPaused: isPaused(found.message) };
  }

  /** With what waits, and what was to be said first and was not. */
  result(reason: EndReason, unsaid: readonly Message[] = []): AgentResult {
    const { steps } = this;
    const work = this.#work;
    const answer = this.#answer;
    const usage = this.#usage;
    work.queue.putBack(work.queue.itemsOf(unsaid));
    const pending = [...work.queue.waiting];
    const result: AgentResult = { threadId: work.threadId, reason, text: "", steps, usage, pending };
    return answer === undefined ? result : { ...result, message: answer.message, text: answer.text };
  }
}
