// A task's events from any place in its history on: what happened since, then what happens, and beside them the queue as
// it is, for readers that keep no account of it.
import type { Effects } from "../../client/index.ts";
import type { Ledger, LedgerEvent } from "../../ledger/index.ts";
import type { StoredMessage } from "../../model/index.ts";
import { decodeEntry } from "./entries.ts";
import { type Calls, callsIn, encodeWaiting, eventsOf, parseId, type TaskEventRecord } from "./events.ts";
import type { Journal } from "./journal.ts";
import { advance, type TaskState } from "./state.ts";

/** An event with its id, or the queue, which has none: it is no part of the history. */
export type FeedItem = TaskEventRecord | { queue: ReturnType<typeof encodeWaiting>[] };

export interface FeedOptions {
  /** The id of the last event that the reader has; "now": only what comes next. Absent: from the beginning. */
  after?: string | undefined;
  signal: AbortSignal;
  effects: Pick<Effects, "sleep">;
}

/** The queue is shown so often at most: it may be long, and change with every event. */
const PICTURE_MS = 100;

/** Begins with the queue. Ends with the signal. Throws where `after` is no id of this task's. */
export async function* feed(
  journal: Journal,
  { after, signal, effects }: FeedOptions,
): AsyncGenerator<FeedItem, void, void> {
  const { ledger, threadId } = journal;
  const start = after === undefined ? undefined : parseId(after);
  const history = ledger.follow({ threadId, after: start?.cursor, gaps: "skip", signal });
  try {
    const calls = new CallMemory(ledger, threadId);
    const rest = start?.seen === undefined ? [] : await restOf(journal, calls, start.cursor, start.seen);
    let state = await journal.read();
    let shown = state.queue;
    yield queueOf(state);
    yield* rest;
    // Until the next picture may be shown.
    let pause = Promise.resolve();
    for (;;) {
      const reading = history.next();
      // An empty one is short, and says that nothing waits any more.
      while (state.queue !== shown && (state.queue.length === 0 || (await isFirst(pause, reading)))) {
        shown = state.queue;
        yield queueOf(state);
        pause = effects.sleep(PICTURE_MS, signal).catch(() => undefined);
      }
      const { done, value: happened } = await reading;
      if (done === true) return;
      yield* eventsOf(happened, await calls.before(happened));
      state = stateAfter(state, happened);
    }
  } finally {
    await history.return?.();
  }
}

function queueOf({ queue }: TaskState): FeedItem {
  return { queue: queue.map(encodeWaiting) };
}

/** Whether a pause is over before something else is. */
function isFirst(pause: Promise<void>, other: Promise<unknown>): Promise<boolean> {
  return Promise.race([pause.then(() => true), other.then(() => false)]);
}

/** The state after an entry that is not part of it yet. */
function stateAfter(state: TaskState, happened: LedgerEvent): TaskState {
  if (happened.type !== "entry" || happened.cursor <= (state.cursor ?? "")) return state;
  return advance(state, happened.cursor, decodeEntry(happened.entry));
}

/** The events of a message that a reader had in part. */
async function restOf(
  { ledger, threadId }: Journal,
  calls: CallMemory,
  cursor: string,
  seen: number,
): Promise<TaskEventRecord[]> {
  const [message] = await ledger.transcript(threadId, { branch: cursor, limit: 1 });
  if (message === undefined) return [];
  const happened: LedgerEvent = { cursor, type: "message", message };
  return eventsOf(happened, await calls.before(happened)).slice(seen);
}

/** The calls that tool messages answer: they stand in the message before, which may have been told long ago. */
class CallMemory {
  readonly #ledger: Ledger;
  readonly #threadId: string;
  #last: StoredMessage | undefined;

  constructor(ledger: Ledger, threadId: string) {
    this.#ledger = ledger;
    this.#threadId = threadId;
  }

  async before(happened: LedgerEvent): Promise<Calls> {
    if (happened.type !== "message") return NONE;
    const { message } = happened;
    const last = this.#last;
    this.#last = message;
    if (message.role !== "tool" || message.parentMessageId === null) return NONE;
    return callsIn(last?.id === message.parentMessageId ? last : await this.#read(message.parentMessageId));
  }

  async #read(branch: string): Promise<Pick<StoredMessage, "parts">> {
    const [message] = await this.#ledger.transcript(this.#threadId, { branch, limit: 1 });
    return message ?? { parts: [] };
  }
}

const NONE: Calls = new Map();
