// What can be done to a task: make one, say something to it, end its work, decide about a tool. Each is durable when it
// is answered, and holds for every instance.
import { createHash } from "node:crypto";
import type { InitialContent, Ledger, Thread } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { type Message, stringifyJson, textOf } from "../../model/index.ts";
import { routerOf } from "../gateway/routing.ts";
import { ServerError } from "../errors.ts";
import type { Caller, Services } from "../types.ts";
import {
  decodeEntry,
  dropEntries,
  encodeEntry,
  type QueueMode,
  type TaskEntry,
  type PendingMessage,
} from "./entries.ts";
import type { Change, Journal, Journals } from "./journal.ts";
import type { Runner } from "./runner.ts";
import type { KeyedMessage, TaskState } from "./state.ts";
import { TASK_KIND, type TaskFacts } from "./task.ts";
import { toThreadMessage } from "./words.ts";

/** What a message to a task comes to: its id, and whether it waits. */
export interface PostedMessage {
  id: string;
  queued: boolean;
}

export interface NewTask extends Pick<TaskFacts, "approval"> {
  model?: string | undefined;
  name?: string | undefined;
  message?: Message | undefined;
}

/** Letters of a message that name a task which was given no name. */
const NAME_LENGTH = 80;

export class Commands {
  readonly #services: Services;
  readonly #journals: Journals;
  readonly #runner: Runner;

  constructor(services: Services, journals: Journals, runner: Runner) {
    this.#services = services;
    this.#journals = journals;
    this.#runner = runner;
  }

  journal(ledger: Ledger, threadId: string): Journal {
    return this.#journals.open(ledger, threadId);
  }

  /** Throws a "not-found" for a model that nobody has. */
  async create(
    { ledger, scope }: Caller,
    task: NewTask,
    key?: string,
  ): Promise<{ thread: Thread; said?: PostedMessage }> {
    const { model = this.#services.config.tasks.model, name, message, approval } = task;
    routerOf(this.#services).route(model);
    const title = name ?? (message === undefined ? undefined : titleOf(message));
    const facts = approval === undefined ? { model } : { model, approval };
    const made = { kind: TASK_KIND, title, scope, metadata: { task: facts } };
    // Whoever asks again with a key says the same thing, under the same id.
    const idempotencyKey = key === undefined ? undefined : `task-${sha256(JSON.stringify([scope, key]))}`;
    const words = message && { id: idempotencyKey ?? ledger.newId(), message };
    try {
      const thread = await ledger.createThread(made, { idempotencyKey, ...(words && firstWords(words)) });
      if (words === undefined) return { thread };
      this.#wake(ledger, thread.id);
      return { thread, said: { id: words.id, queued: false } };
    } catch (error) {
      if (!(error instanceof LedgerError) || error.path !== "idempotencyKey") throw error;
      const advice = "Another task was made with this key: use a new idempotency-key for each task.";
      throw new ServerError("conflict", advice, { path: "idempotency-key", cause: error });
    }
  }

  /** At once where the task rests, else it waits for its turn. The same key does not say it again. */
  async say(
    ledger: Ledger,
    threadId: string,
    message: Message,
    how: { mode?: QueueMode; key?: string } = {},
  ): Promise<PostedMessage> {
    const { mode = "steer", key } = how;
    const journal = this.journal(ledger, threadId);
    const words: PendingMessage = { id: ledger.newId(), message };
    const keyed = key === undefined ? {} : { key, digest: sha256(stringifyJson(message)) };
    let said: PostedMessage = { id: words.id, queued: false };
    await journal.change((state) => {
      const before = key === undefined ? undefined : state.keys.get(key);
      if (before !== undefined) {
        said = sameAs(before, keyed.digest);
        return undefined;
      }
      demandRoom(state, message);
      said = { id: words.id, queued: !isAtRest(state) };
      return said.queued
        ? { want: true, entries: [{ type: "queued", ...words, mode, ...keyed }] }
        : beginning(words, { type: "began", id: words.id, ...keyed });
    });
    this.#wake(ledger, threadId);
    return said;
  }

  /** Takes one that waits back: it will not be said. Throws a "not-found" where none of this id waits. */
  async takeBack(ledger: Ledger, threadId: string, id: string): Promise<PendingMessage> {
    const journal = this.journal(ledger, threadId);
    let taken: PendingMessage | undefined;
    await journal.change(({ queue }) => {
      taken = queue.find((waiting) => waiting.id === id);
      return taken && { entries: [{ type: "unqueued", id, said: false }] };
    });
    if (taken === undefined) {
      const message = `No message "${id}" waits in this task: it was said, dropped or taken back.`;
      throw new ServerError("not-found", message, { path: "messageId" });
    }
    // Whoever is at work may have been handed it.
    this.#wake(ledger, threadId);
    return taken;
  }

  /** Ends the work, wherever it is done, and drops what waits. undefined: there is neither. `ended`: whether it has ended. */
  async cancel(
    ledger: Ledger,
    threadId: string,
    signal: AbortSignal,
  ): Promise<{ ended: boolean; pending: readonly PendingMessage[] } | undefined> {
    const journal = this.journal(ledger, threadId);
    let dropped: readonly PendingMessage[] | undefined;
    const id = ledger.newId();
    const asked = await journal.change((state) => {
      dropped = undefined;
      if (state.running) return { want: true, entries: [{ type: "cancel", id }] };
      if (state.queue.length === 0) return undefined;
      // What failed has left behind what waits: nobody holds the work that would drop it.
      dropped = state.queue;
      return { entries: dropEntries(state.queue) };
    });
    const after = asked?.cursors.at(-1);
    if (after === undefined) return undefined;
    if (dropped !== undefined) return { ended: true, pending: dropped };
    this.#wake(ledger, threadId);
    const pending = await this.#cancelled(journal, after, signal);
    return pending === undefined ? { ended: false, pending: journal.known.queue } : { ended: true, pending };
  }

  /** What was dropped when the work ended; undefined where that takes too long. */
  async #cancelled(journal: Journal, after: string, signal: AbortSignal): Promise<PendingMessage[] | undefined> {
    const { threadId, ledger } = journal;
    const over = new AbortController();
    const { effects } = this.#services.session;
    void effects.sleep(CANCEL_MS, over.signal).then(
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

  /** Lets a tool that waits run, or not. Throws a "not-found" where none of this id waits, a "conflict" where it was decided otherwise. */
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
        const message = `No call "${toolCallId}" of this task waits to be allowed.`;
        throw new ServerError("not-found", message, { path: "/toolCallId" });
      }
      // Nobody holds the work while it waits for this alone.
      if (call.decision === undefined) {
        return { want: true, entries: [{ type: "decided", toolCallId, approve, reason }] };
      }
      if (call.decision.approve === approve) return undefined;
      const message = `It was decided before that the call "${toolCallId}" is ${approve ? "not " : ""}allowed.`;
      throw new ServerError("conflict", message, { path: "/approve" });
    });
    this.#wake(ledger, threadId);
  }

  /** Beside the reply: the work goes on without whoever asked for it. */
  #wake(ledger: Ledger, threadId: string): void {
    this.#services.background(this.#runner.wake(ledger, threadId));
  }
}

