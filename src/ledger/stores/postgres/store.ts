// Implements a ledger store in Postgres from connections, sessions and SQL transactions.
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { LedgerError } from "../../errors.ts";
import type { MessageRow } from "../../store/rows.ts";
import { runAsync, type Steps } from "../../store/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction, ThreadKey } from "../../store/contract.ts";
import type { SearchHit, SearchQuery } from "../../store/queries.ts";
import { ActivityWriter } from "../sql/activity-writer.ts";
import { TransactionWrites } from "../sql/pending-activity.ts";
import type { OnThreadWrite } from "../sql/deletions.ts";
import { SqlReads } from "../sql/reads.ts";
import { SqlStore } from "../sql/store.ts";
import { Statements } from "../sql/statements.ts";
import { type PostgresConnections, createTextQuery } from "./connections.ts";
import { toLedgerError } from "./errors.ts";
import { POSTGRES, type StatementTexts } from "./sql-flavor.ts";
import { TABLES } from "./schema.ts";
import { OUTDATED_ACTIVITY, searchIndex, indexPending, MissingTextsError } from "./search.ts";
import { ReadSession, type TransactionOptions, PostgresTransaction } from "./session.ts";
import { PostgresLedgerTransaction } from "./transaction.ts";
import { toNotificationName, type PostgresNotifications } from "./notifications.ts";

/** The maximum number of attempts to run a transaction that conflicts with other transactions. */
const ATTEMPTS = 8;

/** The objects and settings that a `PostgresStore` is built from. */
export interface StoreParts {
  connections: PostgresConnections;
  texts: StatementTexts;
  notifications: PostgresNotifications;
  sync: "full" | "normal";
}

/** A ledger store in Postgres. */
export class PostgresStore extends SqlStore implements LedgerStore {
  readonly name = "postgres";
  readonly reads: LedgerReads;
  readonly #connections: PostgresConnections;
  readonly #texts: StatementTexts;
  readonly #notifications: PostgresNotifications;
  readonly #options: TransactionOptions;
  readonly #readSession: ReadSession;
  readonly #statements = new Statements(POSTGRES);
  protected readonly activity: ActivityWriter;
  #closed: Promise<void> | undefined;
  /** The number of pending writes. */
  #writes = 0;
  /** Called when the number of pending writes becomes 0. */
  #onWritesDone: () => void = () => undefined;

  constructor({ connections, texts, notifications, sync }: StoreParts) {
    super();
    this.#connections = connections;
    this.#texts = texts;
    this.#notifications = notifications;
    this.#options = { busyMs: connections.busyMs, sync };
    this.#readSession = new ReadSession(connections, texts);
    this.reads = new SqlReads(this.#readSession, this.#statements);
    this.activity = new ActivityWriter({
      statements: this.#statements,
      session: this.#readSession,
      transact: (work) => this.#transact((session) => runAsync(work(session))),
      watch: (tenant, wake) => notifications.watch({ tenant, threadId: "" }, wake),
      outdatedActivity: OUTDATED_ACTIVITY,
      onWritten: (tenants) =>
        notifications.notifyOthers(Array.from(tenants, (tenant) => toNotificationName(tenant, ""))),
    });
  }

  async write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> {
    this.assertOpen();
    const writtenThreads = new Set<string>();
    const writes = new TransactionWrites();
    const onThreadWrite: OnThreadWrite = (tenant, threadId, change, id) => {
      writtenThreads.add(toNotificationName(tenant, threadId));
      if (change !== undefined) writes.add(tenant, threadId, change, id);
    };
    this.#writes++;
    try {
      const result = await this.#transact((session) => {
        writtenThreads.clear();
        writes.clear();
        return runAsync(work(new PostgresLedgerTransaction(session, this.#statements, onThreadWrite)));
      });
      this.#notifications.notify(writtenThreads);
      this.activity.onCommit(writes);
      return result;
    } finally {
      this.#writes--;
      if (this.#writes === 0) this.#onWritesDone();
    }
  }

  watch(key: ThreadKey, wake: () => void): () => void {
    this.assertOpen();
    return this.#notifications.watch(key, wake);
  }

  async indexMessages(readText: (row: MessageRow) => string | undefined, limit: number): Promise<number> {
    try {
      return await this.activity.indexMessages(readText, (observedReadText) =>
        this.#transact((session) => indexPending(session, observedReadText, limit)),
      );
    } catch (error) {
      if (error instanceof MissingTextsError) return 0;
      throw error;
    }
  }

  async search(query: SearchQuery): Promise<SearchHit[]> {
    this.assertOpen();
    return searchIndex(this.#readSession, query);
  }

  /**
   * Rewrites every table, which needs space for a copy of the table and blocks other callers meanwhile. Autovacuum is
   * sufficient for most ledgers.
   */
  async vacuum(): Promise<void> {
    await this.#connections.withConnection(async (connection) => {
      try {
        await connection.send("lock-timeout", createTextQuery(`SET lock_timeout = ${this.#connections.busyMs}`));
        for (const table of TABLES) {
          const { text } = createTextQuery(`VACUUM (FULL, ANALYZE) ${this.#texts.table(table)}`);
          await connection.send("vacuum", { text });
        }
        await connection.send("reset", createTextQuery("RESET lock_timeout"));
      } catch (error) {
        // The connection must not be used again, because its `lock_timeout` was not reset.
        connection.broken ??= error instanceof Error ? error : new Error(String(error));
        throw toLedgerError(error);
      }
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // The timer keeps the process alive until `close` has finished, because idle connections do not.
    const keepAliveTimer = setInterval(() => undefined, 60_000);
    try {
      // Pending writes are finished before the activity is written, because they add activity.
      if (this.#writes > 0) await new Promise<void>((resolve) => (this.#onWritesDone = resolve));
      await this.activity.close();
      await this.#connections.close();
      await this.#notifications.close();
    } finally {
      clearInterval(keepAliveTimer);
    }
  }

  protected assertOpen(): void {
    if (this.#closed !== undefined) throw new LedgerError("closed", "The ledger was closed.");
  }

  /** Runs `work` in one transaction. Repeats it from the start if it only conflicted with other transactions. */
  async #transact<T>(work: (session: PostgresTransaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#connections.withLazyConnection(async (request) => {
        const session = new PostgresTransaction(request, this.#texts, this.#options);
        try {
          const result = await work(session);
          await session.commit();
          return { result };
        } catch (error) {
          await session.rollback();
          if (!session.isContention || attempt === ATTEMPTS) throw error;
          return undefined;
        }
      });
      if (outcome !== undefined) return outcome.result;
      await pause(randomInt(1, 5 * attempt));
    }
  }
}
