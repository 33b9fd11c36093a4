// Implements a connection to a SQLite file, with prepared statements and transactions. All methods are synchronous,
// except that `all` returns a promise if another process blocks the read, for example by recovering the write-ahead log
// after a crash.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LedgerError } from "../../errors.ts";
import type { Awaitable } from "../../store/steps.ts";
import {
  conflictClause,
  type Insert,
  type SqlRow,
  type SqlSession,
  type SqlValue,
  type Statement,
} from "../sql/engine.ts";
import { isBusy, toLedgerError } from "./errors.ts";
import { retryWhileBusy } from "./busy-retry.ts";

/**
 * A function that is called before and after every statement, for example with "before insert-messages" or "after
 * commit".
 */
export type SqliteTrace = (point: string) => void;

/** Selects a number that changes after every commit of another connection. */
export const DATA_VERSION: Statement = { name: "data-version", sql: "PRAGMA data_version" };

const BEGIN: Statement = { name: "begin", sql: "BEGIN IMMEDIATE" };
const COMMIT: Statement = { name: "commit", sql: "COMMIT" };
const ROLLBACK: Statement = { name: "rollback", sql: "ROLLBACK" };

/** A connection to a SQLite file. */
export class SqliteConnection implements SqlSession {
  /**
   * The number of statements that `execute` has run, by which a caller detects whether a write has changed anything.
   */
  writes = 0;
  readonly #database: DatabaseSync;
  /** The file's path, for error messages. */
  readonly #file: string;
  readonly #busyMs: number;
  readonly #trace: SqliteTrace | undefined;
  readonly #prepared = new Map<Statement | Insert, StatementSync>();
  #inTransaction = false;
  /**
   * The error after which the transaction cannot continue; undefined if there is none. All later statements of the
   * transaction throw this error again, so that a caller that has caught it cannot continue.
   */
  #broken: unknown;

  constructor(database: DatabaseSync, file: string, busyMs: number, trace?: SqliteTrace) {
    this.#database = database;
    this.#file = file;
    this.#busyMs = busyMs;
    this.#trace = trace;
  }

  begin(): void {
    this.#broken = undefined;
    // If the rollback of an earlier transaction failed, it is repeated here.
    this.#end();
    this.execute(BEGIN);
    this.#inTransaction = true;
  }

  commit(): void {
    if (this.#broken !== undefined) throw this.#broken;
    this.execute(COMMIT);
    this.#inTransaction = false;
  }

  /** Rolls back the transaction, unless SQLite has done so itself because the disk was full or failed. */
  rollback(): void {
    this.#inTransaction = false;
    try {
      this.#end();
    } catch {
      // The caller receives the original error, and the next `begin` repeats the rollback.
    }
  }

  #end(): void {
    if (this.#database.isTransaction) this.execute(ROLLBACK);
  }

  all(statement: Statement, values: readonly SqlValue[]): Awaitable<readonly SqlRow[]> {
    if (this.#inTransaction) return this.read(statement, values);
    try {
      return this.read(statement, values);
    } catch (error) {
      if (!isBusy(error)) throw error;
      return retryWhileBusy(this.#busyMs, () => this.read(statement, values));
    }
  }

  /** Reads rows synchronously. Throws "busy" if another process blocks the read. */
  read(statement: Statement, values: readonly SqlValue[] = []): readonly SqlRow[] {
    this.#assertNotBroken();
    this.#trace?.(`before ${statement.name}`);
    let rows: readonly SqlRow[];
    try {
      // The cast is safe, because prepared statements return rows as arrays, and integers as numbers.
      rows = this.#prepare(statement).all(...values) as unknown as readonly SqlRow[];
    } catch (error) {
      throw this.#convertError(error);
    }
    this.#trace?.(`after ${statement.name}`);
    return rows;
  }

  run(statement: Statement, values: readonly SqlValue[]): number {
    this.#assertInTransaction();
    return this.execute(statement, values).changes;
  }

  insert(insert: Insert, rows: readonly (readonly SqlValue[])[]): number {
    this.#assertInTransaction();
    const [first] = rows;
    if (rows.length === 1 && first !== undefined) return this.execute(insert, first).changes;
    let count = 0;
    const written: number[] = [];
    for (const row of rows) {
      try {
        const { changes, lastInsertRowid } = this.execute(insert, row);
        count += changes;
        written.push(lastInsertRowid);
      } catch (error) {
        this.#deleteInserted(insert, written);
        throw error;
      }
    }
    return count;
  }

  /** Runs a statement that returns no rows, inside or outside a transaction. */
  execute(
    statement: Statement | Insert,
    values: readonly SqlValue[] = [],
  ): { changes: number; lastInsertRowid: number } {
    this.#assertNotBroken();
    this.#trace?.(`before ${statement.name}`);
    this.writes++;
    let result: { changes: number | bigint; lastInsertRowid: number | bigint };
    try {
      result = this.#prepare(statement).run(...values);
    } catch (error) {
      throw this.#convertError(error);
    }
    this.#trace?.(`after ${statement.name}`);
    // The cast is safe, because big integers are not enabled.
    return result as { changes: number; lastInsertRowid: number };
  }

  /** Runs SQL statements without preparing them. */
  executeText(name: string, sql: string): void {
    this.#assertNotBroken();
    this.#trace?.(`before ${name}`);
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw this.#convertError(error);
    }
    this.#trace?.(`after ${name}`);
  }

  close(): void {
    this.#prepared.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  /**
   * Deletes the rows that an insert wrote before a later row failed. An insert must write all rows or none, even if the
   * caller catches the error and continues the transaction.
   */
  #deleteInserted(insert: Insert, written: readonly number[]): void {
    if (this.#broken !== undefined || written.length === 0) return;
    // The SQL may contain these values, because they are row numbers from SQLite, not data of a caller.
    this.executeText(`take-back-${insert.table}`, `DELETE FROM ${insert.table} WHERE rowid IN (${written.join(", ")})`);
  }

  #prepare(statement: Statement | Insert): StatementSync {
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      prepared = this.#database.prepare("sql" in statement ? statement.sql : insertSql(statement));
      // Rows are returned as arrays, not as objects: decoding an array takes only two thirds of the time in which Node
      // creates a row object.
      prepared.setReturnArrays(true);
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }

  #convertError(cause: unknown): unknown {
    const error = this.#database.isOpen
      ? toLedgerError(cause, this.#file)
      : new LedgerError("closed", "The ledger was closed.");
    const isConflict = error instanceof LedgerError && error.code === "conflict";
    if (this.#inTransaction && !isConflict) this.#broken = error;
    return error;
  }

  #assertNotBroken(): void {
    if (this.#broken !== undefined && this.#inTransaction) throw this.#broken;
  }

  #assertInTransaction(): void {
    if (!this.#inTransaction) throw new TypeError("A transaction was used after its end.");
  }
}

function insertSql(insert: Insert): string {
  const { table, columns } = insert;
  const places = columns.map((_, at) => `?${at + 1}`).join(", ");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})${conflictClause(insert)}`;
}
