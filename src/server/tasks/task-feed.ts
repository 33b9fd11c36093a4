// Follows a task's events from any event id, together with snapshots of its queue for readers that do not track it.
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

/** An event with its id, or a snapshot of the queue, which has none because it is not part of the history. */
export type FeedItem = TaskEventRecord | { queue: ReturnType<typeof encodePendingMessage>[] };

export interface TaskFeedOptions {
  /** The last event id of the reader; "now": only new events. Absent: from the start. */
  after?: string | undefined;
  signal: AbortSignal;
  effects: Pick<Effects, "sleep">;
}

/** Shortest interval between two snapshots of the queue, which may be long and change with every event. */
const MIN_QUEUE_INTERVAL_MS = 100;

/** Starts with the queue and ends with the signal. Throws if `after` is not an event id of this task. */
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
    // Resolves when the next snapshot may be sent.
    let pause = Promise.resolve();
    for (;;) {
      const reading = history.next();
      // An empty queue is short and sent at once.
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

/** True if the pause ends before the other promise. */
function endsFirst(pause: Promise<void>, other: Promise<unknown>): Promise<boolean> {
  return Promise.race([pause.then(() => true), other.then(() => false)]);
}

/** Applies an entry that is newer than the state. */
function advanceState(state: TaskState, ledgerEvent: LedgerEvent): TaskState {
  if (ledgerEvent.type !== "entry" || ledgerEvent.cursor <= (state.cursor ?? "")) return state;
  return advanceTaskState(state, ledgerEvent.cursor, decodeEntry(ledgerEvent.entry));
}

/** Returns the events of a message that the reader does not have yet. */
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

/** Finds the tool calls that a tool message answers, in the message before it, which may have been sent long ago. */
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
