// Follows the events of a task from any event id, and adds snapshots of the queue for clients that do not compute the
// queue from the events.
import type { Effects } from "../../client/index.ts";
import type { Ledger, LedgerEvent } from "../../ledger/index.ts";
import type { StoredMessage } from "../../model/index.ts";
import { decodeEntry } from "./journal-entries.ts";
import {
  type ToolCallsById,
  collectToolCalls,
  encodePendingMessage,
  toTaskEvents,
  parseEventId,
  type TaskEventRecord,
} from "./task-events.ts";
import type { TaskJournal } from "./journal.ts";
import { advanceTaskState, type TaskState } from "./task-state.ts";

/** An event with its id, or a snapshot of the queue. A snapshot has no id, because it is not stored. */
export type FeedItem = TaskEventRecord | { queue: ReturnType<typeof encodePendingMessage>[] };

export interface TaskFeedOptions {
  /** The id of the last event that the client has received; "now" for new events only; undefined for all events. */
  after?: string | undefined;
  signal: AbortSignal;
  effects: Pick<Effects, "sleep">;
}

/**
 * The minimum interval between two snapshots of the queue, in milliseconds. A queue may be long and may change with
 * every event.
 */
const MIN_QUEUE_INTERVAL_MS = 100;

/**
 * Yields a snapshot of the queue, then the events, with a further snapshot whenever the queue has changed. Ends when
 * `signal` is aborted. Throws if `after` is not an event id of this task.
 */
export async function* followTask(
  journal: TaskJournal,
  { after, signal, effects }: TaskFeedOptions,
): AsyncGenerator<FeedItem, void, void> {
  const { ledger, threadId } = journal;
  const start = after === undefined ? undefined : parseEventId(after);
  const history = ledger.follow({ threadId, after: start?.cursor, gaps: "skip", signal });
  try {
    const calls = new ToolCallLookup(ledger, threadId);
    const remaining =
      start?.seen === undefined ? [] : await readRemainingEvents(journal, calls, start.cursor, start.seen);
    let state = await journal.read();
    let shownQueue = state.queue;
    yield toQueueItem(state);
    yield* remaining;
    // `pause` resolves when the next snapshot of the queue may be sent.
    let pause = Promise.resolve();
    for (;;) {
      const reading = history.next();
      // A snapshot of a changed queue is sent if the pause ends before the next event arrives. The snapshot of an empty
      // queue is sent at once, because it is short.
      while (state.queue !== shownQueue && (state.queue.length === 0 || (await endsFirst(pause, reading)))) {
        shownQueue = state.queue;
        yield toQueueItem(state);
        pause = effects.sleep(MIN_QUEUE_INTERVAL_MS, signal).catch(() => undefined);
      }
      const { done, value: ledgerEvent } = await reading;
      if (done === true) return;
      yield* toTaskEvents(ledgerEvent, await calls.findCalls(ledgerEvent));
      state = advanceState(state, ledgerEvent);
    }
  } finally {
    await history.return?.();
  }
}

function toQueueItem({ queue }: TaskState): FeedItem {
  return { queue: queue.map(encodePendingMessage) };
}

/** Returns true if `pause` resolves before `other`, and otherwise false. */
function endsFirst(pause: Promise<void>, other: Promise<unknown>): Promise<boolean> {
  return Promise.race([pause.then(() => true), other.then(() => false)]);
}

/**
 * Returns the state after a ledger event; the same state if the event is not a journal entry or is already part of the
 * state.
 */
function advanceState(state: TaskState, ledgerEvent: LedgerEvent): TaskState {
  if (ledgerEvent.type !== "entry" || ledgerEvent.cursor <= (state.cursor ?? "")) return state;
  return advanceTaskState(state, ledgerEvent.cursor, decodeEntry(ledgerEvent.entry));
}

/** Returns the events of the message at the cursor, without the first `seen` events, which the client has received. */
async function readRemainingEvents(
  { ledger, threadId }: TaskJournal,
  calls: ToolCallLookup,
  cursor: string,
  seen: number,
): Promise<TaskEventRecord[]> {
  const [message] = await ledger.transcript(threadId, { branch: cursor, limit: 1 });
  if (message === undefined) return [];
  const ledgerEvent: LedgerEvent = { cursor, type: "message", message };
  return toTaskEvents(ledgerEvent, await calls.findCalls(ledgerEvent)).slice(seen);
}

/**
 * Finds the tool calls that a tool message answers. The calls are in the parent message, which is read from the ledger
 * if it was not the previous message of the feed.
 */
class ToolCallLookup {
  readonly #ledger: Ledger;
  readonly #threadId: string;
  #last: StoredMessage | undefined;

  constructor(ledger: Ledger, threadId: string) {
    this.#ledger = ledger;
    this.#threadId = threadId;
  }

  async findCalls(ledgerEvent: LedgerEvent): Promise<ToolCallsById> {
    if (ledgerEvent.type !== "message") return NO_CALLS;
    const { message } = ledgerEvent;
    const last = this.#last;
    this.#last = message;
    if (message.role !== "tool" || message.parentMessageId === null) return NO_CALLS;
    return collectToolCalls(last?.id === message.parentMessageId ? last : await this.#read(message.parentMessageId));
  }

  async #read(branch: string): Promise<Pick<StoredMessage, "parts">> {
    const [message] = await this.#ledger.transcript(this.#threadId, { branch, limit: 1 });
    return message ?? { parts: [] };
  }
}

const NO_CALLS: ToolCallsById = new Map();
