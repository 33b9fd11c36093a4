// Tracks the progress of a run: its steps, its last answer, and its usage.
import { addUsage, getText } from "../../model/index.ts";
import type { Message, StoredMessage, Usage } from "../../model/index.ts";
import type { AgentResult, EndReason, StepInfo } from "../types.ts";
import { findLastAnswer, isPaused } from "./next-action.ts";
import type { RunContext } from "./run-context.ts";
import type { Step } from "./step.ts";

export class RunProgress {
  readonly steps: StepInfo[] = [];
  /** The number of calls to the model in this run. */
  modelCalls = 0;
  #answer: { message: StoredMessage; text: string; isPaused: boolean } | undefined;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  readonly #context: RunContext;

  constructor(context: RunContext) {
    this.#context = context;
  }

  add({ info, answer, usage }: Step): void {
    if (usage !== undefined) this.#usage = addUsage(this.#usage, usage);
    if (info === undefined) return;
    this.steps.push(info);
    if (answer === undefined) return;
    const message = info.messages.find(({ role }) => role === "assistant") ?? answer;
    // A paused answer and its continuation count as one answer.
    const before = this.#answer?.isPaused === true ? this.#answer.text : "";
    this.#answer = { message, text: before + getText(answer), isPaused: isPaused(answer) };
  }

  /** Makes the last answer among messages of earlier runs the answer of this run's result. */
  useEarlierAnswer(messages: readonly StoredMessage[]): void {
    const answer = findLastAnswer(messages);
    if (answer !== undefined) this.#answer = { ...answer, isPaused: isPaused(answer.message) };
  }

  /** Returns the result of the run. `pending` contains the input that was not appended, then the queued messages. */
  result(reason: EndReason, input: readonly Message[] = []): AgentResult {
    const { steps } = this;
    const { queue, threadId } = this.#context;
    const answer = this.#answer;
    const usage = this.#usage;
    queue.putBack(queue.toQueued(input));
    const pending = [...queue.waiting];
    const result: AgentResult = { threadId, reason, text: "", steps, usage, pending };
    return answer === undefined ? result : { ...result, message: answer.message, text: answer.text };
  }
}
