// Builds the state of a conversation from the thread's outline (all messages without their parts) and the events after
// it, without network access. Unchanged values stay the same objects, so that React skips them (B100).
import type { StoredMessage } from "koine";
import type { ThreadOutline, TaskSummaryJson } from "../api.ts";
import { reuseIfEqual } from "../structural-sharing.ts";
import type { AnswerSettings, ConversationState, FailedRun, RunJson, ThreadJson, ThreadEvent } from "../types.ts";
import { LiveAnswers } from "./live-answers.ts";
import { MessageTree, toOutlineNode } from "./message-tree.ts";
import { TaskReducer } from "./task-reducer.ts";

/** The fields of `ConversationState` that the reducer computes. */
export type ReducedConversation = Pick<
  ConversationState,
  "thread" | "nodes" | "path" | "bodies" | "liveRuns" | "failures" | "task" | "answerSettings"
>;

export class ConversationReducer {
  readonly tree = new MessageTree();
  readonly liveAnswers = new LiveAnswers();
  thread: ThreadJson | undefined;
  bodies: ReadonlyMap<string, StoredMessage> = new Map();
  failures: ReadonlyMap<string, FailedRun> = new Map();
  #task: TaskReducer | undefined;
  /**
   * Stored messages by run id, for runs whose end was not reported yet. They are added to the tree when the run ends,
   * so that all messages of a run appear together.
   */
  #unsettled = new Map<string, StoredMessage[]>();

  /** Replaces the state by the state of an outline. Complete messages that are already loaded stay. */
  load(outline: ThreadOutline, task?: TaskSummaryJson): void {
    const { thread, messages, activeLeafId, runs } = outline;
    this.thread = reuseIfEqual(this.thread, thread);
    this.tree.load(messages, activeLeafId);
    this.liveAnswers.clear();
    this.#unsettled.clear();
    this.failures = new Map();
    for (const run of runs) this.liveAnswers.start(normalizeRun(run));
    this.#task = task === undefined ? undefined : new TaskReducer(task, runs[0]?.id);
  }

  clear(): void {
    this.thread = undefined;
    this.tree.load([], null);
    this.liveAnswers.clear();
    this.#unsettled.clear();
    this.bodies = new Map();
    this.failures = new Map();
    this.#task = undefined;
  }

  apply(event: ThreadEvent): void {
    switch (event.type) {
      case "delta":
        return this.liveAnswers.push(event.runId, event.delta);
      case "message":
        return event.runId === undefined
          ? this.appendMessages([event.message])
          : this.#addRunMessage(event.runId, event.message);
      case "run":
        return this.#applyRun(normalizeRun(event.run));
      case "entry":
        this.#task?.apply(event.entry);
    }
  }

  /** Adds messages in order. If some of them were not known before, the last of these becomes the leaf. */
  appendMessages(messages: readonly StoredMessage[]): void {
    const newMessages = messages.filter(({ id }) => !this.tree.has(id));
    this.#addToTree(newMessages.map((message) => ({ message })));
    this.putBodies(messages);
    const last = newMessages.at(-1);
    if (last !== undefined) this.tree.advanceTo(last.id);
  }

