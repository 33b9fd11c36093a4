// Records the activity of threads after the writes: watchers in this process are notified at the commit; the activity
// table and other processes a moment later, for many writes at once. A write itself only adds an entry in memory.
import { randomUUID } from "node:crypto";
import type { ActiveThread, ListedHead, MessageRow } from "../../store/rows.ts";
import { wait, type Steps } from "../../store/steps.ts";
import type { LedgerStore } from "../../store/contract.ts";
import type { ActivityPage } from "../../store/queries.ts";
import { listActiveThreads, listHeads } from "./active-threads.ts";
import { ChangeReader } from "./change-reader.ts";
import { CHANGES } from "./columns.ts";
import type { SqlSession, Statement } from "./engine.ts";
import { type PendingThread, PendingActivity, TransactionWrites } from "./pending-activity.ts";
import { INSERTS, type Statements } from "./statements.ts";

/** The time that activity is collected before it is written. */
const FLUSH_DELAY_MS = 200;
/** The delay before a failed write is repeated. */
const RETRY_MS = 2_000;
/** The time that other processes have to read changes. */
const RETENTION_MS = 30_000;
/**
 * The number of changes that are retained regardless of their age, for processes that ended before they deleted theirs.
 */
const MAX_RETAINED_CHANGES = 10_000;
/** The number of threads per write, so that other writers do not wait long. */
const BATCH_SIZE = 500;

/** The engine-specific operations. */
interface ActivityParts {
  statements: Statements;
  /** For reads. */
  session: Pick<SqlSession, "all">;
  transact(work: (session: SqlSession) => Steps<void>): Promise<void>;
  /** Calls `wake` when other processes may have written changes of the tenant. */
  watch(tenant: string, wake: () => void): () => void;
  /**
   * Finds threads with later activity than the table, among the most recent rows: tenant, thread and id. A process that
   * died may have left them.
   */
  outdatedActivity: Statement;
  /** Called after changes of these tenants were written for other processes. */
  onWritten(tenants: Iterable<string>): void;
}

/** The activity of a store's threads. */
export class ActivityWriter {
  readonly #parts: ActivityParts;
  /** Distinguishes this process's changes from others'. */
  readonly #self = randomUUID();
  readonly #reader: ChangeReader;
  readonly #pending = new PendingActivity();
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;
  #caughtUp: Promise<void> | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Change numbers with the time when they were the last, oldest first. */
  readonly #lastNumbers: { at: number; changeNumber: number }[] = [];

  constructor(parts: ActivityParts) {
    this.#parts = parts;
    this.#reader = new ChangeReader(parts, this.#self);
  }

  onCommit({ list }: TransactionWrites): void {
    for (const write of list) {
      this.#pending.add(write);
      this.#reader.notify(write.tenant, write);
    }
    if (list.length > 0) this.#flushLater(FLUSH_DELAY_MS);
  }

  /** Indexes messages for search, and records activity of their threads that a dead process did not write. */
  async indexMessages(
    readText: (row: MessageRow) => string | undefined,
    index: (observedReadText: typeof readText) => Promise<number>,
  ): Promise<number> {
    const writes = new TransactionWrites();
    const count = await index((row) => {
      writes.add(row.tenant, row.threadId, "activity", row.id);
      return readText(row);
    });
    if (count === 0) return 0;
    for (const { tenant, threadId, id } of writes.list) this.#pending.raiseActivity(tenant, threadId, id);
    this.#flushLater(FLUSH_DELAY_MS);
    return count;
  }

  watch: LedgerStore["watchThreads"] = (tenant, notify) => this.#reader.watch(tenant, notify);

  async threads(tenant: string, page: ActivityPage): Promise<ActiveThread[]> {
    await (this.#caughtUp ??= this.#catchUp());
    return listActiveThreads(this.#parts, tenant, page, this.#pending.listActivities(tenant));
  }

  async heads(tenant: string, ids: readonly string[]): Promise<ListedHead[]> {
    await (this.#caughtUp ??= this.#catchUp());
    return listHeads(this.#parts, tenant, ids, this.#pending.listActivities(tenant));
  }

  /** Writes all pending activity. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => undefined).then(() => this.#writeAll());
    return this.#flushing;
  }

  /** Writes the last activity. If that fails, it is recorded later or lost; no message depends on it. */
  async close(): Promise<void> {
    this.#reader.close();
    this.#isOpen = false;
    await this.flush().catch(() => undefined);
  }

  /** Runs once before the first list: reads activity that a dead process did not write. */
  async #catchUp(): Promise<void> {
    try {
      for (const [tenant, threadId, id] of await this.#parts.session.all(this.#parts.outdatedActivity, [])) {
        this.#pending.raiseActivity(String(tenant), String(threadId), String(id));
      }
      this.#flushLater(FLUSH_DELAY_MS);
    } catch (error) {
      // The next list tries again.
      this.#caughtUp = undefined;
      throw error;
    }
  }

  #flushLater(ms: number): void {
    if (this.#isOpen) this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), ms).unref();
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const threads = this.#pending.take();
    for (let at = 0; at < threads.length; at += BATCH_SIZE) {
      const batch = threads.slice(at, at + BATCH_SIZE);
      try {
        await this.#parts.transact((session) => this.#write(session, batch));
      } catch (error) {
        this.#pending.restore(threads.slice(at));
        this.#flushLater(RETRY_MS);
        throw error;
      }
      this.#pending.removeWritten(batch);
      this.#parts.onWritten(new Set(batch.map(({ tenant }) => tenant)));
    }
  }

  *#write(session: SqlSession, batch: readonly PendingThread[]): Steps<void> {
    const { fixed } = this.#parts.statements;
    const active = batch.filter(({ lastActivity }) => lastActivity !== "");
    if (active.length > 0) {
      const positions = active.map(({ tenant, threadId, lastActivity }) => [tenant, threadId, lastActivity]);
      yield* wait(session.run(fixed["raise-activity"], [JSON.stringify(positions)]));
    }
    const source = this.#self;
    const rows = batch.flatMap(({ tenant, threadId, changes }) =>
      changes.size === 0 ? [] : [CHANGES.encode({ tenant, threadId, changes: [...changes].join(" "), source })],
    );
    if (rows.length === 0) return;
    yield* wait(session.insert(INSERTS.changes, rows));
    yield* this.#deleteOldChanges(session);
  }

  /** Deletes changes that every watcher had time to read, and those left by dead processes. */
  *#deleteOldChanges(session: SqlSession): Steps<void> {
    const { fixed } = this.#parts.statements;
    const now = performance.now();
    const [row] = yield* wait(session.all(fixed["last-change"], [0]));
    const last = Number(row?.[0] ?? 0);
    const old = this.#lastNumbers.findLast(({ at }) => at < now - RETENTION_MS);
    const upTo = old?.changeNumber ?? (this.#lastNumbers.length === 0 ? last - MAX_RETAINED_CHANGES : 0);
    if (old !== undefined) this.#lastNumbers.splice(0, this.#lastNumbers.indexOf(old) + 1);
    if (upTo > 0) yield* wait(session.run(fixed["delete-old-changes"], [upTo]));
    this.#lastNumbers.push({ at: now, changeNumber: last });
  }
}
