// Executes the work of a task until its queue is empty. While the agent runs, the journal is read for new messages,
// decisions and cancellations. The work can be released at any time, so that another process can continue it.
import { AgentError } from "../../agent/index.ts";
import type { AgentEvent, AgentResult, AgentRun, Approval, ToolContext } from "../../agent/index.ts";
import type { WorkLease } from "../../ledger/index.ts";
import type { Message, StoredMessage, ToolCallPart } from "../../model/index.ts";
import type { Services } from "../types.ts";
import type { TaskAgents, TaskAgentOptions } from "./agents.ts";
import { PendingApprovals, createCallingEntry } from "./approvals.ts";
import { createDropEntries, type TaskEntry, type TaskFailure } from "./journal-entries.ts";
import { toTaskFailure } from "./task-failure.ts";
import type { JournalChange, TaskJournal } from "./journal.ts";
import {
  findToolCall,
  nextQueuedMessages,
  listOpenApprovals,
  type QueuedTaskMessage,
  type TaskState,
} from "./task-state.ts";
import type { TaskSettings } from "./task.ts";
import { toThreadMessage } from "./thread-message.ts";

/** The interval of journal reads, in milliseconds. Entries that this process has written are read at once. */
const POLL_MS = 1000;
/** A cancellation aborts an agent without any event once the journal was polled more than this many times. */
const MAX_CANCEL_POLLS = 1;

/**
 * The reason why an execution ended before the work did. "released": this or another process will claim the work and
 * continue it. "waiting": the work continues after an approval, and no lease is needed until then.
 */
type ReleaseReason = "released" | "waiting";

/** The outcome of one agent run. */
interface AgentRunOutcome {
  result?: AgentResult;
  error?: unknown;
  failure?: TaskFailure;
}

export interface TaskExecutionOptions {
  services: Services;
  agents: TaskAgents;
  work: WorkLease;
  journal: TaskJournal;
  task: TaskSettings;
}

export class TaskExecution {
  readonly #options: TaskExecutionOptions;
  readonly #approvals: PendingApprovals;
  /**
   * Aborts the agent's run if the task is cancelled or released, the lease is lost, or the time for shutdown is over.
   */
  readonly #stop = new AbortController();
  readonly #released = Promise.withResolvers<ReleaseReason>();
  /** True once `release` was called; the execution then ends after the current step. */
  #isReleasing = false;
  readonly #wakeListeners = new Set<() => void>();
  #agentRun: AgentRun | undefined;
  /** True once the agent run has emitted an event, so that it has resumed an unfinished step and can be cancelled. */
  #hasAgentEvent = false;
  /** The ids of the tool calls that are running. */
  readonly #runningToolCalls = new Set<string>();
  /** For each steering message passed to the agent: its id in the agent's queue, by its id in the task's queue. */
  readonly #deliveredMessageIds = new Map<string, string>();

  constructor(options: TaskExecutionOptions) {
    this.#options = options;
    this.#approvals = new PendingApprovals(options.journal, options.work);
  }

