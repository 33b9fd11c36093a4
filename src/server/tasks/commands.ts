// Implements the commands of tasks: create a task, post or remove a message, cancel the work, decide about a tool call.
// A command returns when its effect is durable and visible to every instance of the server.
import { createHash } from "node:crypto";
import type { InitialContent, Ledger, Thread } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { type Message, stringifyJson, getText } from "../../model/index.ts";
import { getModelRouter } from "../gateway/model-router.ts";
import { ServerError } from "../errors.ts";
import type { Caller, Services } from "../types.ts";
import {
  decodeEntry,
  createDropEntries,
  encodeEntry,
  type QueueMode,
  type TaskEntry,
  type PendingMessage,
} from "./journal-entries.ts";
import type { JournalChange, TaskJournal, JournalCache } from "./journal.ts";
import type { TaskRunner } from "./runner.ts";
import type { KeyedMessage, TaskState } from "./task-state.ts";
import { TASK_KIND, type TaskSettings } from "./task.ts";
import { toThreadMessage } from "./thread-message.ts";

/**
 * The result of posting a message: the id of the message, and whether it was queued. If `queued` is false, the message
 * was appended to the thread at once.
 */
export interface PostedMessage {
  id: string;
  queued: boolean;
}

export interface NewTask extends Pick<TaskSettings, "approval"> {
  model?: string | undefined;
  name?: string | undefined;
  message?: Message | undefined;
}

/** The maximum length of a task name that is made from the task's first message. */
const MAX_NAME_LENGTH = 80;

export class TaskCommands {
  readonly #services: Services;
  readonly #journals: JournalCache;
  readonly #runner: TaskRunner;

  constructor(services: Services, journals: JournalCache, runner: TaskRunner) {
    this.#services = services;
    this.#journals = journals;
    this.#runner = runner;
  }

  journal(ledger: Ledger, threadId: string): TaskJournal {
    return this.#journals.open(ledger, threadId);
  }

