// Implements a ledger store in a SQLite file, for one or several processes on one machine. Each store has one
// connection of Node's SQLite.
import { LedgerError } from "../../errors.ts";
import type { MessageRow } from "../../store/rows.ts";
import type { Steps } from "../../store/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction, ThreadKey } from "../../store/contract.ts";
import type { SearchHit, SearchQuery } from "../../store/queries.ts";
import { ActivityWriter } from "../sql/activity-writer.ts";
import { TransactionWrites } from "../sql/pending-activity.ts";
import type { Statement } from "../sql/engine.ts";
import { SqlReads } from "../sql/reads.ts";
import { SqlStore } from "../sql/store.ts";
import { Statements } from "../sql/statements.ts";
import { type SqliteConnection, DATA_VERSION } from "./connection.ts";
import { SQLITE } from "./sql-flavor.ts";
import { SqliteTransaction } from "./head-cache.ts";
import { retryWhileBusy } from "./busy-retry.ts";
import { CommitQueue } from "./commit-queue.ts";
import { indexMessages, OPTIMIZE, search } from "./search.ts";
import { ThreadWatchers } from "./watchers.ts";

/**
 * Copies the write-ahead log into the file and truncates the log. The first column of the result is 1 if another
 * process prevented this, otherwise 0.
 */
const EMPTY_LOG: Statement = { name: "empty-log", sql: "PRAGMA wal_checkpoint(TRUNCATE)" };
const MOVE_LOG: Statement = { name: "move-log", sql: "PRAGMA wal_checkpoint(PASSIVE)" };

/**
 * The number of newest messages, and of newest log rows, whose ids OUTDATED_ACTIVITY compares with the last activity of
 * their threads in the activity table.
 */
const RECENT_ROWS = 1000;
const OUTDATED_ACTIVITY: Statement = {
  name: "behind",
  sql: `SELECT n.tenant, n.thread_id, max(n.id) FROM (
      SELECT tenant, thread_id, id FROM messages WHERE number > (SELECT max(number) FROM messages) - ${RECENT_ROWS}
      UNION ALL SELECT tenant, thread_id, id FROM log WHERE rowid > (SELECT max(rowid) FROM log) - ${RECENT_ROWS} AND kind <> 'delta'
    ) n CROSS JOIN activity a WHERE a.tenant = n.tenant AND a.thread_id = n.thread_id AND a.last_activity < n.id
    GROUP BY n.tenant, n.thread_id`,
};

const STATEMENTS = new Statements(SQLITE);

/** A ledger store in a SQLite file. */
export class SqliteStore extends SqlStore implements LedgerStore {
  readonly name = "sqlite";
  readonly reads: LedgerReads;
  readonly #connection: SqliteConnection;
  readonly #busyMs: number;
  readonly #queue: CommitQueue;
  readonly #watchers: ThreadWatchers;
  protected readonly activity: ActivityWriter;
  #closing: Promise<void> | undefined;

  constructor(connection: SqliteConnection, options: { sync: "full" | "normal"; busyMs: number }) {
    super();
    this.#connection = connection;
    this.#busyMs = options.busyMs;
    const watchers = new ThreadWatchers(() => Number(connection.read(DATA_VERSION)[0]?.[0]));
    this.#watchers = watchers;
    this.reads = new SqlReads(connection, STATEMENTS);
    const writes = new TransactionWrites();
    const transaction = new SqliteTransaction(connection, STATEMENTS, (tenant, threadId, change, id) => {
      watchers.markTouched(tenant, threadId);
      if (change !== undefined) writes.add(tenant, threadId, change, id);
    });
    this.#queue = new CommitQueue(connection, transaction, {
      busyMs: options.busyMs,
      sync: options.sync,
      onCommit: () => {
        watchers.onCommit();
        this.activity.onCommit(writes);
        writes.clear();
      },
      onRollback: () => writes.clear(),
    });
    this.activity = new ActivityWriter({
      statements: STATEMENTS,
      session: connection,
      transact: (work) => this.#queue.write(() => work(connection)),
      watch: (tenant, wake) => watchers.watch({ tenant, threadId: "" }, wake),
      outdatedActivity: OUTDATED_ACTIVITY,
      // Other processes need no notification: they detect the write by the file's data version.
      onWritten: () => undefined,
    });
  }

  write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> {
    return this.#closing === undefined ? this.#queue.write(work) : Promise.reject(createClosedError());
  }

  watch(key: ThreadKey, wake: () => void): () => void {
    this.assertOpen();
    return this.#watchers.watch(key, wake);
  }

  async indexMessages(readText: (row: MessageRow) => string | undefined, limit: number): Promise<number> {
    this.assertOpen();
    return this.activity.indexMessages(readText, (observedReadText) =>
      indexMessages(this.#connection, (work) => this.write(work), observedReadText, limit),
    );
  }

  async search(query: SearchQuery): Promise<SearchHit[]> {
    this.assertOpen();
    return search(this.#connection, query);
  }

  /** Compacts the file and the search index. */
  async vacuum(): Promise<void> {
    this.assertOpen();
    await retryWhileBusy(this.#busyMs, () => this.#connection.execute(OPTIMIZE));
    await retryWhileBusy(this.#busyMs, () => this.#connection.executeText("vacuum", "VACUUM"));
    await retryWhileBusy(this.#busyMs, () => {
      if (this.#connection.read(EMPTY_LOG)[0]?.[0] !== 0)
        throw new LedgerError("busy", "Another process is reading the log.");
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Pending writes are finished before the activity is written, because they add activity.
    await this.#queue.idle();
    await this.activity.close();
    await this.#queue.idle();
    this.#watchers.close();
    try {
      this.#connection.read(MOVE_LOG);
    } catch {
      // The error is ignored: the next process that opens the file copies the write-ahead log, whose content is as
      // durable as the file.
    }
    this.#connection.close();
  }

  protected assertOpen(): void {
    if (this.#closing !== undefined) throw createClosedError();
  }
}

function createClosedError(): LedgerError {
  return new LedgerError("closed", "The ledger was closed.");
}
