// What is known here of threads and not written yet: what a transaction did to them, and what is gathered of many until it
// is written. Lists take it into account meanwhile, so that nobody writes in order to read.
import type { ThreadChange } from "../../overview/types.ts";
import { threadName } from "../../thread-name.ts";

/** What a transaction did to a thread. */
interface Touched {
  tenant: string;
  threadId: string;
  change: ThreadChange["change"];
  /** "" where nothing happened in it. */
  id: string;
}

/** Notes of one transaction, to be taken once it is durable. */
export class Touches {
  readonly list: Touched[] = [];

  add(tenant: string, threadId: string, change: ThreadChange["change"], id = ""): void {
    const last = this.list.at(-1);
    // Rows of a thread come one after the other, with growing ids.
    if (last?.change === change && last.threadId === threadId && last.tenant === tenant) last.id = id;
    else this.list.push({ tenant, threadId, change, id });
  }

  clear(): void {
    this.list.length = 0;
  }
}

/** What is to be written of a thread. */
export interface Note {
  tenant: string;
  threadId: string;
  lastActivity: string;
  changes: Set<ThreadChange["change"]>;
}

export class Notes {
  #waiting = new Map<string, Note>();
  /** Those that are being written. */
  #taken = new Map<string, Note>();

  raise(tenant: string, threadId: string, id: string): Note {
    const name = threadName(tenant, threadId);
    let note = this.#waiting.get(name);
    if (note === undefined) {
      note = { tenant, threadId, lastActivity: "", changes: new Set() };
      this.#waiting.set(name, note);
    }
    if (id > note.lastActivity) note.lastActivity = id;
    return note;
  }

  add({ tenant, threadId, change, id }: Touched): void {
    const note = this.raise(tenant, threadId, id);
    if (change === "deleted") {
      note.lastActivity = "";
      const taken = this.#taken.get(threadName(note.tenant, note.threadId));
      if (taken !== undefined) taken.lastActivity = "";
    }
    addLast(note.changes, change);
  }

  /** Everything, to be written; in one order, so that no two processes wait for each other. */
  take(): Note[] {
    this.#taken = this.#waiting;
    this.#waiting = new Map();
    return [...this.#taken.values()].sort((a, b) =>
      threadName(a.tenant, a.threadId) < threadName(b.tenant, b.threadId) ? -1 : 1,
    );
  }

  /** These were written, or will not be. */
  written(notes: readonly Note[]): void {
    for (const note of notes) this.#taken.delete(threadName(note.tenant, note.threadId));
  }

  /** These could not be written. What came meanwhile is the later word. */
  giveBack(notes: readonly Note[]): void {
    this.written(notes);
    for (const { tenant, threadId, lastActivity, changes } of notes) {
      const note = this.raise(tenant, threadId, lastActivity);
      const later = [...note.changes];
      note.changes = changes;
      for (const change of later) addLast(changes, change);
    }
  }

  /** Where the tenant's threads stand by what is known here, for those in which something happened. */
  activities(tenant: string): Map<string, string> {
    const found = new Map<string, string>();
    for (const notes of [this.#taken, this.#waiting]) {
      for (const note of notes.values()) {
        if (note.tenant !== tenant || note.lastActivity <= (found.get(note.threadId) ?? "")) continue;
        found.set(note.threadId, note.lastActivity);
      }
    }
    return found;
  }
}

/** The last word is what is so: a thread that was deleted and made again is there. */
function addLast(changes: Set<ThreadChange["change"]>, change: ThreadChange["change"]): void {
  changes.delete(change);
  changes.add(change);
}