  /** Creates a task, and starts its work if the task has a message. Throws "not-found" for an unknown model. */
  async create(
    { ledger, scope }: Caller,
    task: NewTask,
    key?: string,
  ): Promise<{ thread: Thread; posted?: PostedMessage }> {
    const { model = this.#services.config.tasks.model, name, message, approval } = task;
    getModelRouter(this.#services).route(model);
    const title = name ?? (message === undefined ? undefined : createTaskName(message));
    const settings = approval === undefined ? { model } : { model, approval };
    const newThread = { kind: TASK_KIND, title, scope, metadata: { task: settings } };
    // The client's idempotency key determines the ids of the thread and the message, so that a repeated request creates
    // nothing new.
    const idempotencyKey = key === undefined ? undefined : `task-${sha256(JSON.stringify([scope, key]))}`;
    const pending = message && { id: idempotencyKey ?? ledger.newId(), message };
    try {
      const thread = await ledger.createThread(newThread, {
        idempotencyKey,
        ...(pending && createInitialContent(pending)),
      });
      if (pending === undefined) return { thread };
      this.#wakeRunner(ledger, thread.id);
      return { thread, posted: { id: pending.id, queued: false } };
    } catch (error) {
      if (!(error instanceof LedgerError) || error.path !== "idempotencyKey") throw error;
      const advice = "Another task was created with this key: use a new idempotency-key for each task.";
      throw new ServerError("conflict", advice, { path: "idempotency-key", cause: error });
    }
  }

  /**
   * Appends the message if the task is idle, and otherwise queues it. If the idempotency key was already used for the
   * same message, returns the result of the earlier post; if it was used for another message, throws "conflict".
   */
  async postMessage(
    ledger: Ledger,
    threadId: string,
    message: Message,
    options: { mode?: QueueMode; key?: string } = {},
  ): Promise<PostedMessage> {
    const { mode = "steer", key } = options;
    const journal = this.journal(ledger, threadId);
    const pending: PendingMessage = { id: ledger.newId(), message };
    const keyed = key === undefined ? {} : { key, digest: sha256(stringifyJson(message)) };
    let posted: PostedMessage = { id: pending.id, queued: false };
    await journal.change((state) => {
      const before = key === undefined ? undefined : state.keys.get(key);
      if (before !== undefined) {
        posted = replayPostedMessage(before, keyed.digest);
        return undefined;
      }
      assertQueueHasRoom(state, message);
      posted = { id: pending.id, queued: !isIdle(state) };
      return posted.queued
        ? { requestWork: true, entries: [{ type: "queued", ...pending, mode, ...keyed }] }
        : startTaskChange(pending, { type: "began", id: pending.id, ...keyed });
    });
    this.#wakeRunner(ledger, threadId);
    return posted;
  }

  /** Removes a message from the queue. Throws "not-found" if the message is not in the queue. */
  async unqueueMessage(ledger: Ledger, threadId: string, id: string): Promise<PendingMessage> {
    const journal = this.journal(ledger, threadId);
    let unqueued: PendingMessage | undefined;
    await journal.change(({ queue }) => {
      unqueued = queue.find((waiting) => waiting.id === id);
      return unqueued && { entries: [{ type: "unqueued", id, said: false }] };
    });
    if (unqueued === undefined) {
      const message = `Message "${id}" is not queued in this task: it was delivered, dropped or removed.`;
      throw new ServerError("not-found", message, { path: "messageId" });
    }
    // The runner is woken, because the message may already be in the queue of the running agent, which must then
    // discard it.
    this.#wakeRunner(ledger, threadId);
    return unqueued;
  }

  /**
   * Cancels the work of a task, even if another instance executes it, and empties the queue. Returns undefined if the
   * task is idle and its queue is empty. `ended` is false if the work has not ended within `MAX_CANCEL_WAIT_MS`.
   */
  async cancel(
    ledger: Ledger,
    threadId: string,
    signal: AbortSignal,
  ): Promise<{ ended: boolean; pending: readonly PendingMessage[] } | undefined> {
    const journal = this.journal(ledger, threadId);
    let dropped: readonly PendingMessage[] | undefined;
    const id = ledger.newId();
    const written = await journal.change((state) => {
      dropped = undefined;
      if (state.running) return { requestWork: true, entries: [{ type: "cancel", id }] };
      if (state.queue.length === 0) return undefined;
      // No work is running, for example after a failure, so no runner empties the queue. It is emptied here.
      dropped = state.queue;
      return { entries: createDropEntries(state.queue) };
    });
    const after = written?.cursors.at(-1);
    if (after === undefined) return undefined;
    if (dropped !== undefined) return { ended: true, pending: dropped };
    this.#wakeRunner(ledger, threadId);
    const pending = await this.#waitForCancelled(journal, after, signal);
    return pending === undefined ? { ended: false, pending: journal.lastState.queue } : { ended: true, pending };
  }

  /**
   * Waits until the cancelled work has ended and returns the dropped messages; undefined if the work has not ended in
   * time.
   */
  async #waitForCancelled(
    journal: TaskJournal,
    after: string,
    signal: AbortSignal,
  ): Promise<PendingMessage[] | undefined> {
    const { threadId, ledger } = journal;
    const over = new AbortController();
    const { effects } = this.#services.clientContext;
    void effects.sleep(MAX_CANCEL_WAIT_MS, over.signal).then(
      () => over.abort(),
      () => undefined,
    );
    const events = ledger.follow({ threadId, after, gaps: "skip", signal: AbortSignal.any([signal, over.signal]) });
    try {
      for await (const event of events) {
        const entry = event.type === "entry" ? decodeEntry(event.entry) : undefined;
        if (entry?.type === "cancelled") return entry.pending;
        if (entry?.type === "ended") return [];
      }
      return undefined;
    } finally {
      over.abort();
    }
  }

  /**
   * Decides about a tool call that waits for approval. Throws "not-found" if the call does not wait for approval, and
   * "conflict" if it already has the opposite decision.
   */
  async decide(
    ledger: Ledger,
    threadId: string,
    decision: { toolCallId: string; approve: boolean; reason?: string },
  ): Promise<void> {
    const { toolCallId, approve, reason } = decision;
    const journal = this.journal(ledger, threadId);
    await journal.change(({ calls }) => {
      const call = calls.get(toolCallId);
      if (call?.approval !== true) {
        const message = `Tool call "${toolCallId}" of this task is not waiting for approval.`;
        throw new ServerError("not-found", message, { path: "/toolCallId" });
      }
      // The decision requests work, so that a process claims the task again: no process holds the lease of a task that
      // waits only for approvals.
      if (call.decision === undefined) {
        return { requestWork: true, entries: [{ type: "decided", toolCallId, approve, reason }] };
      }
      if (call.decision.approve === approve) return undefined;
      const message = `Tool call "${toolCallId}" was ${approve ? "rejected" : "approved"} already.`;
      throw new ServerError("conflict", message, { path: "/approve" });
    });
    this.#wakeRunner(ledger, threadId);
  }

  /** Wakes the runner without waiting for it, because its work outlives the HTTP request. */
  #wakeRunner(ledger: Ledger, threadId: string): void {
    this.#services.background(this.#runner.wake(ledger, threadId));
  }
}

