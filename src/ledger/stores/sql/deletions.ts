// Implements the deletions of a SQL transaction, which return the numbers of deleted rows. Search entries are deleted
// together with their messages: by a trigger in SQLite, and by a foreign key in Postgres.
import { toIdPrefix } from "../../ids.ts";
import type { ThreadChange } from "../../overview/types.ts";
import { type DeletionCounts, NOTHING_DELETED } from "../../store/rows.ts";
import { wait, mapAwaitable, runSyncOrAsync, type Awaitable, type Steps } from "../../store/steps.ts";
import type { ThreadKey } from "../../store/contract.ts";
import type { SqlSession, SqlValue } from "./engine.ts";
import { SqlReads } from "./reads.ts";
import type { Statements } from "./statements.ts";

/**
 * A function that is called for each thread that a transaction writes to, before the transaction is durable. `change`
 * is the kind of change that watchers of threads receive, if any; `id` is the thread's new last activity, if it
 * changed.
 */
export type OnThreadWrite = (tenant: string, threadId: string, change?: ThreadChange["change"], id?: string) => void;
type StatementName = keyof Statements["fixed"];

/** The deletions of a SQL transaction. */
export class SqlDeletions extends SqlReads {
  protected readonly onThreadWrite: OnThreadWrite;

  constructor(session: SqlSession, statements: Statements, onThreadWrite: OnThreadWrite) {
    super(session, statements);
    this.onThreadWrite = onThreadWrite;
  }

  deleteDeltas(key: ThreadKey, runId: string, within?: { first: string; last: string }): Awaitable<number> {
    const values = [key.tenant, key.threadId, runId];
    if (within === undefined) return this.#delete("delete-deltas", values);
    return this.#delete("delete-deltas-within", [...values, within.first, within.last]);
  }

