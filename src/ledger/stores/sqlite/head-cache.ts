// Implements the transaction of a SQLite store, with a cache of thread heads (thread rows with the ids of the newest
// rows), so that a write to a recently written thread need not read them. The cache is valid as long as no other
// process writes to the file, which is checked at the beginning of each transaction.
import type { ThreadHead, ThreadRow } from "../../store/rows.ts";
import type { Awaitable } from "../../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../../store/contract.ts";
import { toThreadMapKey } from "../../threads/thread-map-key.ts";
import type { DeletionCounts, LogRow, MessageRow } from "../../store/rows.ts";
import { compareIds } from "../compare-ids.ts";
import { SqlTransaction } from "../sql/transaction.ts";

/** The maximum number of cached heads; the least recently used heads are removed. */
const MAX_CACHED_HEADS = 1000;

/** The transaction of a SQLite store. */
export class SqliteTransaction extends SqlTransaction {
  readonly #heads = new Map<string, ThreadHead>();
  #version = Number.NaN;

  /**
   * Clears the cache if another process has committed since the last call; `version` is the file's data version. Called
   * at the beginning of each transaction.
   */
  onBegin(version: number): void {
    if (version !== this.#version) this.#heads.clear();
    this.#version = version;
  }

  /** Clears the cache. Called after a rollback, because the cached heads may contain undone changes. */
  onRollback(): void {
    this.#heads.clear();
  }

  override lockThread(key: ThreadKey): Awaitable<ThreadHead | undefined> {
    const name = toThreadMapKey(key.tenant, key.threadId);
    const cached = this.#heads.get(name);
    if (cached !== undefined) {
      // The entry is moved to the end, so that the first entry is always the least recently used one.
      this.#heads.delete(name);
      this.#heads.set(name, cached);
      return { ...cached };
    }
    // The cast is safe, because SQLite reads synchronously within a transaction.
    const head = this.thread(key) as ThreadHead | undefined;
    if (head !== undefined) this.#cache(name, head);
    return head;
  }

  override insertThread(row: ThreadRow): Awaitable<void> {
    const done = super.insertThread(row);
    this.#cache(toThreadMapKey(row.tenant, row.id), { ...row, newestMessageId: null, lastId: "" });
    return done;
  }

  override updateThread(key: ThreadKey, changes: Parameters<LedgerTransaction["updateThread"]>[1]): Awaitable<void> {
    this.#forget(key);
    return super.updateThread(key, changes);
  }

  override insertMessages(rows: readonly MessageRow[]): Awaitable<void> {
    const done = super.insertMessages(rows);
    for (const { tenant, threadId, id } of rows) {
      const head = this.#heads.get(toThreadMapKey(tenant, threadId));
      if (head === undefined) continue;
      if (head.newestMessageId === null || compareIds(id, head.newestMessageId) > 0) head.newestMessageId = id;
      if (compareIds(id, head.lastId) > 0) head.lastId = id;
    }
    return done;
  }

  override insertLog(rows: readonly LogRow[]): Awaitable<void> {
    const done = super.insertLog(rows);
    for (const { tenant, threadId, id } of rows) {
      const head = this.#heads.get(toThreadMapKey(tenant, threadId));
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

  #cache(name: string, head: ThreadHead): void {
    this.#heads.set(name, { ...head });
    if (this.#heads.size <= MAX_CACHED_HEADS) return;
    const [oldest] = this.#heads.keys();
    if (oldest !== undefined) this.#heads.delete(oldest);
  }

  #forget({ tenant, threadId }: ThreadKey): void {
    this.#heads.delete(toThreadMapKey(tenant, threadId));
  }
}
