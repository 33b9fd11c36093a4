// One conversation of a task, from its beginning to where nothing is left to say: the agent works, and the journal is
// heard for what others want meanwhile. It can be left at any time; whoever takes it up goes on with it.
import { AgentError } from "../../agent/index.ts";
import type { AgentEvent, AgentResult, AgentRun } from "../../agent/index.ts";
import type { Work } from "../../ledger/index.ts";
import type { Message, StoredMessage } from "../../model/index.ts";
import type { Services } from "../types.ts";
import type { Agents } from "./agents.ts";
import { Approvals, callingOf } from "./approvals.ts";
import type { TaskEntry, TaskFailure } from "./entries.ts";
import { failureOf } from "./failures.ts";
import type { Change, Journal } from "./journal.ts";
import { knownCall, nextWords, openApprovals, type QueuedWords, type TaskState } from "./state.ts";
import type { TaskFacts } from "./task.ts";
import { wordsOf } from "./words.ts";

/** How often the journal is looked into for what other instances have written; this one's own are told of at once. */
const LOOK_MS = 1000;

/** What a run of the agent came to. */
interface Outcome {
  result?: AgentResult;
  error?: unknown;
  failure?: TaskFailure;
}

export interface ConversationOptions {
  services: Services;
  agents: Agents;
  work: Work;
  journal: Journal;
  task: TaskFacts;
}

export class Conversation {
  private readonly options: ConversationOptions;
  private readonly approvals: Approvals;
  /** Ends the agent's run: it was cancelled, the work is lost, or time is up. */
  private readonly stop = new AbortController();
  private readonly left = Promise.withResolvers<"left">();
  private isLeaving = false;
  private readonly waiting = new Set<() => void>();
  private run: AgentRun | undefined;
  private hasHeard = false;
  /** The calls whose tools run now. */
  private readonly atWork = new Set<string>();
  /** The ids of messages that the agent holds to say. */
  private readonly handed = new Set<string>();

  constructor(options: ConversationOptions) {
    this.options = options;
    this.approvals = new Approvals(options.journal, options.work);
  }

  /** "left": it goes on elsewhere, or later. Throws what may pass by itself: the ledger cannot be reached. */
  async hold(): Promise<"ended" | "left"> {
    const { work, services, task } = this.options;
    const give = (): void => this.stop.abort(new AgentError("left", "The task is worked on elsewhere, or later."));
    const signals = [work.lost, services.stopping];
    for (const signal of signals) signal.addEventListener("abort", give, { once: true });
    const span = services.tracer.span("invoke_agent", {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.request.model": task.model,
      "gen_ai.conversation.id": work.threadId,
    });
    try {
      const end = await this.goOn();
      span.end();
      return end;
    } catch (error) {
      span.end(error);
      throw error;
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", give);
    }
  }

  private async goOn(): Promise<"ended" | "left"> {
    const { work, services } = this.options;
    await this.settleSaid();
    for (;;) {
      if (this.isLeaving || this.stop.signal.aborted) return "left";
      const outcome = (await this.isOver()) ? undefined : await this.ask();
      if (work.lost.aborted || services.stopping.aborted) return "left";
      if (outcome === "left" || outcome?.result?.reason === "stopped") return "left";
      if (await this.conclude(outcome)) return "ended";
    }
  }

  /** Whether it was cancelled, and no step is left behind that has to be brought to its end. */
  private async isOver(): Promise<boolean> {
    const { journal, work } = this.options;
    if (!(await journal.read()).cancelling) return false;
    const runs = await work.ledger.runs(work.threadId);
    return !runs.some(({ state }) => state === "created" || state === "streaming");
  }

  /** Somebody may have written into the journal. */
  nudge(): void {
    for (const wake of this.waiting) wake();
  }

  /** Ends between two steps; where somebody is waited for, at once, with nothing decided. */
  leave(): void {
    this.isLeaving = true;
    this.leaveIfWaiting();
  }

  private leaveIfWaiting(): void {
    const isWaiting = this.atWork.size === 0 && openApprovals(this.options.journal.known).length > 0;
    if (this.isLeaving && isWaiting) this.left.resolve("left");
  }

  /** What was said by a process that died before it could write so down. */
  private async settleSaid(): Promise<void> {
    const { journal, work } = this.options;
    const { queue } = await journal.read();
    if (queue.length === 0) return;
    const { messages } = await work.ledger.tree(work.threadId);
    const said = new Set(messages.map(({ metadata }) => metadata["queueId"]));
    const lost = queue.filter(({ id }) => said.has(id));
    if (lost.length > 0) await journal.write(lost.map(unqueued(true)), { holding: work });
  }