  /** Executes the work until it ends or is released. Throws transient errors, such as an unreachable ledger. */
  async run(): Promise<"ended" | ReleaseReason> {
    const { work, services, task } = this.#options;
    const stopAgent = (): void => this.#stop.abort(createReleasedError());
    const signals = [work.lost, services.stopping];
    for (const signal of signals) signal.addEventListener("abort", stopAgent, { once: true });
    // A signal that was aborted before its listener was added never calls it, so the signals are checked here.
    if (signals.some(({ aborted }) => aborted)) stopAgent();
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
      for (const signal of signals) signal.removeEventListener("abort", stopAgent);
    }
  }

  async #runUntilIdle(): Promise<"ended" | ReleaseReason> {
    const { work, services } = this.#options;
    await this.#markDeliveredMessages();
    for (;;) {
      if (this.#isReleasing || this.#stop.signal.aborted) return "released";
      const outcome = (await this.#isCancelledAndIdle()) ? undefined : await this.#runAgent();
      if (work.lost.aborted || services.stopping.aborted) return "released";
      if (typeof outcome === "string") return outcome;
      if (outcome?.result?.reason === "stopped") return "released";
      if (await this.#conclude(outcome)) return "ended";
    }
  }

  /** Returns true if the task was cancelled and none of its runs is live, so that no agent is needed to end a run. */
  async #isCancelledAndIdle(): Promise<boolean> {
    const { journal, work } = this.#options;
    if (!(await journal.read()).cancelling) return false;
    return (await work.ledger.runs(work.threadId, { live: true })).length === 0;
  }

  /** Makes the execution read the journal now, because the journal has a new entry. */
  wake(): void {
    for (const wake of this.#wakeListeners) wake();
  }

  /** Ends the execution after the current step, or at once if the task waits for an approval. */
  release(): void {
    this.#isReleasing = true;
    this.#releaseIfWaiting();
    this.wake();
  }

  #releaseIfWaiting(): void {
    if (this.#isReleasing && this.#isWaitingForApproval(this.#options.journal.lastState))
      this.#released.resolve("released");
  }

  /** True if no tool runs, the task is not being cancelled, and a tool call waits for a person's decision. */
  #isWaitingForApproval(state: TaskState): boolean {
    return this.#runningToolCalls.size === 0 && !state.cancelling && listOpenApprovals(state).length > 0;
  }

  /** Removes queued messages that a dead process has appended to the thread but not removed from the queue. */
  async #markDeliveredMessages(): Promise<void> {
    const { journal, work } = this.#options;
    const { queue } = await journal.read();
    if (queue.length === 0) return;
    const { messages } = await work.ledger.tree(work.threadId);
    const appendedIds = new Set(messages.map(({ metadata }) => metadata["queueId"]));
    const delivered = queue.filter(({ id }) => appendedIds.has(id));
    if (delivered.length > 0) await journal.write(delivered.map(createUnqueuedEntry(true)), { workLease: work });
  }

  /** Runs the agent once. Returns the outcome, or the reason of a release that came before the end of the run. */
  async #runAgent(): Promise<AgentRunOutcome | ReleaseReason> {
    const over = new AbortController();
    this.#hasAgentEvent = false;
    // The journal is followed before the agent is created, because the creation can take long and a cancellation must
    // be noticed in the meantime.
    const following = this.#followJournal(over.signal);
    following.catch(() => undefined);
    try {
      const started = await Promise.race([this.#startAgent(), following, this.#released.promise]);
      if (typeof started === "string") return started;
      this.#agentRun = started;
      this.wake();
      return await Promise.race([this.#readAgentEvents(started), following, this.#released.promise]);
    } catch (error) {
      if (this.#stop.signal.aborted && error === this.#stop.signal.reason) return {};
      const failure = toTaskFailure(error);
      if (failure !== undefined) return { error, failure };
      // `toTaskFailure` returns undefined for a transient error, such as an unreachable ledger. The agent is then
      // stopped, but the task is not ended, so that it continues later.
      this.#stop.abort(createReleasedError());
      throw error;
    } finally {
      over.abort();
      this.#agentRun = undefined;
      this.#deliveredMessageIds.clear();
    }
  }

  async #startAgent(): Promise<AgentRun> {
    const { agents, work, task } = this.#options;
    const { signal } = this.#stop;
    const agentOptions: TaskAgentOptions = {
      ledger: work.ledger,
      model: task.model,
      stopWhen: () => this.#isReleasing,
      append: (_, messages) => this.#appendSteering(messages),
    };
    if (task.approval === "ask") agentOptions.approve = (call, context) => this.#approve(call, context);
    const agent = await agents.create(agentOptions, signal);
    // `force` is safe: this process holds the lease of the task, so no other process writes an unfinished run.
    return agent.resume(work.threadId, { force: true, signal });
  }

  async #approve(call: ToolCallPart, context: ToolContext): Promise<Approval> {
    const approval = await this.#approvals.wait(call, context, () => this.#releaseIfWaiting());
    // The approved call counts as running from now on, before its `tool-start` event arrives. Otherwise the task could
    // be released before that event, because a task that waits for other approvals is released while no tool runs.
    if (approval === true) this.#runningToolCalls.add(call.toolCallId);
    return approval;
  }

  /** Reads the events of an agent's run and writes an entry for each started tool call. Returns the run's result. */
  async #readAgentEvents(run: AgentRun): Promise<AgentRunOutcome> {
    for await (const event of run) {
      if (!this.#hasAgentEvent) {
        this.#hasAgentEvent = true;
        // The first event shows that the agent has resumed the unfinished step. `wake` makes `#followJournal` apply a
        // cancellation that has arrived before.
        this.wake();
      }
      const entry = this.#toJournalEntry(event);
      if (entry !== undefined) await this.#options.journal.write([entry], { workLease: this.#options.work });
      if (event.type === "tool-end") this.#releaseIfWaiting();
    }
    return { result: await run.result() };
  }

  #toJournalEntry(event: AgentEvent): TaskEntry | undefined {
    if (event.type === "tool-start") {
      const entry = createCallingEntry(event.call, event.runId);
      this.#runningToolCalls.add(entry.toolCallId);
      return findToolCall(this.#options.journal.lastState, entry.toolCallId, entry.call) === undefined
        ? entry
        : undefined;
    }
    if (event.type === "tool-end") this.#runningToolCalls.delete(event.call.toolCallId);
    return undefined;
  }

  /**
   * Appends steering messages and removes them from the queue in one write under the lease, so that each message is
   * delivered only once.
   */
  async #appendSteering(messages: readonly Message[]): Promise<StoredMessage[]> {
    const { journal, work } = this.#options;
    const written = await journal.change(({ queue }) => {
      // A message that was removed from the queue in the meantime is not appended.
      const deliverable = messages.filter((message) => {
        const id = readQueueId(message);
        return id === undefined || queue.some((each) => each.id === id);
      });
      const entries = deliverable.map(readQueueId).flatMap((id): TaskEntry[] => {
        return id === undefined ? [] : [{ type: "unqueued", id, said: true }];
      });
      return deliverable.length === 0 ? undefined : { entries, workLease: work, append: { messages: deliverable } };
    });
    return written?.messages ?? [];
  }

  /**
   * Reads the journal repeatedly and applies new entries. Rejects if the journal cannot be read, and never resolves.
   */
  async #followJournal(over: AbortSignal): Promise<never> {
    const { journal, services } = this.#options;
    // The state at the previous poll if the task waited for an approval then; otherwise undefined. If two successive
    // polls find the same state, the task is released until the decision.
    let lastWaiting: TaskState | undefined;
    for (let polls = 0; !over.aborted;) {
      const woken = Promise.withResolvers<void>();
      const wake = (): void => woken.resolve();
      this.#wakeListeners.add(wake);
      const state = await journal.read();
      if (over.aborted) break;
      this.#applyJournal(state, polls > MAX_CANCEL_POLLS);
      const pause = new AbortController();
      const isQuiet = await Promise.race([
        woken.promise.then(() => false),
        services.clientContext.effects.sleep(POLL_MS, AbortSignal.any([over, pause.signal])).then(
          () => true,
          () => false,
        ),
      ]);
      pause.abort();
      this.#wakeListeners.delete(wake);
      if (!isQuiet) continue;
      polls = state.cancelling && !this.#hasAgentEvent ? polls + 1 : 0;
      if (lastWaiting?.cursor === state.cursor && this.#isWaitingForApproval(state)) this.#releaseWhileWaiting();
      lastWaiting = this.#isWaitingForApproval(state) ? state : undefined;
    }
    return new Promise<never>(() => undefined);
  }

  /** Releases a task that waits for an approval, because no lease is needed until the decision. */
  #releaseWhileWaiting(): void {
    this.#released.resolve("waiting");
    this.#stop.abort(createReleasedError());
  }

  #applyJournal(state: TaskState, isStuck: boolean): void {
    const run = this.#agentRun;
    // A cancellation aborts the agent after the agent's first event. If there is no event for more than
    // `MAX_CANCEL_POLLS` polls (`isStuck`), the agent is aborted without it.
    if (state.cancelling && (this.#hasAgentEvent || isStuck)) this.#stop.abort();
    if (run === undefined) {
      if (this.#isReleasing) this.#released.resolve("released");
      return;
    }
    for (const queued of state.queue) if (queued.mode === "steer") this.#steerAgent(run, queued);
    this.#withdrawUnqueued(run, state);
    this.#approvals.notify(state);
  }

  #steerAgent(run: AgentRun, queued: QueuedTaskMessage): void {
    if (this.#deliveredMessageIds.has(queued.id)) return;
    try {
      this.#deliveredMessageIds.set(queued.id, run.steer(toThreadMessage(queued)).id);
    } catch {
      // `steer` throws if the run has just ended. The message then stays in the task's queue and is delivered to the
      // next run.
    }
  }

  /**
   * Removes messages from the agent's queue that are no longer in the task's queue. Messages that the agent has already
   * appended are not affected.
   */
  #withdrawUnqueued(run: AgentRun, { queue }: TaskState): void {
    for (const [id, steering] of this.#deliveredMessageIds) {
      if (queue.some((each) => each.id === id)) continue;
      run.unqueue(steering);
      this.#deliveredMessageIds.delete(id);
    }
  }

  /**
   * Called after an agent run: delivers the next queued messages, so that the work continues, or writes the end of the
   * work. Returns true if the work has ended.
   */
  async #conclude(outcome: AgentRunOutcome = {}): Promise<boolean> {
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

  #report(ending: string, { error, failure }: AgentRunOutcome): void {
    const { services, work } = this.#options;
    const { metrics, log } = services;
    metrics
      .counter("koine_task_conversations_total", "Ended conversations of tasks, by reason.")
      .add(1, { reason: ending });
    if (failure === undefined) return;
    const { code, message } = failure;
    if (code === "internal") log.error("task-failed", { task: work.threadId }, error);
    else log.warn("task-failed", { task: work.threadId, code, message });
  }

  /**
   * Returns the journal change to write after an agent run, and the reason why the work ended (`ending`). The reason is
   * undefined if the work continues with queued messages.
   */
  #changeAfter(
    { result, failure }: AgentRunOutcome,
    state: TaskState,
  ): [ending: string | undefined, change?: JournalChange] {
    const { work: workLease } = this.#options;
    if (!state.running) return ["done"];
    if (state.cancelling) {
      return ["cancelled", { workLease, entries: [...createDropEntries(state.queue), createEndedEntry("cancelled")] }];
    }
    if (failure !== undefined) {
      return ["failed", { workLease, entries: [{ type: "failed", error: failure }, createEndedEntry("failed")] }];
    }
    const next = nextQueuedMessages(state);
    if (next.length > 0) {
      return [
        undefined,
        { workLease, entries: next.map(createUnqueuedEntry(true)), append: { messages: next.map(toThreadMessage) } },
      ];
    }
    const reason = result?.reason ?? "done";
    return [reason, { workLease, entries: [createEndedEntry(reason)] }];
  }
}

function createReleasedError(): AgentError {
  return new AgentError("released", "The task was released and continues elsewhere or later.");
}

function createEndedEntry(reason: Extract<TaskEntry, { type: "ended" }>["reason"]): TaskEntry {
  return { type: "ended", reason };
}

function readQueueId({ metadata }: Message): string | undefined {
  const id = metadata?.["queueId"];
  return typeof id === "string" ? id : undefined;
}

function createUnqueuedEntry(delivered: boolean): (queued: QueuedTaskMessage) => TaskEntry {
  return ({ id }) => ({ type: "unqueued", id, said: delivered });
}
