// What work inside a transaction may do to a ledger over SQL, for both engines: changes here, deletions in deletions.ts.
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
} from "../../rows.ts";
import { got, mapAwaitable, runMixed, type Awaitable, type Steps } from "../../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../../store.ts";
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
  type Table,
  WORK,
} from "./columns.ts";
import { changesOf, creationOf } from "../changes.ts";
import { SqlDeletions } from "./deletions.ts";
import type { SqlValue } from "./engine.ts";
import { INSERTS } from "./statements.ts";

const THREAD_KEYS = ["tenant", "id"];
const RUN_KEYS = ["tenant", "thread_id", "id", "epoch"];
const HELD_WORK = ["tenant", "thread_id", "lease_id"];
const FREE_WORK = ["tenant", "thread_id"];

export class SqlTables extends SqlDeletions implements LedgerTransaction {
  lockThread(key: ThreadKey): Awaitable<ThreadHead | undefined> {
    return this.statements.locks ? runMixed(this.#lockThread(key)) : this.thread(key);
  }

  /** The lock is a statement before the one that reads, whose view would else be from before the wait. */
  *#lockThread(key: ThreadKey): Steps<ThreadHead | undefined> {
    for (;;) {
      const locked = yield* got(this.session.all(this.statements.fixed["lock-thread"], [key.tenant, key.threadId]));
      const head = yield* got(this.thread(key));
      // One that came to be between the two is not locked yet.
      if (locked.length > 0 || head === undefined) return head;
    }
  }

  insertThread(row: ThreadRow): Awaitable<void> {
    this.touch(row.tenant, row.id, "created", creationOf(row));
    return mapAwaitable(this.session.insert(INSERTS.thread, [THREADS.encode(row)]), nothing);
  }

  updateThread(key: ThreadKey, changes: Parameters<LedgerTransaction["updateThread"]>[1]): Awaitable<void> {
    this.touch(key.tenant, key.threadId);
    for (const change of changesOf(changes)) this.touch(key.tenant, key.threadId, change);
    return mapAwaitable(this.#update(THREADS, THREAD_KEYS, [key.tenant, key.threadId], changes), nothing);
  }

  insertMessages(rows: readonly MessageRow[]): Awaitable<void> {
    for (const { tenant, threadId, id } of rows) this.touch(tenant, threadId, "activity", id);
    const values = rows.map((row) => MESSAGES.encode(row));
    return mapAwaitable(this.session.insert(INSERTS.messages, values), nothing);
  }

  insertRun(row: RunRow): Awaitable<void> {
    this.touch(row.tenant, row.threadId);
    return mapAwaitable(this.session.insert(INSERTS.run, [RUNS.encode(row)]), nothing);
  }

  updateRun(key: ThreadKey, id: string, epoch: number, changes: RunChanges): Awaitable<boolean> {
    this.touch(key.tenant, key.threadId);
    const update = this.#update(RUNS, RUN_KEYS, [key.tenant, key.threadId, id, epoch], changes);
    return mapAwaitable(update, (count) => count > 0);
  }

  insertLog(rows: readonly LogRow[]): Awaitable<void> {
    for (const { tenant, threadId, kind, id } of rows) {
      if (kind === "delta") this.touch(tenant, threadId);
      else this.touch(tenant, threadId, "activity", id);
    }
    const values = rows.map((row) => LOG.encode(row));
    return mapAwaitable(this.session.insert(INSERTS.log, values), nothing);
  }

  insertKey(row: KeyRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.key, [KEYS.encode(row)]), nothing);
  }

  putAlias(row: AliasRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.alias, [ALIASES.encode(row)]), nothing);
  }

  claimAlias(row: AliasRow): Awaitable<AliasRow> {
    return runMixed(this.#claimAlias(row));
  }

  *#claimAlias(row: AliasRow): Steps<AliasRow> {
    yield* got(this.session.insert(INSERTS.claim, [ALIASES.encode(row)]));
    // A statement of its own: what another writer had when the first one waited for it is seen by this one.
    return (yield* got(this.alias(row.tenant, row.name))) ?? row;
  }

  addWork(row: WorkRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.work, [WORK.encode(row)]), nothing);
  }

  updateWork({ tenant, threadId }: ThreadKey, leaseId: string | null, changes: WorkChanges): Awaitable<boolean> {
    const update =
      leaseId === null
        ? this.#update(WORK, FREE_WORK, [tenant, threadId], changes, "lease_id IS NULL")
        : this.#update(WORK, HELD_WORK, [tenant, threadId, leaseId], changes);
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
    return mapAwaitable(this.session.insert(INSERTS.chunk, [CHUNKS.encode(row)]), nothing);
  }

  insertBlobRefs(rows: readonly BlobRefRow[]): Awaitable<void> {
    return runMixed(this.#insertBlobRefs(rows));
  }

  /** Who deletes blobs locks them and then looks for references: it has to wait until these are there to be seen. */
  *#insertBlobRefs(rows: readonly BlobRefRow[]): Steps<void> {
    if (this.statements.locks) {
      for (const [tenant, refs] of Map.groupBy(rows, (row) => row.tenant)) {
        const hashes = JSON.stringify([...new Set(refs.map(({ hash }) => hash))]);
        yield* got(this.session.all(this.statements.fixed["lock-held-blobs"], [tenant, hashes]));
      }
    }
    const values = rows.map((row) => BLOB_REFS.encode(row));
    yield* got(this.session.insert(INSERTS.blobRefs, values));
  }

  quarantine(row: QuarantineRow): Awaitable<void> {
    return mapAwaitable(this.session.insert(INSERTS.quarantine, [QUARANTINE.encode(row)]), nothing);
  }

  #update<Row extends object>(
    table: Table<Row>,
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

function nothing(): void {}