  /** One run of the agent; "left" where it was left in the middle. */
  private async ask(): Promise<Outcome | "left"> {
    const { agents, work, task } = this.options;
    const over = new AbortController();
    try {
      const agent = await agents.make({
        ledger: work.ledger,
        model: task.model,
        stopWhen: () => this.isLeaving,
        append: (_, messages) => this.say(messages),
        ...(task.approval === "ask" && {
          approve: (call, context) => this.approvals.wait(call, context, () => this.leaveIfWaiting()),
        }),
      });
      // Nobody else holds the work: whoever wrote last is gone.
      const run = agent.resume(work.threadId, { force: true, signal: this.stop.signal });
      this.run = run;
      this.hasHeard = false;
      const listening = this.listen(over.signal);
      return await Promise.race([this.hear(run), listening, this.left.promise]);
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== undefined) return { error, failure };
      this.stop.abort();
      throw error;
    } finally {
      over.abort();
      this.run = undefined;
      this.handed.clear();
    }
  }

  /** The agent's own events, as far as the journal tells of them. */
  private async hear(run: AgentRun): Promise<Outcome> {
    for await (const event of run) {
      if (!this.hasHeard) {
        this.hasHeard = true;
        // It has taken up what was left behind, and can be cancelled.
        this.nudge();
      }
      const entry = this.entryOf(event);
      if (entry !== undefined) await this.options.journal.write([entry], { holding: this.options.work });
      if (event.type === "tool-end") this.leaveIfWaiting();
    }
    return { result: await run.result() };
  }

  private entryOf(event: AgentEvent): TaskEntry | undefined {
    if (event.type === "tool-start") {
      const entry = callingOf(event.call, event.runId);
      this.atWork.add(entry.toolCallId);
      return knownCall(this.options.journal.known, entry.toolCallId, entry.call) === undefined ? entry : undefined;
    }
    if (event.type === "tool-end") this.atWork.delete(event.call.toolCallId);
    return undefined;
  }

  /** What steers is said, and does not wait any more, in one write of whoever holds the work: nobody else says it, too. */
  private async say(messages: readonly Message[]): Promise<StoredMessage[]> {
    const { journal, work } = this.options;
    const entries = messages.flatMap(({ metadata }): TaskEntry[] => {
      const id = metadata?.["queueId"];
      return typeof id === "string" ? [{ type: "unqueued", id, said: true }] : [];
    });
    return (await journal.write(entries, { holding: work, append: { messages } })).messages;
  }

  /** Reads the journal again and again, and does what it says. Throws where it cannot be read. */
  private async listen(over: AbortSignal): Promise<never> {
    const { journal, services } = this.options;
    while (!over.aborted) {
      const nudged = Promise.withResolvers<void>();
      const wake = (): void => nudged.resolve();
      this.waiting.add(wake);
      this.react(await journal.read());
      const pause = new AbortController();
      await Promise.race([
        nudged.promise,
        services.session.effects.sleep(LOOK_MS, AbortSignal.any([over, pause.signal])).catch(() => undefined),
      ]);
      pause.abort();
      this.waiting.delete(wake);
    }
    return new Promise<never>(() => undefined);
  }

  private react(state: TaskState): void {
    const { run } = this;
    if (run === undefined) return;
    if (state.cancelling && this.hasHeard) this.stop.abort();
    for (const queued of state.queue) if (queued.mode === "steer") this.hand(run, queued);
    this.approvals.look(state);
  }

  private hand(run: AgentRun, queued: QueuedWords): void {
    if (this.handed.has(queued.id)) return;
    try {
      run.steer(wordsOf(queued));
      this.handed.add(queued.id);
    } catch {
      // The run has ended in this moment: what waits is said after it.
    }
  }

  /** Writes down how it ended, or says what waits next. Says whether it is over. */
  private async conclude(outcome: Outcome = {}): Promise<boolean> {
    const { journal } = this.options;
    let ending: string | undefined;
    await journal.change((state) => {
      const [reason, change] = this.changeAfter(outcome, state);
      ending = reason;
      return change;
    });
    if (ending === undefined) return false;
    this.report(ending, outcome);
    return true;
  }

  private report(ending: string, { error, failure }: Outcome): void {
    const { services, work } = this.options;
    const { metrics, log } = services;
    metrics.counter("koine_task_conversations_total", "Conversations of tasks that ended.").add(1, { reason: ending });
    if (failure === undefined) return;
    const { code, message } = failure;
    if (code === "internal") log.error("task-failed", { task: work.threadId }, error);
    else log.warn("task-failed", { task: work.threadId, code, message });
  }

  private changeAfter({ result, failure }: Outcome, state: TaskState): [ending: string | undefined, change?: Change] {
    const { work: holding } = this.options;
    if (!state.running) return ["done"];
    if (state.cancelling) {
      const pending = state.queue.map(({ id, message }) => ({ id, message }));
      const entries = state.queue.map(unqueued(false));
      return ["cancelled", { holding, entries: [...entries, { type: "cancelled", pending }, ended("cancelled")] }];
    }
    if (failure !== undefined) {
      return ["failed", { holding, entries: [{ type: "failed", error: failure }, ended("failed")] }];
    }
    const next = nextWords(state);
    if (next.length > 0) {
      return [undefined, { holding, entries: next.map(unqueued(true)), append: { messages: next.map(wordsOf) } }];
    }
    const reason = result?.reason ?? "done";
    return [reason, { holding, entries: [ended(reason)] }];
  }
}

function ended(reason: Extract<TaskEntry, { type: "ended" }>["reason"]): TaskEntry {
  return { type: "ended", reason };
}

function unqueued(said: boolean): (queued: QueuedWords) => TaskEntry {
  return ({ id }) => ({ type: "unqueued", id, said });
}
