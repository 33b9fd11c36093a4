// One conversation of a task, from its beginning to where nothing is left to say: the agent works, and the journal is
// heard for what others want meanwhile. It can be left at any time; whoever takes it up goes on with it.
import { AgentError } from "../../agent/index.ts";
import type { AgentEvent, AgentResult, AgentRun, Approval, ToolContext } from "../../agent/index.ts";
import type { WorkLease } from "../../ledger/index.ts";
import type { Message, StoredMessage, ToolCallPart } from "../../model/index.ts";
import type { Services } from "../types.ts";
import type { Agents, AgentWishes } from "./agents.ts";
import { Approvals, callingOf } from "./approvals.ts";
import { dropEntries, type TaskEntry, type TaskFailure } from "./entries.ts";
import { failureOf } from "./failures.ts";
import type { Change, Journal } from "./journal.ts";
import { knownCall, nextQueuedMessages, openApprovals, type QueuedTaskMessage, type TaskState } from "./state.ts";
import type { TaskFacts } from "./task.ts";
import { toThreadMessage } from "./words.ts";

/** How often the journal is looked into for what other instances have written; this one's own are told of at once. */
const LOOK_MS = 1000;
/** Looks that a task which is to end is given until its agent is there, and has taken up what was left behind. */
const PATIENT_LOOKS = 1;

/** It goes on elsewhere, or later; or when somebody has decided, and nobody need hold it until then. */
type ReleaseReason = "left" | "waiting";

/** What a run of the agent came to. */
interface Outcome {
  result?: AgentResult;
  error?: unknown;
  failure?: TaskFailure;
}

export interface ConversationOptions {
  services: Services;
  agents: Agents;
  work: WorkLease;
  journal: Journal;
  task: TaskFacts;
}

