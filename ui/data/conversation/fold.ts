// A thread as its views read it, put together from an outline and the events after it. Knows nothing of the network; what
// did not change from one state to the next is the same object (B100).
import type { StoredMessage } from "koine";
import type { Outline, TaskView } from "../api.ts";
import { keepEqual } from "../keep.ts";
import type { AskSettings, ConversationState, FailedRun, Run, Thread, ThreadEvent } from "../types.ts";
import { LiveAnswers } from "./live.ts";
import { MessageTree, nodeOf } from "./nodes.ts";
import { TaskFold } from "./task.ts";

/** What the fold itself says of a conversation. */
export type Folded = Pick<
  ConversationState,
  "thread" | "nodes" | "path" | "bodies" | "live" | "failures" | "task" | "ask"
>;

export class ConversationFold {
  readonly tree = new MessageTree();
  readonly live = new LiveAnswers();
  thread: Thread | undefined;
  bodies: ReadonlyMap<string, StoredMessage> = new Map();
  failures: ReadonlyMap<string, FailedRun> = new Map();
  #task: TaskFold | undefined;
  /** Recorded messages of runs whose end is not told yet: all of an answer are shown at once, in its place. */
  #arriving = new Map<string, StoredMessage[]>();

  /** Begins anew from an outline. What is known of messages stays known. */
  load(outline: Outline, task?: TaskView): void {
    const { thread, messages, activeLeafId, runs } = outline;
    this.thread = keepEqual(this.thread, thread);
    this.tree.load(messages, activeLeafId);
    this.live.clear();
    this.#arriving.clear();
    this.failures = new Map();
    for (const run of runs) this.live.begin(runOf(run));
    this.#task = task === undefined ? undefined : new TaskFold(task, runs[0]?.id);
  }

  /** Nothing is known any more. */
  clear(): void {
    this.thread = undefined;
    this.tree.load([], null);
    this.live.clear();
    this.#arriving.clear();
    this.bodies = new Map();
    this.failures = new Map();
    this.#task = undefined;
  }

  apply(event: ThreadEvent): void {
    switch (event.type) {
      case "delta":
        return this.live.push(event.runId, event.delta);
      case "message":
        return event.runId === undefined ? this.said([event.message]) : this.#arrived(event.runId, event.message);
      case "run":
        return this.#runChanged(runOf(event.run));
      case "entry":
        this.#task?.apply(event.entry);
    }
  }

  /** Messages that somebody appended, in their order; the thread goes on with them. */
  said(messages: readonly StoredMessage[]): void {
    const fresh = messages.filter(({ id }) => !this.tree.has(id));
    this.#add(fresh.map((message) => ({ message })));
    this.putBodies(messages);
    const last = fresh.at(-1);
    if (last !== undefined) this.tree.follow(last.id);
  }

  #arrived(runId: string, message: StoredMessage): void {
    if (this.tree.has(message.id)) return this.putBodies([message]);
    this.#arriving.set(runId, [...(this.#arriving.get(runId) ?? []), message]);
  }

  #runChanged(run: Run): void {
    const { id, state } = run;
    if (state === "created" || state === "streaming") return this.#begun(run);
    if (state === "superseded") return this.tree.supersede(id);
    const messages = this.#arriving.get(id) ?? [];
    this.#arriving.delete(id);
    this.live.end(id);
    this.#add(messages.map((message) => ({ message, runId: id })));
    this.putBodies(messages);
    if (state !== "committed") return this.failed(run);
    const last = messages.at(-1);
    if (last !== undefined && run.mode === "replace") this.tree.follow(last.id);
  }

  #begun(run: Run): void {
    // Told again, though its messages are there: it ended before the outline was read.
    for (const node of this.tree.nodes.values()) if (node.runId === run.id) return;
    this.live.begin(run);
    const after = this.#answered(run);
    if (after !== undefined) this.#dropFailure(after);
  }

  /** Why there is no answer: unless there is one that came later. One that was stopped midway speaks for itself. */
  failed(run: Run): void {
    const after = this.#answered(run);
    if (after === undefined || this.live.answersTo(after, this.tree.leaf)) return;
    const messageIds: string[] = [];
    for (const { parentMessageId, runId, interrupted, id } of this.tree.nodes.values()) {
      if (runId === run.id && run.state === "cancelled") return;
      if (parentMessageId === after && interrupted !== true && id > run.id && runId !== run.id) return;
      if (runId === run.id) messageIds.push(id);
    }
    this.failures = new Map(this.failures).set(after, { ...run, messageIds });
  }

  /** The message that a run answered: the newest that was there, where it does not say. */
  #answered({ id: runId, forkFromMessageId: fork }: Run): string | undefined {
    if (fork !== undefined) return fork ?? undefined;
    let newest: string | undefined;
    for (const { id, interrupted } of this.tree.nodes.values()) if (id < runId && interrupted !== true) newest = id;
    return newest;
  }

  #dropFailure(messageId: string): void {
    if (!this.failures.has(messageId)) return;
    const failures = new Map(this.failures);
    failures.delete(messageId);
    this.failures = failures;
  }

  #add(added: readonly { message: StoredMessage; runId?: string }[]): void {
    const nodes = added.map(({ message, runId }) => nodeOf(message, runId));
    this.tree.add(nodes);
    for (const { parentMessageId, interrupted } of nodes) {
      if (parentMessageId !== null && interrupted !== true) this.#dropFailure(parentMessageId);
    }
  }

  /** Messages do not change: those that are there stay. */
  putBodies(messages: readonly StoredMessage[]): void {
    const missing = messages.filter(({ id }) => !this.bodies.has(id));
    if (missing.length === 0) return;
    const bodies = new Map(this.bodies);
    for (const message of missing) bodies.set(message.id, message);
    this.bodies = bodies;
  }

  /** The thread's own facts, as they are now. */
  describe(thread: Thread): void {
    this.thread = keepEqual(this.thread, { ...thread, activeLeafId: this.tree.leaf });
  }

  view(): Folded {
    const { tree, bodies, failures } = this;
    const task = this.#task;
    if (this.thread !== undefined && this.thread.activeLeafId !== tree.leaf) this.describe(this.thread);
    const { thread } = this;
    return {
      thread,
      nodes: tree.nodes,
      path: tree.path,
      bodies,
      live: this.live.view(tree.leaf),
      failures,
      task: thread === undefined ? undefined : task?.view(thread),
      ask: askOf(thread),
    };
  }
}

/** Events hold runs as the ledger keeps them, with what was noted of a call among the caller's facts. */
function runOf(told: Run): Run {
  const { losses, attempts, ...metadata } = (told.metadata ?? {}) as Partial<Pick<Run, "losses" | "attempts">>;
  return { ...told, losses: told.losses ?? losses ?? [], attempts: told.attempts ?? attempts ?? [], metadata };
}

const NOTHING: AskSettings = {};
const known = new WeakMap<Thread, AskSettings>();

/** What was chosen last for the thread's questions. */
export function askOf(thread: Thread | undefined): AskSettings {
  if (thread === undefined) return NOTHING;
  const { page } = thread.metadata;
  const ask = known.get(thread) ?? (typeof page === "object" && page !== null ? page : NOTHING);
  known.set(thread, ask);
  return ask;
}
