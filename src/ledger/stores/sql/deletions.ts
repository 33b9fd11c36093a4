// What work may delete from a ledger over SQL, and the count of it. Entries of the search index are the engine's own
// business: its migrations see to it that they go with their messages.
import { idTime } from "../../ids.ts";
import type { ThreadChange } from "../../overview/types.ts";
import { type DeletionCounts, NOTHING_DELETED } from "../../rows.ts";
import { got, mapAwaitable, runMixed, type Awaitable, type Steps } from "../../steps.ts";
import type { ThreadKey } from "../../store.ts";
import type { SqlSession, SqlValue } from "./engine.ts";
import { SqlReads } from "./reads.ts";
import type { Statements } from "./statements.ts";

/**
 * Hears of threads that may have changed, before the change is durable: what happened, where a list of threads shows it, and
 * the id of what happened in it.
 */
export type Touch = (tenant: string, threadId: string, change?: ThreadChange["change"], id?: string) => void;
type Name = keyof Statements["fixed"];

export class SqlDeletions extends SqlReads {
  protected readonly touch: Touch;

  constructor(session: SqlSession, statements: Statements, touch: Touch) {
    super(session, statements);
    this.touch = touch;
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
    this.touch(key.tenant, key.threadId, "updated");
    return runMixed(this.#deleteMessages(key, [key.tenant, key.threadId, JSON.stringify(ids)]));
  }

  *#deleteMessages(key: ThreadKey, values: readonly SqlValue[]): Steps<DeletionCounts> {
    yield* this.#keepLastId(key);
    const { bytes } = yield* this.#measure("measure-messages", values);
    yield* got(this.#delete("delete-refs", values));
    yield* got(this.#delete("delete-quarantine", values));
    return { ...NOTHING_DELETED, bytes, messages: yield* got(this.#delete("delete-messages", values)) };
  }

  deleteRuns(key: ThreadKey, ids: readonly string[]): Awaitable<DeletionCounts> {
    this.touch(key.tenant, key.threadId, "updated");
    return runMixed(this.#deleteRuns(key, [key.tenant, key.threadId, JSON.stringify(ids)]));
  }

  *#deleteRuns(key: ThreadKey, values: readonly SqlValue[]): Steps<DeletionCounts> {
    yield* this.#keepLastId(key);
    const { bytes } = yield* this.#measure("measure-log", values);
    const logRows = yield* got(this.#delete("delete-log", values));
    yield* got(this.#delete("delete-aliases", values));
    return { ...NOTHING_DELETED, bytes, logRows, runs: yield* got(this.#delete("delete-runs", values)) };
  }

  /** The newest row may be among those that go, and its id must not be given again. What was summed up no longer holds. */
  *#keepLastId(key: ThreadKey): Steps<void> {
    yield* got(this.#delete("count-purge", [key.tenant, key.threadId]));
    const head = yield* got(this.thread(key));
    if (head === undefined || head.lastId === "") return;
    yield* got(this.session.run(this.statements.fixed["keep-last-id"], [key.tenant, key.threadId, head.lastId]));
  }

  deleteThread(key: ThreadKey): Awaitable<DeletionCounts> {
    this.touch(key.tenant, key.threadId, "deleted");
    return runMixed(this.#deleteThread([key.tenant, key.threadId]));
  }

  *#deleteThread(values: readonly SqlValue[]): Steps<DeletionCounts> {
    const messages = yield* this.#measure("measure-thread-messages", values);
    const log = yield* this.#measure("measure-thread-log", values);
    yield* got(this.#delete("delete-thread-refs", values));
    yield* got(this.#delete("delete-thread-quarantine", values));
    yield* got(this.#delete("delete-thread-aliases", values));
    yield* got(this.#delete("delete-thread-work", values));
    yield* got(this.#delete("delete-thread-activity", values));
    return {
      ...NOTHING_DELETED,
      bytes: messages.bytes + log.bytes,
      messages: yield* got(this.#delete("delete-thread-messages", values)),
      logRows: yield* got(this.#delete("delete-thread-log", values)),
      runs: yield* got(this.#delete("delete-thread-runs", values)),
      keys: yield* got(this.#delete("delete-thread-keys", values)),
      threads: yield* got(this.#delete("delete-thread", values)),
    };
  }

  deleteKeys(tenant: string, before: number): Awaitable<DeletionCounts> {
    return mapAwaitable(this.#delete("delete-keys", [tenant, before]), (keys) => ({ ...NOTHING_DELETED, keys }));
  }

  deleteBlobs(tenant: string, hashes: readonly string[], before: number): Awaitable<DeletionCounts> {
    return runMixed(this.#deleteBlobs("blobs", [tenant, Math.ceil(before), JSON.stringify(hashes)]));
  }

  deleteLooseBlobs(tenant: string, before: number): Awaitable<DeletionCounts> {
    return runMixed(this.#deleteLooseBlobs(tenant, before));
  }

  *#deleteLooseBlobs(tenant: string, before: number): Steps<DeletionCounts> {
    const deleted = yield* this.#deleteBlobs("old-blobs", [tenant, Math.ceil(before)]);
    // A blob's id is a ULID: it tells when its upload began.
    const limit = idTime(before);
    const unnamed = yield* this.#measure("measure-unnamed-chunks", [tenant, limit]);
    if (unnamed.count > 0) yield* got(this.#delete("delete-unnamed-chunks", [tenant, limit]));
    return { ...deleted, bytes: deleted.bytes + unnamed.bytes };
  }

  /** The blobs are locked before they are looked at: one that found its message during the wait for the lock stays. */
  *#deleteBlobs(which: "blobs" | "old-blobs", values: readonly SqlValue[]): Steps<DeletionCounts> {
    if (this.statements.locks) yield* got(this.session.all(this.statements.fixed[`lock-${which}`], values));
    const { bytes } = yield* this.#measure(`measure-${which}`, values);
    yield* got(this.#delete(`delete-chunks-of-${which}`, values));
    return { ...NOTHING_DELETED, bytes, blobs: yield* got(this.#delete(`delete-${which}`, values)) };
  }

  #delete(name: Name, values: readonly SqlValue[]): Awaitable<number> {
    return this.session.run(this.statements.fixed[name], values);
  }

  *#measure(name: Name, values: readonly SqlValue[]): Steps<{ count: number; bytes: number }> {
    const [row] = yield* got(this.session.all(this.statements.fixed[name], values));
    return { count: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) };
  }
}
