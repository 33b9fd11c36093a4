// Holds the thread activity that is not written to the activity table yet: of one transaction, and of all transactions
// since the last flush. Thread lists merge the pending activity with the table, so that it need not be written before a
// list.
import type { ThreadChange } from "../../overview/types.ts";
import { toThreadMapKey } from "../../threads/thread-map-key.ts";

/** A change of a thread by a transaction. */
interface ThreadWrite {
  tenant: string;
  threadId: string;
  change: ThreadChange["change"];
  /** The id of the row that is the thread's new last activity; "" if the change does not affect the last activity. */
  id: string;
}

/** The thread changes of one transaction, which are recorded once the transaction is durable. */
export class TransactionWrites {
  readonly list: ThreadWrite[] = [];

  add(tenant: string, threadId: string, change: ThreadChange["change"], id = ""): void {
    const last = this.list.at(-1);
    // The rows of a thread are written with increasing ids, so several equal changes in sequence become one, with the
    // last id.
    if (last?.change === change && last.threadId === threadId && last.tenant === tenant) last.id = id;
    else this.list.push({ tenant, threadId, change, id });
  }

  clear(): void {
    this.list.length = 0;
  }
}

/** The pending activity and changes of a thread. */
export interface PendingThread {
  tenant: string;
  threadId: string;
  lastActivity: string;
  changes: Set<ThreadChange["change"]>;
}

/** The pending activity of all threads. */
export class PendingActivity {
  #collected = new Map<string, PendingThread>();
  /** The threads whose activity is being written to the activity table. */
  #inFlight = new Map<string, PendingThread>();

  raiseActivity(tenant: string, threadId: string, id: string): PendingThread {
    const name = toThreadMapKey(tenant, threadId);
    let thread = this.#collected.get(name);
    if (thread === undefined) {
      thread = { tenant, threadId, lastActivity: "", changes: new Set() };
      this.#collected.set(name, thread);
    }
    if (id > thread.lastActivity) thread.lastActivity = id;
    return thread;
  }

  add({ tenant, threadId, change, id }: ThreadWrite): void {
    const thread = this.raiseActivity(tenant, threadId, id);
    if (change === "deleted") {
      thread.lastActivity = "";
      const inFlight = this.#inFlight.get(toThreadMapKey(tenant, threadId));
      if (inFlight !== undefined) inFlight.lastActivity = "";
    }
    moveToEnd(thread.changes, change);
  }

  /**
   * Returns all threads with pending activity, which the caller then writes. They are sorted, so that processes that
   * write the same threads cannot deadlock.
   */
  take(): PendingThread[] {
    this.#inFlight = this.#collected;
    this.#collected = new Map();
    return [...this.#inFlight.values()].sort((a, b) =>
      toThreadMapKey(a.tenant, a.threadId) < toThreadMapKey(b.tenant, b.threadId) ? -1 : 1,
    );
  }

  /** Removes threads from the set of threads that are being written, because their write has ended. */
  removeWritten(threads: readonly PendingThread[]): void {
    for (const { tenant, threadId } of threads) this.#inFlight.delete(toThreadMapKey(tenant, threadId));
  }

  /**
   * Makes threads that could not be written pending again. Their changes are placed before the changes that were added
   * meanwhile, which are later.
   */
  restore(threads: readonly PendingThread[]): void {
    this.removeWritten(threads);
    for (const { tenant, threadId, lastActivity, changes } of threads) {
      const thread = this.raiseActivity(tenant, threadId, lastActivity);
      const later = [...thread.changes];
      thread.changes = changes;
      for (const change of later) moveToEnd(changes, change);
    }
  }

  /** Returns the pending last activity of the tenant's threads, by thread id. */
  listActivities(tenant: string): Map<string, string> {
    const activities = new Map<string, string>();
    for (const threads of [this.#inFlight, this.#collected]) {
      for (const thread of threads.values()) {
        if (thread.tenant !== tenant || thread.lastActivity <= (activities.get(thread.threadId) ?? "")) continue;
        activities.set(thread.threadId, thread.lastActivity);
      }
    }
    return activities;
  }
}

/**
 * Adds a change at the end of a thread's changes, and removes an equal earlier change. The last change counts: a thread
 * that was deleted and created again exists.
 */
function moveToEnd(changes: Set<ThreadChange["change"]>, change: ThreadChange["change"]): void {
  changes.delete(change);
  changes.add(change);
}
