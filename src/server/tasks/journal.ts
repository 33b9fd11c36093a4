// The journal of a task, read as far as it goes and no part of it twice; and changes of it that are decided on what it
// says, which hold only if nobody has written in between.
import type { Ledger, LogResult, LogOptions } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { decodeEntry, encodeEntry, type TaskEntry } from "./entries.ts";
import { advance, NEW_STATE, type TaskState } from "./state.ts";

/** What is to be written, and goes with it. */
export interface Change extends Pick<LogOptions, "append" | "want" | "holding"> {
  entries: readonly TaskEntry[];
}

const PAGE = 500;

export class Journal {
  readonly ledger: Ledger;
  readonly threadId: string;
  #state: TaskState = NEW_STATE;
  /** The entry before the last one. */
  #before: string | undefined;
  /** One read at a time. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(ledger: Ledger, threadId: string) {
    this.ledger = ledger;
    this.threadId = threadId;
  }

  /** As it was when it was last read. */
  get known(): TaskState {
    return this.#state;
  }

  /** Reads what is new. */
  read(): Promise<TaskState> {
    const next = this.#reading.then(() => this.#readOn());
    this.#reading = next.catch(() => undefined);
    return next;
  }

  /**
   * The last entry that is known is read again: where another stands in its place, the thread is not the one that it was
   * (it was deleted, and restored from an export), and is read from its beginning.
   */
  async #readOn(): Promise<TaskState> {
    for (;;) {
      const { cursor: last } = this.#state;
      const page = await this.ledger.entries(this.threadId, { after: this.#before, limit: PAGE });
      if (last !== null && page[0]?.cursor !== last) {
        this.#state = NEW_STATE;
        this.#before = undefined;
        continue;
      }
      for (const { cursor, entry } of last === null ? page : page.slice(1)) {
        this.#before = this.#state.cursor ?? undefined;
        this.#state = advance(this.#state, cursor, entry === undefined ? undefined : decodeEntry(entry));
      }
      if (page.length < PAGE) return this.#state;
    }
  }

  /**
   * Writes what `decide` says on the state as it is; undefined: nothing. Where somebody was faster, it is asked again.
   * What it throws is thrown.
   */
  async change(decide: (state: TaskState) => Change | undefined): Promise<LogResult | undefined> {
    for (let sameAgain = 0, last: string | null = null; ;) {
      const state = await this.read();
      // An end of the journal that cannot be read would never be the expected one.
      sameAgain = state.cursor === last ? sameAgain + 1 : 0;
      last = state.cursor;
      const change = decide(state);
      if (change === undefined) return undefined;
      const { entries, ...options } = change;
      try {
        const expectedEntry = state.cursor;
        return await this.ledger.log(this.threadId, entries.map(encodeEntry), { ...options, expectedEntry });
      } catch (error) {
        if (!isOvertaken(error) || sameAgain > 3) throw error;
      }
    }
  }

  /** Writes entries that hold whatever else was written. */
  write(entries: readonly TaskEntry[], options: Pick<LogOptions, "append" | "holding"> = {}): Promise<LogResult> {
    return this.ledger.log(this.threadId, entries.map(encodeEntry), options);
  }
}

function isOvertaken(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "conflict" && error.path === "expectedEntry";
}

/** How many journals are kept in memory. */
const MOST = 1000;

/** The journals that were read lately: a task's next message does not read all of it again. */
export class Journals {
  readonly #kept = new Map<string, Journal>();

  open(ledger: Ledger, threadId: string): Journal {
    const key = `${ledger.tenant}\n${threadId}`;
    const journal = this.#kept.get(key) ?? new Journal(ledger, threadId);
    // The last one used is the last to go.
    this.#kept.delete(key);
    this.#kept.set(key, journal);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
    return journal;
  }

  /** The thread is gone. */
  forget(ledger: Ledger, threadId: string): void {
    this.#kept.delete(`${ledger.tenant}\n${threadId}`);
  }
}