  #addRunMessage(runId: string, message: StoredMessage): void {
    if (this.tree.has(message.id)) return this.putBodies([message]);
    this.#unsettled.set(runId, [...(this.#unsettled.get(runId) ?? []), message]);
  }

  #applyRun(run: RunJson): void {
    const { id, state } = run;
    if (state === "created" || state === "streaming") return this.#startRun(run);
    if (state === "superseded") return this.tree.supersede(id);
    const messages = this.#unsettled.get(id) ?? [];
    this.#unsettled.delete(id);
    this.liveAnswers.end(id);
    this.#addToTree(messages.map((message) => ({ message, runId: id })));
    this.putBodies(messages);
    if (state !== "committed") return this.addFailure(run);
    const last = messages.at(-1);
    if (last !== undefined && run.mode === "replace") this.tree.advanceTo(last.id);
  }

  #startRun(run: RunJson): void {
    // If the tree already has messages of the run, the outline was read after the run had ended. So the run is not live
    // any more, and this event, which reports its start, is ignored.
    for (const node of this.tree.nodes.values()) if (node.runId === run.id) return;
    this.liveAnswers.start(run);
    const answeredId = this.#findAnsweredMessage(run);
    if (answeredId !== undefined) this.#dropFailure(answeredId);
  }

  /**
   * Records a failed or cancelled run as the reason why a message has no answer, unless another run is answering the
   * message or has answered it since. A cancelled run that stored a partial message is not recorded, because the view
   * marks that message as interrupted.
   */
  addFailure(run: RunJson): void {
    const answeredId = this.#findAnsweredMessage(run);
    if (answeredId === undefined || this.liveAnswers.isAnswering(answeredId, this.tree.leaf)) return;
    const messageIds: string[] = [];
    for (const { parentMessageId, runId, interrupted, id } of this.tree.nodes.values()) {
      if (runId === run.id && run.state === "cancelled") return;
      if (parentMessageId === answeredId && interrupted !== true && id > run.id && runId !== run.id) return;
      if (runId === run.id) messageIds.push(id);
    }
    this.failures = new Map(this.failures).set(answeredId, { ...run, messageIds });
  }

  /**
   * Returns the id of the message that a run answered: the run's fork point, or, if the run states none, the newest
   * complete message before the run.
   */
  #findAnsweredMessage({ id: runId, forkFromMessageId: forkPointId }: RunJson): string | undefined {
    if (forkPointId !== undefined) return forkPointId ?? undefined;
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

  #addToTree(added: readonly { message: StoredMessage; runId?: string }[]): void {
    const nodes = added.map(({ message, runId }) => toOutlineNode(message, runId));
    this.tree.add(nodes);
    for (const { parentMessageId, interrupted } of nodes) {
      if (parentMessageId !== null && interrupted !== true) this.#dropFailure(parentMessageId);
    }
  }

  /** Adds complete messages that are not known yet; known messages stay, because stored messages never change. */
  putBodies(messages: readonly StoredMessage[]): void {
    const missing = messages.filter(({ id }) => !this.bodies.has(id));
    if (missing.length === 0) return;
    const bodies = new Map(this.bodies);
    for (const message of missing) bodies.set(message.id, message);
    this.bodies = bodies;
  }

  /** Sets the thread's title, metadata and other fields, except the active leaf, which the tree determines. */
  setThread(thread: ThreadJson): void {
    this.thread = reuseIfEqual(this.thread, { ...thread, activeLeafId: this.tree.leaf });
  }

  computeState(): ReducedConversation {
    const { tree, bodies, failures } = this;
    const task = this.#task;
    if (this.thread !== undefined && this.thread.activeLeafId !== tree.leaf) this.setThread(this.thread);
    const { thread } = this;
    return {
      thread,
      nodes: tree.nodes,
      path: tree.path,
      bodies,
      liveRuns: this.liveAnswers.computeState(tree.leaf),
      failures,
      task: thread === undefined ? undefined : task?.computeState(thread),
      answerSettings: readAnswerSettings(thread),
    };
  }
}

/**
 * Moves `losses` and `attempts` out of the run's metadata. In events they are in the metadata, because the ledger
 * stores them there; in replies they are fields of the run.
 */
function normalizeRun(run: RunJson): RunJson {
  const { losses, attempts, ...metadata } = (run.metadata ?? {}) as Partial<Pick<RunJson, "losses" | "attempts">>;
  return { ...run, losses: run.losses ?? losses ?? [], attempts: run.attempts ?? attempts ?? [], metadata };
}

const NO_SETTINGS: AnswerSettings = {};
const settingsByThread = new WeakMap<ThreadJson, AnswerSettings>();

/**
 * Returns the model and settings that were chosen last in this thread. For the same thread object it returns the same
 * result object.
 */
export function readAnswerSettings(thread: ThreadJson | undefined): AnswerSettings {
  if (thread === undefined) return NO_SETTINGS;
  const { page } = thread.metadata;
  const settings = settingsByThread.get(thread) ?? (typeof page === "object" && page !== null ? page : NO_SETTINGS);
  settingsByThread.set(thread, settings);
  return settings;
}
