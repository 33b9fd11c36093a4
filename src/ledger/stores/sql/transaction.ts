// The writes of a SQL transaction, for both engines; deletions are in deletions.ts.
import type {
  AliasRow,
  BlobRefRow,
  BlobRow,
  ChunkRow,
  KeyRow,
  LogRow,
  MessageRow,
  QuarantineRow,
  RunChanges,
  RunRow,
  ThreadHead,
  ThreadRow,
  WorkChanges,
  WorkRow,
} from "../../store/rows.ts";
import { wait, mapAwaitable, runSyncOrAsync, type Awaitable, type Steps } from "../../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../../store/contract.ts";
import {
  ALIASES,
  BLOB_REFS,
  BLOBS,
  CHUNKS,
  KEYS,
  LOG,
  MESSAGES,
  QUARANTINE,
  RUNS,
  THREADS,
  type SqlTable,
  WORK,
} from "./columns.ts";
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
  lockThread(key: ThreadKey): Awaitable<ThreadHead | undefined> {
    return this.statements.locks ? runSyncOrAsync(this.#lockThread(key)) : this.thread(key);
  }

  /** Locks in a separate statement before the read: a combined statement would read a snapshot from before the wait. */
  *#lockThread(key: ThreadKey): Steps<ThreadHead | undefined> {
    for (;;) {
      const locked = yield* wait(this.session.all(this.statements.fixed["lock-thread"], [key.tenant, key.threadId]));
      const head = yield* wait(this.thread(key));
      // A thread that was created between the two statements is not locked yet.
      if (locked.length > 0 || head === undefined) return head;
    }
  }

  insertThread(row: ThreadRow): Awaitable<void> {
    this.onThreadWrite(row.tenant, row.id, "created", toCreationIdPrefix(row));
    return mapAwaitable(this.session.insert(INSERTS.thread, [THREADS.encode(row)]), toVoid);
  }

  updateThread(key: ThreadKey, changes: Parameters<LedgerTransaction["updateThread"]>[1]): Awaitable<void> {
    this.onThreadWrite(key.tenant, key.threadId);
    for (const change of toThreadChanges(changes)) this.onThreadWrite(key.tenant, key.threadId, change);
    return mapAwaitable(this.#update(THREADS, THREAD_KEYS, [key.tenant, key.threadId], changes), toVoid);
  }

  insertMessages(rows: readonly MessageRow[]): Awaitable<void> {
    for (const { tenant, threadId, id } of rows) this.onThreadWrite(tenant, threadId, "activity", id);
    const values = rows.map((row) => MESSAGES.encode(row));
    return mapAwaitable(this.session.insert(INSERTS.messages, values), toVoid);
  }

  insertRun(row: RunRow): Awaitable<void> {
    this.onThreadWrite(row.tenant, row.threadId);
    return mapAwaitable(this.session.insert(INSERTS.run, [RUNS.encode(row)]), toVoid);
  }

  updateRun(key: ThreadKey, id: string, epoch: number, changes: RunChanges): Awaitable<boolean> {
    this.onThreadWrite(key.tenant, key.threadId);
    const update = this.#update(RUNS, RUN_KEYS, [key.tenant, key.threadId, id, epoch], changes);
    return mapAwaitable(update, (count) => count > 0);
  }

  insertLog(rows: readonly LogRow[]): Awaitable<void> {
    for (const { tenant, threadId, kind, id } of rows) {
      if (kind === "delta") this.onThreadWrite(tenant, threadId);
      else this.onThreadWrite(tenant, threadId, "activity", id);
    }
    const values = rows.map((row) => LOG.encode(row));
    return mapAwaitable(this.session.insert(INSERTS.log, values), toVoid);
  }

  insertKey(row: KeyRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.key, [KEYS.encode(row)]), toVoid);
  }

  putAlias(row: AliasRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.alias, [ALIASES.encode(row)]), toVoid);
  }

  claimAlias(row: AliasRow): Awaitable<AliasRow> {
    return runSyncOrAsync(this.#claimAlias(row));
  }

  *#claimAlias(row: AliasRow): Steps<AliasRow> {
    yield* wait(this.session.insert(INSERTS.claim, [ALIASES.encode(row)]));
    // A separate statement, because it sees the row of another transaction that the first one waited for.
    return (yield* wait(this.alias(row.tenant, row.name))) ?? row;
  }

  addWork(row: WorkRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.work, [WORK.encode(row)]), toVoid);
  }

  updateWork({ tenant, threadId }: ThreadKey, leaseId: string | null, changes: WorkChanges): Awaitable<boolean> {
    const update =
      leaseId === null
        ? this.#update(WORK, FREE_WORK_KEYS, [tenant, threadId], changes, "lease_id IS NULL")
        : this.#update(WORK, LEASED_WORK_KEYS, [tenant, threadId, leaseId], changes);
    return mapAwaitable(update, (count) => count > 0);
  }

  insertBlob(row: BlobRow): Awaitable<boolean> {
    return mapAwaitable(this.session.insert(INSERTS.blob, [BLOBS.encode(row)]), (count) => count > 0);
  }

  refreshBlob(tenant: string, hash: string, createdAt: number): Awaitable<boolean> {
    const count = this.session.run(this.statements.fixed["refresh-blob"], [tenant, hash, createdAt]);
    return mapAwaitable(count, (rows) => rows > 0);
  }

  insertChunk(row: ChunkRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.chunk, [CHUNKS.encode(row)]), toVoid);
  }

  insertBlobRefs(rows: readonly BlobRefRow[]): Awaitable<void> {
    return runSyncOrAsync(this.#insertBlobRefs(rows));
  }

  /**
   * Protects the blobs first: a deletion locks blobs and then checks references, so it must wait until these references
   * are visible.
   */
  *#insertBlobRefs(rows: readonly BlobRefRow[]): Steps<void> {
    if (this.statements.locks) {
      for (const [tenant, refs] of Map.groupBy(rows, (row) => row.tenant)) {
        const hashes = JSON.stringify([...new Set(refs.map(({ hash }) => hash))]);
        yield* wait(this.session.all(this.statements.fixed["lock-held-blobs"], [tenant, hashes]));
      }
    }
    const values = rows.map((row) => BLOB_REFS.encode(row));
    yield* wait(this.session.insert(INSERTS.blobRefs, values));
  }

  quarantine(row: QuarantineRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.quarantine, [QUARANTINE.encode(row)]), toVoid);
  }

  #update<Row extends object>(
    table: SqlTable<Row>,
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
