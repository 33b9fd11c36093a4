// Records the last activity of threads: the largest id of their messages, run state changes and journal entries. A
// write only adds an entry in memory. At the commit, watchers in this process are notified; FLUSH_DELAY_MS later, the
// activity table is updated and other processes are notified, for many writes at once.
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

/** The time for which activity is collected in memory before it is written to the activity table. */
const FLUSH_DELAY_MS = 200;
/** The time after which a failed write of activity is repeated. */
const RETRY_MS = 2_000;
/**
 * The time for which thread changes are retained in the table `thread_changes`, so that other processes can read them.
 */
const RETENTION_MS = 30_000;
/**
 * A process that writes changes for the first time deletes all changes except this number of newest ones: older changes
 * were left by processes that ended before they could delete them.
 */
const MAX_RETAINED_CHANGES = 10_000;
/** The maximum number of threads per transaction, so that other writers do not wait long. */
const BATCH_SIZE = 500;

/** The operations of a SQL store that `ActivityWriter` uses. */
interface ActivityParts {
  statements: Statements;
  /** The session for reads outside a transaction. */
  session: Pick<SqlSession, "all">;
  transact(work: (session: SqlSession) => Steps<void>): Promise<void>;
  /** Calls `wake` when other processes may have written changes of the tenant. */
  watch(tenant: string, wake: () => void): () => void;
  /**
   * Selects the tenant, the thread id and the newest row id of threads whose recent rows are newer than their activity
   * in the activity table. A process that died before it updated the table has left such threads.
   */
  outdatedActivity: Statement;
  /** Called after changes of these tenants were written to the table from which other processes read them. */
  onWritten(tenants: Iterable<string>): void;
}

/** Records and lists the activity of a store's threads. */
export class ActivityWriter {
  readonly #parts: ActivityParts;
  /** The id that marks the changes of this process in the table `thread_changes`. */
  readonly #self = randomUUID();
  readonly #reader: ChangeReader;
  readonly #pending = new PendingActivity();
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;
  #caughtUp: Promise<void> | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /**
   * The largest change number (`changeNumber`) at the time `at` of each recent write, oldest first. They show which
   * changes are older than RETENTION_MS.
   */
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

  /**
   * Runs `index`, which adds messages to the search index, and records the activity of the indexed messages, in case
   * the process that wrote them died before it recorded the activity.
   */
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

  /** Writes all pending activity to the activity table. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => undefined).then(() => this.#writeAll());
    return this.#flushing;
  }

  /** Writes the pending activity. A failure is ignored: the activity may be lost, but no message depends on it. */
  async close(): Promise<void> {
    this.#reader.close();
    this.#isOpen = false;
    await this.flush().catch(() => undefined);
  }

  /** Reads activity that a process did not record before it died. Runs once, before threads are first listed. */
  async #catchUp(): Promise<void> {
    try {
      for (const [tenant, threadId, id] of await this.#parts.session.all(this.#parts.outdatedActivity, [])) {
        this.#pending.raiseActivity(String(tenant), String(threadId), String(id));
      }
      this.#flushLater(FLUSH_DELAY_MS);
    } catch (error) {
      // The next call that lists threads repeats the failed read.
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

  /** Deletes changes that are older than RETENTION_MS, and changes that dead processes have left. */
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
