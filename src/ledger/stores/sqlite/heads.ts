// The heads of threads that this process wrote to last: the next write to one of them need not read where its history ends.
// They hold as long as nobody else writes to the file, which its counter tells at the beginning of each transaction.
import type { ThreadHead, ThreadRow } from "../../rows.ts";
import type { Awaitable } from "../../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../../store.ts";
import { threadName } from "../../thread-name.ts";
import type { DeletionCounts, LogRow, MessageRow } from "../../rows.ts";
import { compareIds } from "../compare.ts";
import { SqlTables } from "../sql/tables.ts";

/** Threads that are remembered; of more, those that came last. */
const MOST = 1000;

export class SqliteTables extends SqlTables {
  readonly #heads = new Map<string, ThreadHead>();
  #version = Number.NaN;

  /** A transaction begins; `version` is another one after every commit of somebody else. */
  begun(version: number): void {
    if (version !== this.#version) this.#heads.clear();
    this.#version = version;
  }

  /** It was undone, and with it what was remembered of it. */
  undone(): void {
    this.#heads.clear();
  }

  override lockThread(key: ThreadKey): Awaitable<ThreadHead | undefined> {
    const name = threadName(key.tenant, key.threadId);
    const kept = this.#heads.get(name);
    if (kept !== undefined) {
      // Anew, so that the first of the map is always the one that was not in use for longest.
      this.#heads.delete(name);
      this.#heads.set(name, kept);
      return { ...kept };
    }
    // SQLite answers at once within a transaction.
    const head = this.thread(key) as ThreadHead | undefined;
    if (head !== undefined) this.#keep(name, head);
    return head;
  }

  override insertThread(row: ThreadRow): Awaitable<void> {
    const done = super.insertThread(row);
    this.#keep(threadName(row.tenant, row.id), { ...row, newestMessageId: null, lastId: "" });
    return done;
  }

  override updateThread(key: ThreadKey, changes: Parameters<LedgerTransaction["updateThread"]>[1]): Awaitable<void> {
    this.#forget(key);
    return super.updateThread(key, changes);
  }

  override insertMessages(rows: readonly MessageRow[]): Awaitable<void> {
    const done = super.insertMessages(rows);
    for (const { tenant, threadId, id } of rows) {
      const head = this.#heads.get(threadName(tenant, threadId));
      if (head === undefined) continue;
      if (head.newestMessageId === null || compareIds(id, head.newestMessageId) > 0) head.newestMessageId = id;
      if (compareIds(id, head.lastId) > 0) head.lastId = id;
    }
    return done;
  }

  override insertLog(rows: readonly LogRow[]): Awaitable<void> {
    const done = super.insertLog(rows);
    for (const { tenant, threadId, id } of rows) {
      const head = this.#heads.get(threadName(tenant, threadId));
      if (head !== undefined && compareIds(id, head.lastId) > 0) head.lastId = id;
    }
    return done;
  }

  override deleteDeltas(key: ThreadKey, runId: string, within?: { first: string; last: string }): Awaitable<number> {
    this.#forget(key);
    return super.deleteDeltas(key, runId, within);
  }

  override deleteMessages(key: ThreadKey, ids: readonly string[]): Awaitable<DeletionCounts> {
    this.#forget(key);
    return super.deleteMessages(key, ids);
  }

  override deleteRuns(key: ThreadKey, ids: readonly string[]): Awaitable<DeletionCounts> {
    this.#forget(key);
    return super.deleteRuns(key, ids);
  }

  override deleteThread(key: ThreadKey): Awaitable<DeletionCounts> {
    this.#forget(key);
    return super.deleteThread(key);
  }

  #keep(name: string, head: ThreadHead): void {
    this.#heads.set(name, { ...head });
    if (this.#heads.size <= MOST) return;
    const [oldest] = this.#heads.keys();
    if (oldest !== undefined) this.#heads.delete(oldest);
  }

  #forget({ tenant, threadId }: ThreadKey): void {
    this.#heads.delete(threadName(tenant, threadId));
  }
}