  deleteAlias(tenant: string, name: string): Awaitable<boolean> {
    return mapAwaitable(this.#delete("delete-alias", [tenant, name]), (count) => count > 0);
  }

  deleteWork({ tenant, threadId }: ThreadKey, leaseId: string, wants: number): Awaitable<boolean> {
    return mapAwaitable(this.#delete("delete-work", [tenant, threadId, leaseId, wants]), (count) => count > 0);
  }

  deleteChunks(tenant: string, blobId: string): Awaitable<void> {
    return mapAwaitable(this.#delete("delete-chunks", [tenant, blobId]), () => {});
  }

  deleteMessages(key: ThreadKey, ids: readonly string[]): Awaitable<DeletionCounts> {
    this.onThreadWrite(key.tenant, key.threadId, "updated");
    return runSyncOrAsync(this.#deleteMessages(key, [key.tenant, key.threadId, JSON.stringify(ids)]));
  }

  *#deleteMessages(key: ThreadKey, values: readonly SqlValue[]): Steps<DeletionCounts> {
    yield* this.#storeLastId(key);
    const { bytes } = yield* this.#measure("measure-messages", values);
    yield* wait(this.#delete("delete-refs", values));
    yield* wait(this.#delete("delete-quarantine", values));
    return { ...NOTHING_DELETED, bytes, messages: yield* wait(this.#delete("delete-messages", values)) };
  }

  deleteRuns(key: ThreadKey, ids: readonly string[]): Awaitable<DeletionCounts> {
    this.onThreadWrite(key.tenant, key.threadId, "updated");
    return runSyncOrAsync(this.#deleteRuns(key, [key.tenant, key.threadId, JSON.stringify(ids)]));
  }

  *#deleteRuns(key: ThreadKey, values: readonly SqlValue[]): Steps<DeletionCounts> {
    yield* this.#storeLastId(key);
    const { bytes } = yield* this.#measure("measure-log", values);
    const logRows = yield* wait(this.#delete("delete-log", values));
    yield* wait(this.#delete("delete-aliases", values));
    return { ...NOTHING_DELETED, bytes, logRows, runs: yield* wait(this.#delete("delete-runs", values)) };
  }

  /**
   * Stores the thread's last id, because the newest row may be deleted and its id must not be used again. Increments
   * `purges`, so that cached summaries become invalid.
   */
  *#storeLastId(key: ThreadKey): Steps<void> {
    yield* wait(this.#delete("count-purge", [key.tenant, key.threadId]));
    const head = yield* wait(this.thread(key));
    if (head === undefined || head.lastId === "") return;
    yield* wait(this.session.run(this.statements.fixed["keep-last-id"], [key.tenant, key.threadId, head.lastId]));
  }

  deleteThread(key: ThreadKey): Awaitable<DeletionCounts> {
    this.onThreadWrite(key.tenant, key.threadId, "deleted");
    return runSyncOrAsync(this.#deleteThread([key.tenant, key.threadId]));
  }

  *#deleteThread(values: readonly SqlValue[]): Steps<DeletionCounts> {
    const messages = yield* this.#measure("measure-thread-messages", values);
    const log = yield* this.#measure("measure-thread-log", values);
    yield* wait(this.#delete("delete-thread-refs", values));
    yield* wait(this.#delete("delete-thread-quarantine", values));
    yield* wait(this.#delete("delete-thread-aliases", values));
    yield* wait(this.#delete("delete-thread-work", values));
    yield* wait(this.#delete("delete-thread-activity", values));
    return {
      ...NOTHING_DELETED,
      bytes: messages.bytes + log.bytes,
      messages: yield* wait(this.#delete("delete-thread-messages", values)),
      logRows: yield* wait(this.#delete("delete-thread-log", values)),
      runs: yield* wait(this.#delete("delete-thread-runs", values)),
      keys: yield* wait(this.#delete("delete-thread-keys", values)),
      threads: yield* wait(this.#delete("delete-thread", values)),
    };
  }

  deleteKeys(tenant: string, before: number): Awaitable<DeletionCounts> {
    return mapAwaitable(this.#delete("delete-keys", [tenant, before]), (keys) => ({ ...NOTHING_DELETED, keys }));
  }

  deleteBlobs(tenant: string, hashes: readonly string[], before: number): Awaitable<DeletionCounts> {
    return runSyncOrAsync(this.#deleteBlobs("blobs", [tenant, Math.ceil(before), JSON.stringify(hashes)]));
  }

  deleteUnreferencedBlobs(tenant: string, before: number): Awaitable<DeletionCounts> {
    return runSyncOrAsync(this.#deleteUnreferencedBlobs(tenant, before));
  }

  *#deleteUnreferencedBlobs(tenant: string, before: number): Steps<DeletionCounts> {
    const deleted = yield* this.#deleteBlobs("old-blobs", [tenant, Math.ceil(before)]);
    // A blob id is a ULID, which begins with the time of its upload, so older uploads have ids below this prefix.
    const limit = toIdPrefix(before);
    const unfinished = yield* this.#measure("measure-unnamed-chunks", [tenant, limit]);
    if (unfinished.count > 0) yield* wait(this.#delete("delete-unnamed-chunks", [tenant, limit]));
    return { ...deleted, bytes: deleted.bytes + unfinished.bytes };
  }

  /**
   * Deletes unreferenced blobs and their chunks. Locks the blobs before it checks their references, so that a blob is
   * not deleted if another transaction adds a reference while this one waits for the lock.
   */
  *#deleteBlobs(which: "blobs" | "old-blobs", values: readonly SqlValue[]): Steps<DeletionCounts> {
    if (this.statements.locks) yield* wait(this.session.all(this.statements.fixed[`lock-${which}`], values));
    const { bytes } = yield* this.#measure(`measure-${which}`, values);
    yield* wait(this.#delete(`delete-chunks-of-${which}`, values));
    return { ...NOTHING_DELETED, bytes, blobs: yield* wait(this.#delete(`delete-${which}`, values)) };
  }

  #delete(name: StatementName, values: readonly SqlValue[]): Awaitable<number> {
    return this.session.run(this.statements.fixed[name], values);
  }

  *#measure(name: StatementName, values: readonly SqlValue[]): Steps<{ count: number; bytes: number }> {
    const [row] = yield* wait(this.session.all(this.statements.fixed[name], values));
    return { count: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) };
  }
}
