// Reads the journal of a task incrementally, and writes changes that depend on the task's state. A change is computed
// again if another process has written to the journal in the meantime.
import type { Ledger, LogResult, LogOptions } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { decodeEntry, encodeEntry, type TaskEntry } from "./journal-entries.ts";
import { advanceTaskState, INITIAL_TASK_STATE, type TaskState } from "./task-state.ts";

/**
 * A change of a task that is written as a whole: journal entries, messages to append, and a request for work, by which
 * a process claims the task.
 */
export interface JournalChange extends Pick<LogOptions, "append" | "requestWork" | "workLease"> {
  entries: readonly TaskEntry[];
}

const JOURNAL_PAGE_SIZE = 500;

export class TaskJournal {
  readonly ledger: Ledger;
  readonly threadId: string;
  #state: TaskState = INITIAL_TASK_STATE;
  /**
   * The cursor of the entry before the last known entry; undefined if there is none. A read starts after this cursor
   * and returns the last known entry again, to detect that the thread was replaced (`#readNewEntries`).
   */
  #previousCursor: string | undefined;
  /** The latest read of the journal. Reads are sequential, so the next read waits for this one. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(ledger: Ledger, threadId: string) {
    this.ledger = ledger;
    this.threadId = threadId;
  }

  /** The state of the task at the time of the last read. */
  get lastState(): TaskState {
    return this.#state;
  }

  /** Reads new entries and returns the current state. */
  read(): Promise<TaskState> {
    const next = this.#reading.then(() => this.#readNewEntries());
    this.#reading = next.catch(() => undefined);
    return next;
  }

  /**
   * Reads the last known entry and all newer entries. If a different entry is at the position of the last known entry,
   * the thread was deleted and imported again, so the journal is read from its start.
   */
  async #readNewEntries(): Promise<TaskState> {
    for (;;) {
      const { cursor: last } = this.#state;
      const page = await this.ledger.entries(this.threadId, { after: this.#previousCursor, limit: JOURNAL_PAGE_SIZE });
      if (last !== null && page[0]?.cursor !== last) {
        this.#state = INITIAL_TASK_STATE;
        this.#previousCursor = undefined;
        continue;
      }
      for (const { cursor, entry } of last === null ? page : page.slice(1)) {
        this.#previousCursor = this.#state.cursor ?? undefined;
        this.#state = advanceTaskState(this.#state, cursor, entry === undefined ? undefined : decodeEntry(entry));
      }
      if (page.length < JOURNAL_PAGE_SIZE) return this.#state;
    }
  }

  /**
   * Calls `decide` with the current state and writes the change that `decide` returns. Writes nothing if it returns
   * undefined. If another process has written in the meantime, `decide` is called again with the new state.
   */
  async change(decide: (state: TaskState) => JournalChange | undefined): Promise<LogResult | undefined> {
    for (let retries = 0, last: string | null = null; ;) {
      const state = await this.read();
      // After a conflict, the journal has a newer entry, so `read` returns another cursor. Repeated conflicts at the
      // same cursor should not happen; they are counted, so that a fault cannot cause an endless loop.
      retries = state.cursor === last ? retries + 1 : 0;
      last = state.cursor;
      const change = decide(state);
      if (change === undefined) return undefined;
      const { entries, ...options } = change;
      try {
        const expectedEntry = state.cursor;
        return await this.ledger.log(this.threadId, entries.map(encodeEntry), { ...options, expectedEntry });
      } catch (error) {
        if (!isJournalAdvancedError(error) || retries > 3) throw error;
      }
    }
  }

  /** Writes entries that do not depend on the state of the task. */
  write(entries: readonly TaskEntry[], options: Pick<LogOptions, "append" | "workLease"> = {}): Promise<LogResult> {
    return this.ledger.log(this.threadId, entries.map(encodeEntry), options);
  }
}

function isJournalAdvancedError(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "conflict" && error.path === "expectedEntry";
}

const MAX_CACHED_JOURNALS = 1000;

/** Caches recently used journals, so that the next request for a task reads only the new entries of its journal. */
export class JournalCache {
  readonly #journals = new Map<string, TaskJournal>();

  open(ledger: Ledger, threadId: string): TaskJournal {
    const key = `${ledger.tenant}\n${threadId}`;
    const journal = this.#journals.get(key) ?? new TaskJournal(ledger, threadId);
    // The journal is moved to the end of the map, because a full cache removes the first journal of the map.
    this.#journals.delete(key);
    this.#journals.set(key, journal);
    const [oldest] = this.#journals.keys();
    if (this.#journals.size > MAX_CACHED_JOURNALS && oldest !== undefined) this.#journals.delete(oldest);
    return journal;
  }

  /** Removes the journal of a deleted thread. */
  forget(ledger: Ledger, threadId: string): void {
    this.#journals.delete(`${ledger.tenant}\n${threadId}`);
  }
}
