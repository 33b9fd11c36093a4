// Implements the writes of a SQL transaction, for SQLite and Postgres; the deletions are in deletions.ts.
import type * as Rows from "../../store/rows.ts";
import { wait, mapAwaitable, runSyncOrAsync, type Awaitable, type Steps } from "../../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../../store/contract.ts";
import * as tables from "./columns.ts";
import { toThreadChanges, toCreationIdPrefix } from "../thread-changes.ts";
import { SqlDeletions } from "./deletions.ts";
import type { SqlValue } from "./engine.ts";
import { INSERTS } from "./statements.ts";

const THREAD_KEYS = ["tenant", "id"];
const RUN_KEYS = ["tenant", "thread_id", "id", "epoch"];
const LEASED_WORK_KEYS = ["tenant", "thread_id", "lease_id"];
const FREE_WORK_KEYS = ["tenant", "thread_id"];

/** The transaction of a SQL store. */
export class SqlTransaction extends SqlDeletions implements LedgerTransaction {
  lockThread(key: ThreadKey): Awaitable<Rows.ThreadHead | undefined> {
    return this.statements.locks ? runSyncOrAsync(this.#lockThread(key)) : this.thread(key);
  }

  /**
   * Locks a thread, then reads it in a second statement: a combined statement would read the state from before the wait
   * for the lock.
   */
  *#lockThread(key: ThreadKey): Steps<Rows.ThreadHead | undefined> {
    for (;;) {
      const locked = yield* wait(this.session.all(this.statements.fixed["lock-thread"], [key.tenant, key.threadId]));
      const head = yield* wait(this.thread(key));
      // A thread that was created between the two statements is not locked yet, so both statements are repeated.
      if (locked.length > 0 || head === undefined) return head;
    }
  }

  insertThread(row: Rows.ThreadRow): Awaitable<void> {
    this.onThreadWrite(row.tenant, row.id, "created", toCreationIdPrefix(row));
    return mapAwaitable(this.session.insert(INSERTS.thread, [tables.THREADS.encode(row)]), toVoid);
  }

  updateThread(key: ThreadKey, changes: Parameters<LedgerTransaction["updateThread"]>[1]): Awaitable<void> {
    this.onThreadWrite(key.tenant, key.threadId);
    for (const change of toThreadChanges(changes)) this.onThreadWrite(key.tenant, key.threadId, change);
    return mapAwaitable(this.#update(tables.THREADS, THREAD_KEYS, [key.tenant, key.threadId], changes), toVoid);
  }

  insertMessages(rows: readonly Rows.MessageRow[]): Awaitable<void> {
    for (const { tenant, threadId, id } of rows) this.onThreadWrite(tenant, threadId, "activity", id);
    const values = rows.map((row) => tables.MESSAGES.encode(row));
    return mapAwaitable(this.session.insert(INSERTS.messages, values), toVoid);
  }

  insertRun(row: Rows.RunRow): Awaitable<void> {
    this.onThreadWrite(row.tenant, row.threadId);
    return mapAwaitable(this.session.insert(INSERTS.run, [tables.RUNS.encode(row)]), toVoid);
  }

  updateRun(key: ThreadKey, id: string, epoch: number, changes: Rows.RunChanges): Awaitable<boolean> {
    this.onThreadWrite(key.tenant, key.threadId);
    const update = this.#update(tables.RUNS, RUN_KEYS, [key.tenant, key.threadId, id, epoch], changes);
    return mapAwaitable(update, (count) => count > 0);
  }

  insertLog(rows: readonly Rows.LogRow[]): Awaitable<void> {
    for (const { tenant, threadId, kind, id } of rows) {
      if (kind === "delta") this.onThreadWrite(tenant, threadId);
      else this.onThreadWrite(tenant, threadId, "activity", id);
    }
    const values = rows.map((row) => tables.LOG.encode(row));
    return mapAwaitable(this.session.insert(INSERTS.log, values), toVoid);
  }

  insertKey(row: Rows.KeyRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.key, [tables.KEYS.encode(row)]), toVoid);
  }

  putAlias(row: Rows.AliasRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.alias, [tables.ALIASES.encode(row)]), toVoid);
  }

  claimAlias(row: Rows.AliasRow): Awaitable<Rows.AliasRow> {
    return runSyncOrAsync(this.#claimAlias(row));
  }

  *#claimAlias(row: Rows.AliasRow): Steps<Rows.AliasRow> {
    yield* wait(this.session.insert(INSERTS.claim, [tables.ALIASES.encode(row)]));
    // The alias is read by a separate statement, because the insert may have waited for a transaction that wrote it.
    return (yield* wait(this.alias(row.tenant, row.name))) ?? row;
  }

  addWork(row: Rows.WorkRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.work, [tables.WORK.encode(row)]), toVoid);
  }

  updateWork({ tenant, threadId }: ThreadKey, leaseId: string | null, changes: Rows.WorkChanges): Awaitable<boolean> {
    const update =
      leaseId === null
        ? this.#update(tables.WORK, FREE_WORK_KEYS, [tenant, threadId], changes, "lease_id IS NULL")
        : this.#update(tables.WORK, LEASED_WORK_KEYS, [tenant, threadId, leaseId], changes);
    return mapAwaitable(update, (count) => count > 0);
  }

  insertBlob(row: Rows.BlobRow): Awaitable<boolean> {
    return mapAwaitable(this.session.insert(INSERTS.blob, [tables.BLOBS.encode(row)]), (count) => count > 0);
  }

  refreshBlob(tenant: string, hash: string, createdAt: number): Awaitable<boolean> {
    const count = this.session.run(this.statements.fixed["refresh-blob"], [tenant, hash, createdAt]);
    return mapAwaitable(count, (rows) => rows > 0);
  }

  insertChunk(row: Rows.ChunkRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.chunk, [tables.CHUNKS.encode(row)]), toVoid);
  }

  insertBlobRefs(rows: readonly Rows.BlobRefRow[]): Awaitable<void> {
    return runSyncOrAsync(this.#insertBlobRefs(rows));
  }

  /**
   * Protects the blobs from deletion, then inserts the references. A deletion locks blobs before it checks their
   * references, so it waits until these references are visible.
   */
  *#insertBlobRefs(rows: readonly Rows.BlobRefRow[]): Steps<void> {
    if (this.statements.locks) {
      for (const [tenant, refs] of Map.groupBy(rows, (row) => row.tenant)) {
        const hashes = JSON.stringify([...new Set(refs.map(({ hash }) => hash))]);
        yield* wait(this.session.all(this.statements.fixed["lock-held-blobs"], [tenant, hashes]));
      }
    }
    const values = rows.map((row) => tables.BLOB_REFS.encode(row));
    yield* wait(this.session.insert(INSERTS.blobRefs, values));
  }

  quarantine(row: Rows.QuarantineRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.quarantine, [tables.QUARANTINE.encode(row)]), toVoid);
  }

  #update<Row extends object>(
    table: tables.SqlTable<Row>,
    keyColumns: readonly string[],
    keys: readonly SqlValue[],
    changes: Partial<NoInfer<Row>>,
    where?: string,
  ): Awaitable<number> {
    const fields = table.fields.filter((field) => changes[field] !== undefined);
    const values = fields.map((field) => table.encodeField(field, changes[field]));
    return this.session.run(this.statements.update(table, keyColumns, fields, where), [...keys, ...values]);
  }
}

function toVoid(): void {}