/** The longest that a reply waits for work to end on another instance. */
const CANCEL_MS = 15_000;

/** Messages that may wait for one task, and their characters as JSON: readers are shown all of them at every change. */
const MOST_WAITING = 1000;
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** Throws a "too-many". The first one that waits may be as long as a body may be. */
function demandRoom({ queue }: TaskState, message: Message): void {
  const held = queue.reduce((sum, waiting) => sum + lengthOf(waiting.message), 0);
  const isFull = queue.length >= MOST_WAITING || (held > 0 && held + lengthOf(message) > MOST_CHARACTERS);
  if (!isFull) return;
  const most = `At most ${MOST_WAITING} messages and ${MOST_CHARACTERS / 1024 / 1024} MiB wait for a task`;
  const advice = `${most}: wait until some are said, or cancel its work.`;
  throw new ServerError("too-many", advice, { headers: { "retry-after": "5" } });
}

/** Messages that wait are looked at again and again, and do not change. */
const lengths = new WeakMap<Message, number>();

function lengthOf(message: Message): number {
  const known = lengths.get(message) ?? stringifyJson(message).length;
  lengths.set(message, known);
  return known;
}

function isAtRest({ running, queue }: TaskState): boolean {
  return !running && queue.length === 0;
}

/** What a task begins with that is told something in its making. */
function firstWords(words: PendingMessage): InitialContent {
  const { entries, append, want } = beginning(words, { type: "began", id: words.id });
  return { entries: entries.map(encodeEntry), messages: append?.messages, want };
}

function beginning(words: PendingMessage, entry: TaskEntry): Change {
  return { want: true, entries: [entry], append: { messages: [toThreadMessage(words)] } };
}

function sameAs({ id, queued, digest }: KeyedMessage, asked: string | undefined): PostedMessage {
  if (digest === asked) return { id, queued };
  const message = "Another message was said with this key: use a new idempotency-key for each message.";
  throw new ServerError("conflict", message, { path: "idempotency-key" });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function titleOf(message: Message): string | undefined {
  // A name is for people, and stands in a column of its own: characters that nobody can see are left out of it.
  const text = textOf(message).replaceAll("\u0000", "").trim().replaceAll(/\s+/g, " ");
  if (text === "") return undefined;
  return (text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH - 1)}…` : text).toWellFormed();
}