export class TaskExecution {
  readonly #options: ConversationOptions;
  readonly #approvals: Approvals;
  /** Ends the agent's run: it was cancelled, the work is lost, or time is up. */
  readonly #stop = new AbortController();
  readonly #left = Promise.withResolvers<ReleaseReason>();
  #isLeaving = false;
  readonly #waiting = new Set<() => void>();
  #agentRun: AgentRun | undefined;
  #hasHeard = false;
  /** The calls whose tools run now. */
  readonly #atWork = new Set<string>();
  /** Messages that the agent holds to say, and what it calls them. */
  readonly #handed = new Map<string, string>();

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#approvals = new Approvals(options.journal, options.work);
  }

  /** Throws what may pass by itself: the ledger cannot be reached. */
  async run(): Promise<"ended" | ReleaseReason> {
    const { work, services, task } = this.#options;
    const give = (): void => this.#stop.abort(goneOn());
    const signals = [work.lost, services.stopping];
    for (const signal of signals) signal.addEventListener("abort", give, { once: true });
    const span = services.tracer.span("invoke_agent", {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.request.model": task.model,
      "gen_ai.conversation.id": work.threadId,
    });
    try {
      const end = await this.#runUntilIdle();
      span.end();
      return end;
    } catch (error) {
      span.end(error);
      throw error;
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", give);
    }
  }

  async #runUntilIdle(): Promise<"ended" | ReleaseReason> {
    const { work, services } = this.#options;
    await this.#markDeliveredMessages();
    for (;;) {
      if (this.#isLeaving || this.#stop.signal.aborted) return "left";
      const outcome = (await this.#isOver()) ? undefined : await this.#ask();
      if (work.lost.aborted || services.stopping.aborted) return "left";
      if (typeof outcome === "string") return outcome;
      if (outcome?.result?.reason === "stopped") return "left";
      if (await this.#conclude(outcome)) return "ended";
    }
  }

  /** Whether it was cancelled, and no step is left behind that has to be brought to its end. */
  async #isOver(): Promise<boolean> {
    const { journal, work } = this.#options;
    if (!(await journal.read()).cancelling) return false;
    return (await work.ledger.runs(work.threadId, { live: true })).length === 0;
  }

  /** Somebody may have written into the journal. */
  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Ends between two steps; where somebody is waited for, at once, with nothing decided. */
  release(): void {
    this.#isLeaving = true;
    this.#leaveIfWaiting();
    this.wake();
  }

  #leaveIfWaiting(): void {
    if (this.#isLeaving && this.#isWaiting(this.#options.journal.known)) this.#left.resolve("left");
  }

  /** Whether nothing can be done until somebody decides. */
  #isWaiting(state: TaskState): boolean {
    return this.#atWork.size === 0 && !state.cancelling && openApprovals(state).length > 0;
  }

  /** What was said by a process that died before it could write so down. */
  async #markDeliveredMessages(): Promise<void> {
    const { journal, work } = this.#options;
    const { queue } = await journal.read();
    if (queue.length === 0) return;
    const { messages } = await work.ledger.tree(work.threadId);
    const said = new Set(messages.map(({ metadata }) => metadata["queueId"]));
    const lost = queue.filter(({ id }) => said.has(id));
    if (lost.length > 0) await journal.write(lost.map(unqueued(true)), { holding: work });
  }

  /** One run of the agent; it may be left in the middle. */
  async #ask(): Promise<Outcome | ReleaseReason> {
    const over = new AbortController();
    this.#hasHeard = false;
    // From the first moment on: it can take long until there is an agent.
    const listening = this.#listen(over.signal);
    listening.catch(() => undefined);
    try {
      const begun = await Promise.race([this.#begin(), listening, this.#left.promise]);
      if (typeof begun === "string") return begun;
      this.#agentRun = begun;
      this.wake();
      return await Promise.race([this.#hear(begun), listening, this.#left.promise]);
    } catch (error) {
      if (this.#stop.signal.aborted && error === this.#stop.signal.reason) return {};
      const failure = failureOf(error);
      if (failure !== undefined) return { error, failure };
      // Nobody has cancelled it.
      this.#stop.abort(goneOn());
      throw error;
    } finally {
      over.abort();
      this.#agentRun = undefined;
      this.#handed.clear();
    }
  }

  async #begin(): Promise<AgentRun> {
    const { agents, work, task } = this.#options;
    const { signal } = this.#stop;
    const wishes: AgentWishes = {
      ledger: work.ledger,
      model: task.model,
      stopWhen: () => this.#isLeaving,
      append: (_, messages) => this.#say(messages),
    };
    if (task.approval === "ask") wishes.approve = (call, context) => this.#approve(call, context);
    const agent = await agents.make(wishes, signal);
    // Nobody else holds the work: whoever wrote last is gone.
    return agent.resume(work.threadId, { force: true, signal });
  }

  async #approve(call: ToolCallPart, context: ToolContext): Promise<Approval> {
    const approval = await this.#approvals.wait(call, context, () => this.#leaveIfWaiting());
    // Its tool is about to begin.
    if (approval === true) this.#atWork.add(call.toolCallId);
    return approval;
  }

  /** The agent's own events, as far as the journal tells of them. */
  async #hear(run: AgentRun): Promise<Outcome> {
    for await (const event of run) {
      if (!this.#hasHeard) {
        this.#hasHeard = true;
        // It has taken up what was left behind, and can be cancelled.
        this.wake();
      }
      const entry = this.#entryOf(event);
      if (entry !== undefined) await this.#options.journal.write([entry], { holding: this.#options.work });
      if (event.type === "tool-end") this.#leaveIfWaiting();
    }
    return { result: await run.result() };
  }

  #entryOf(event: AgentEvent): TaskEntry | undefined {
    if (event.type === "tool-start") {
      const entry = callingOf(event.call, event.runId);
      this.#atWork.add(entry.toolCallId);
      return knownCall(this.#options.journal.known, entry.toolCallId, entry.call) === undefined ? entry : undefined;
    }
    if (event.type === "tool-end") this.#atWork.delete(event.call.toolCallId);
    return undefined;
  }

  /** What steers is said, and does not wait any more, in one write of whoever holds the work: nobody else says it, too. */
  async #say(messages: readonly Message[]): Promise<StoredMessage[]> {
    const { journal, work } = this.#options;
    const logged = await journal.change(({ queue }) => {
      // What was taken back in this moment is not said.
      const saying = messages.filter((message) => {
        const id = queueIdOf(message);
        return id === undefined || queue.some((each) => each.id === id);
      });
      const entries = saying.map(queueIdOf).flatMap((id): TaskEntry[] => {
        return id === undefined ? [] : [{ type: "unqueued", id, said: true }];
      });
      return saying.length === 0 ? undefined : { entries, holding: work, append: { messages: saying } };
    });
    return logged?.messages ?? [];
  }

  /** Reads the journal again and again, and does what it says. Throws where it cannot be read. */
  async #listen(over: AbortSignal): Promise<never> {
    const { journal, services } = this.#options;
    let idle: TaskState | undefined;
    for (let looks = 0; !over.aborted;) {
      const nudged = Promise.withResolvers<void>();
      const wake = (): void => nudged.resolve();
      this.#waiting.add(wake);
      const state = await journal.read();
      if (over.aborted) break;
      this.#react(state, looks > PATIENT_LOOKS);
      const pause = new AbortController();
      const isQuiet = await Promise.race([
        nudged.promise.then(() => false),
        services.session.effects.sleep(LOOK_MS, AbortSignal.any([over, pause.signal])).then(
          () => true,
          () => false,
        ),
      ]);
      pause.abort();
      this.#waiting.delete(wake);
      if (!isQuiet) continue;
      looks = state.cancelling && !this.#hasHeard ? looks + 1 : 0;
      if (idle?.cursor === state.cursor && this.#isWaiting(state)) this.#wait();
      idle = this.#isWaiting(state) ? state : undefined;
    }
    return new Promise<never>(() => undefined);
  }

  /** Lets go of what waits for somebody who may be long in coming; nothing is decided, and nothing recorded. */
  #wait(): void {
    this.#left.resolve("waiting");
    this.#stop.abort(goneOn());
  }

  #react(state: TaskState, isStuck: boolean): void {
    const run = this.#agentRun;
    // What was left behind is taken up first, unless that does not come about.
    if (state.cancelling && (this.#hasHeard || isStuck)) this.#stop.abort();
    if (run === undefined) {
      if (this.#isLeaving) this.#left.resolve("left");
      return;
    }
    for (const queued of state.queue) if (queued.mode === "steer") this.#hand(run, queued);
    this.#takeBack(run, state);
    this.#approvals.look(state);
  }

  #hand(run: AgentRun, queued: QueuedTaskMessage): void {
    if (this.#handed.has(queued.id)) return;
    try {
      this.#handed.set(queued.id, run.steer(toThreadMessage(queued)).id);
    } catch {
      // The run has ended in this moment: what waits is said after it.
    }
  }

  /** What does not wait any more is not to be said; where it was said, there is nothing to take back. */
  #takeBack(run: AgentRun, { queue }: TaskState): void {
    for (const [id, steering] of this.#handed) {
      if (queue.some((each) => each.id === id)) continue;
      run.unqueue(steering);
      this.#handed.delete(id);
    }
  }

  /** Writes down how it ended, or says what waits next. Says whether it is over. */
  async #conclude(outcome: Outcome = {}): Promise<boolean> {
    const { journal } = this.#options;
    let ending: string | undefined;
    await journal.change((state) => {
      const [reason, change] = this.#changeAfter(outcome, state);
      ending = reason;
      return change;
    });
    if (ending === undefined) return false;
    this.#report(ending, outcome);
    return true;
  }

  #report(ending: string, { error, failure }: Outcome): void {
    const { services, work } = this.#options;
    const { metrics, log } = services;
    metrics.counter("koine_task_conversations_total", "Conversations of tasks that ended.").add(1, { reason: ending });
    if (failure === undefined) return;
    const { code, message } = failure;
    if (code === "internal") log.error("task-failed", { task: work.threadId }, error);
    else log.warn("task-failed", { task: work.threadId, code, message });
  }

  #changeAfter({ result, failure }: Outcome, state: TaskState): [ending: string | undefined, change?: Change] {
    const { work: holding } = this.#options;
    if (!state.running) return ["done"];
    if (state.cancelling) {
      return ["cancelled", { holding, entries: [...dropEntries(state.queue), ended("cancelled")] }];
    }
    if (failure !== undefined) {
      return ["failed", { holding, entries: [{ type: "failed", error: failure }, ended("failed")] }];
    }
    const next = nextQueuedMessages(state);
    if (next.length > 0) {
      return [
        undefined,
        { holding, entries: next.map(unqueued(true)), append: { messages: next.map(toThreadMessage) } },
      ];
    }
    const reason = result?.reason ?? "done";
    return [reason, { holding, entries: [ended(reason)] }];
  }
}

function goneOn(): AgentError {
  return new AgentError("left", "The task is worked on elsewhere, or later.");
}

function ended(reason: Extract<TaskEntry, { type: "ended" }>["reason"]): TaskEntry {
  return { type: "ended", reason };
}

function queueIdOf({ metadata }: Message): string | undefined {
  const id = metadata?.["queueId"];
  return typeof id === "string" ? id : undefined;
}

function unqueued(said: boolean): (queued: QueuedTaskMessage) => TaskEntry {
  return ({ id }) => ({ type: "unqueued", id, said });
}
