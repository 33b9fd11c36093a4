// Answers on their way: the deltas of each run, put together as they come. What has settled in one stays the same object.
import { addUsage, type Message, type MessageDelta, RunAssembler, type Usage } from "koine";
import { keepList, keepMessages } from "../keep.ts";
import type { LiveRun, Run } from "../types.ts";

class LiveAnswer {
  readonly run: Run;
  readonly #assembler = new RunAssembler();
  #shown: LiveRun | undefined;
  #isDirty = true;
  #isBroken = false;
  #last: MessageDelta["kind"] | undefined;
  #model: string | undefined;
  /** Of the answers before this one, and of this one. */
  #spent: Usage | undefined;
  #spending: Partial<Usage> = {};

  constructor(run: Run) {
    this.run = run;
    const { model } = run.metadata;
    if (typeof model === "string") this.#model = model;
  }

  /** Of what breaks the rules only the beginning is shown, until its messages are there: the server has seen it all. */
  push(delta: MessageDelta): void {
    if (this.#isBroken) return;
    try {
      this.#assembler.push(delta);
    } catch {
      this.#isBroken = true;
      return;
    }
    this.#isDirty = true;
    this.#last = delta.kind;
    if (delta.kind === "start") {
      this.#spent = this.#usage();
      this.#spending = {};
      if (delta.payload.modelId !== "") this.#model = delta.payload.modelId;
    }
    if (delta.kind === "usage") {
      const { part: _, choice: __, extra: ___, ...counts } = delta.payload;
      Object.assign(this.#spending, counts);
    }
  }

  /** The message that it answers: the leaf, where the run itself names none. */
  after(leaf: string | null): string | null {
    const { forkFromMessageId: fork } = this.run;
    return fork === undefined ? leaf : fork;
  }

  /** The same object as before where nothing has come. */
  view(leaf: string | null): LiveRun {
    const after = this.after(leaf);
    if (this.#shown !== undefined && !this.#isDirty && this.#shown.after === after) return this.#shown;
    const { messages, answer } = this.#assembler.snapshot();
    const all = answer === undefined ? messages : [...messages, answer.message];
    const view: LiveRun = {
      runId: this.run.id,
      after,
      messages: keepMessages(this.#shown?.messages ?? [], all),
      state: this.#stateOf(all),
    };
    if (this.#model !== undefined) view.model = this.#model;
    const usage = this.#usage();
    if (usage !== undefined) view.usage = usage;
    this.#isDirty = false;
    return (this.#shown = view);
  }

  #usage(): Usage | undefined {
    const spent = this.#spent;
    const spending = this.#spending;
    if (Object.keys(spending).length === 0) return spent;
    const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens, ...rest } = spending;
    const usage: Usage = { inputTokens, outputTokens, totalTokens, ...rest };
    return spent === undefined ? usage : addUsage(spent, usage);
  }

  #stateOf(messages: readonly Message[]): LiveRun["state"] {
    if (messages.every(({ parts }) => parts.length === 0)) return "waiting";
    if (this.#last === "error") return "ended";
    return this.#last === "done" && !callsTools(messages.at(-1)) ? "ended" : "streaming";
  }
}

/** Whether results of tools may follow. */
function callsTools(message: Message | undefined): boolean {
  return message?.parts.some((part) => part.type === "tool-call" && part.executor !== "provider") === true;
}

export class LiveAnswers {
  readonly #answers = new Map<string, LiveAnswer>();
  #shown: readonly LiveRun[] = [];

  has(runId: string): boolean {
    return this.#answers.has(runId);
  }

  get ids(): string[] {
    return [...this.#answers.keys()];
  }

  /** A run that is told of again goes on as it was. */
  begin(run: Run): void {
    if (!this.#answers.has(run.id)) this.#answers.set(run.id, new LiveAnswer(run));
  }

  /** What a run says that nobody has heard the beginning of is no answer; it ended before all this. */
  push(runId: string, delta: MessageDelta): void {
    this.#answers.get(runId)?.push(delta);
  }

  /** Whether somebody answers this message now. */
  answersTo(messageId: string, leaf: string | null): boolean {
    return [...this.#answers.values()].some((answer) => answer.after(leaf) === messageId);
  }

  end(runId: string): void {
    this.#answers.delete(runId);
  }

  clear(): void {
    this.#answers.clear();
  }

  view(leaf: string | null): readonly LiveRun[] {
    return (this.#shown = keepList(
      this.#shown,
      [...this.#answers.values()].map((answer) => answer.view(leaf)),
    ));
  }
}