/** The maximum time that `cancel` waits for the work to end on another instance, in milliseconds. */
const MAX_CANCEL_WAIT_MS = 15_000;

/** The maximum number of queued messages of a task. The number is limited, because clients receive the whole queue. */
const MAX_QUEUED_MESSAGES = 1000;
/** The maximum total length of the queued messages of a task, in characters of JSON. */
const MAX_QUEUED_CHARACTERS = 8 * 1024 * 1024;

/** Throws "too-many" if the queue is full. A message of any length is accepted if the queue is empty. */
function assertQueueHasRoom({ queue }: TaskState, message: Message): void {
  const queuedLength = queue.reduce((sum, waiting) => sum + measureMessage(waiting.message), 0);
  const isFull =
    queue.length >= MAX_QUEUED_MESSAGES ||
    (queuedLength > 0 && queuedLength + measureMessage(message) > MAX_QUEUED_CHARACTERS);
  if (!isFull) return;
  const most = `At most ${MAX_QUEUED_MESSAGES} messages and ${MAX_QUEUED_CHARACTERS / 1024 / 1024} MiB can be queued for a task`;
  const advice = `${most}: wait until some are delivered, or cancel the task.`;
  throw new ServerError("too-many", advice, { headers: { "retry-after": "5" } });
}

/** A cache of the lengths of messages, because every posted message requires the lengths of all queued messages. */
const messageLengths = new WeakMap<Message, number>();

function measureMessage(message: Message): number {
  const known = messageLengths.get(message) ?? stringifyJson(message).length;
  messageLengths.set(message, known);
  return known;
}

function isIdle({ running, queue }: TaskState): boolean {
  return !running && queue.length === 0;
}

/**
 * Returns what is stored together with a new task: its first message, the journal entry "began", and the request for
 * work, by which a process claims the task.
 */
function createInitialContent(pending: PendingMessage): InitialContent {
  const { entries, append, requestWork } = startTaskChange(pending, { type: "began", id: pending.id });
  return { entries: entries.map(encodeEntry), messages: append?.messages, requestWork };
}

function startTaskChange(pending: PendingMessage, entry: TaskEntry): JournalChange {
  return { requestWork: true, entries: [entry], append: { messages: [toThreadMessage(pending)] } };
}

function replayPostedMessage({ id, queued, digest }: KeyedMessage, requestDigest: string | undefined): PostedMessage {
  if (digest === requestDigest) return { id, queued };
  const message = "Another message was posted with this key: use a new idempotency-key for each message.";
  throw new ServerError("conflict", message, { path: "idempotency-key" });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function createTaskName(message: Message): string | undefined {
  // U+0000 is removed, because the text columns of the stores do not accept it.
  const text = getText(message).replaceAll("\u0000", "").trim().replaceAll(/\s+/g, " ");
  if (text === "") return undefined;
  return (text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH - 1)}…` : text).toWellFormed();
}
