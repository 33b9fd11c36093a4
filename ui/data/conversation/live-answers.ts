// Assembles the streamed answers of live runs from their deltas. Finished messages and parts stay the same objects.
import { addUsage, type Message, type MessageDelta, RunAssembler, type Usage } from "koine";
import { reuseList, reuseMessages } from "../structural-sharing.ts";
import type { RunInProgress, RunJson } from "../types.ts";

class RunAnswer {
  readonly run: RunJson;
  readonly #assembler = new RunAssembler();
  #lastState: RunInProgress | undefined;
  #isDirty = true;
  #hasInvalidDelta = false;
  #lastKind: MessageDelta["kind"] | undefined;
  #model: string | undefined;
  /** Sum of the usage of the answers that the run has completed before the current one; undefined if there are none. */
  #previousUsage: Usage | undefined;
  /** Usage of the current answer, as far as it was reported. */
  #currentUsage: Partial<Usage> = {};

  constructor(run: RunJson) {
    this.run = run;
    const { model } = run.metadata;
    if (typeof model === "string") this.#model = model;
  }

  /** Adds a delta. After an invalid delta the answer stops growing; the complete message appears once it is stored. */
  push(delta: MessageDelta): void {
    if (this.#hasInvalidDelta) return;
    try {
      this.#assembler.push(delta);
    } catch {
      this.#hasInvalidDelta = true;
      return;
    }
    this.#isDirty = true;
    this.#lastKind = delta.kind;
    if (delta.kind === "start") {
      this.#previousUsage = this.#sumUsage();
      this.#currentUsage = {};
      if (delta.payload.modelId !== "") this.#model = delta.payload.modelId;
    }
    if (delta.kind === "usage") {
      const { partKey: _, choice: __, extra: ___, ...counts } = delta.payload;
      Object.assign(this.#currentUsage, counts);
    }
  }

  /**
   * Returns the id of the message that the run answers: the run's fork point or, if the run does not state one, `leaf`.
   */
  findAnsweredId(leaf: string | null): string | null {
    const { forkFromMessageId: forkPointId } = this.run;
    return forkPointId === undefined ? leaf : forkPointId;
  }

  /**
   * Returns the state of the run. If no delta has arrived since the previous call and the answered message is the same,
   * returns the same object as the previous call.
   */
  computeState(leaf: string | null): RunInProgress {
    const answeredId = this.findAnsweredId(leaf);
    if (this.#lastState !== undefined && !this.#isDirty && this.#lastState.answeredId === answeredId)
      return this.#lastState;
    const { messages, answer } = this.#assembler.snapshot();
    const all = answer === undefined ? messages : [...messages, answer.message];
    const state: RunInProgress = {
      runId: this.run.id,
      answeredId,
      messages: reuseMessages(this.#lastState?.messages ?? [], all),
      state: this.#computeRunState(all),
    };
    if (this.#model !== undefined) state.model = this.#model;
    const usage = this.#sumUsage();
    if (usage !== undefined) state.usage = usage;
    this.#isDirty = false;
    return (this.#lastState = state);
  }

  #sumUsage(): Usage | undefined {
    const previous = this.#previousUsage;
    const current = this.#currentUsage;
    if (Object.keys(current).length === 0) return previous;
    const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens, ...rest } = current;
    const usage: Usage = { inputTokens, outputTokens, totalTokens, ...rest };
    return previous === undefined ? usage : addUsage(previous, usage);
  }

  #computeRunState(messages: readonly Message[]): RunInProgress["state"] {
    if (messages.every(({ parts }) => parts.length === 0)) return "waiting";
    if (this.#lastKind === "error") return "ended";
    return this.#lastKind === "done" && !hasClientToolCalls(messages.at(-1)) ? "ended" : "streaming";
  }
}

/**
 * True if the message has tool calls that the client executes, not the provider; then tool results and further answers
 * follow in the run.
 */
function hasClientToolCalls(message: Message | undefined): boolean {
  return message?.parts.some((part) => part.type === "tool-call" && part.executor !== "provider") === true;
}

export class LiveAnswers {
  readonly #answers = new Map<string, RunAnswer>();
  #lastState: readonly RunInProgress[] = [];

  has(runId: string): boolean {
    return this.#answers.has(runId);
  }

  get ids(): string[] {
    return [...this.#answers.keys()];
  }

  /** Starts a run. A run that is already known keeps its deltas. */
  start(run: RunJson): void {
    if (!this.#answers.has(run.id)) this.#answers.set(run.id, new RunAnswer(run));
  }

  /**
   * Adds a delta to its run. Deltas of unknown runs are ignored: such a run ended before the outline was read, so its
   * messages are already in the tree.
   */
  push(runId: string, delta: MessageDelta): void {
    this.#answers.get(runId)?.push(delta);
  }

  /** True if a live run answers this message. */
  isAnswering(messageId: string, leaf: string | null): boolean {
    return [...this.#answers.values()].some((answer) => answer.findAnsweredId(leaf) === messageId);
  }

  end(runId: string): void {
    this.#answers.delete(runId);
  }

  clear(): void {
    this.#answers.clear();
  }

  computeState(leaf: string | null): readonly RunInProgress[] {
    return (this.#lastState = reuseList(
      this.#lastState,
      [...this.#answers.values()].map((answer) => answer.computeState(leaf)),
    ));
  }
}
