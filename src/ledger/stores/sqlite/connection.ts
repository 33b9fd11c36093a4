// One connection to a SQLite file: statements, prepared once each, and transactions. Answers at once; only a read that
// another process is in the way of (it recovers the log after a crash, say) answers later.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LedgerError } from "../../errors.ts";
import type { Awaitable } from "../../steps.ts";
import {
  conflictClause,
  type Insert,
  type SqlRow,
  type SqlSession,
  type SqlValue,
  type Statement,
} from "../sql/engine.ts";
import { isBusy, ledgerError } from "./errors.ts";
import { patiently } from "./patience.ts";

/** Hears of every statement before and after it: "before insert-messages", "after commit". */
export type Trace = (point: string) => void;

/** Gives a number that is another one after every commit of another connection. */
export const DATA_VERSION: Statement = { name: "data-version", sql: "PRAGMA data_version" };

const BEGIN: Statement = { name: "begin", sql: "BEGIN IMMEDIATE" };
const COMMIT: Statement = { name: "commit", sql: "COMMIT" };
const ROLLBACK: Statement = { name: "rollback", sql: "ROLLBACK" };

export class Connection implements SqlSession {
  /** Counts statements that write, so that it can be told whether work has written anything yet. */
  writes = 0;
  readonly #database: DatabaseSync;
  /** The file's path, for messages. */
  readonly #file: string;
  readonly #busyMs: number;
  readonly #trace: Trace | undefined;
  readonly #prepared = new Map<Statement | Insert, StatementSync>();
  #inTransaction = false;
  /** What broke the transaction. Work that swallowed it must not go on as if nothing had happened. */
  #broken: unknown;

  constructor(database: DatabaseSync, file: string, busyMs: number, trace?: Trace) {
    this.#database = database;
    this.#file = file;
    this.#busyMs = busyMs;
    this.#trace = trace;
  }

  begin(): void {
    this.#broken = undefined;
    // One that could not be undone when it should have been.
    this.#end();
    this.execute(BEGIN);
    this.#inTransaction = true;
  }

  commit(): void {
    if (this.#broken !== undefined) throw this.#broken;
    this.execute(COMMIT);
    this.#inTransaction = false;
  }

  /** Undoes the transaction, if there still is one: SQLite ends it by itself when the disk is full or fails. */
  rollback(): void {
    this.#inTransaction = false;
    try {
      this.#end();
    } catch {
      // What went wrong before is what the caller hears of; the next transaction ends this one first.
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
      return patiently(this.#busyMs, () => this.read(statement, values));
    }
  }

  /** `all`, at once or not at all. */
  read(statement: Statement, values: readonly SqlValue[] = []): readonly SqlRow[] {
    this.#demandWhole();
    this.#trace?.(`before ${statement.name}`);
    let rows: readonly SqlRow[];
    try {
      // Its statements give rows as lists, and integers as numbers.
      rows = this.#prepare(statement).all(...values) as unknown as readonly SqlRow[];
    } catch (error) {
      throw this.#failed(error);
    }
    this.#trace?.(`after ${statement.name}`);
    return rows;
  }

  run(statement: Statement, values: readonly SqlValue[]): number {
    this.#demandTransaction();
    return this.execute(statement, values).changes;
  }

  insert(insert: Insert, rows: readonly (readonly SqlValue[])[]): number {
    this.#demandTransaction();
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
        this.#takeBack(insert, written);
        throw error;
      }
    }
    return count;
  }

  /** Runs a statement that gives no rows, inside a transaction or on its own. */
  execute(
    statement: Statement | Insert,
    values: readonly SqlValue[] = [],
  ): { changes: number; lastInsertRowid: number } {
    this.#demandWhole();
    this.#trace?.(`before ${statement.name}`);
    this.writes++;
    let result: { changes: number | bigint; lastInsertRowid: number | bigint };
    try {
      result = this.#prepare(statement).run(...values);
    } catch (error) {
      throw this.#failed(error);
    }
    this.#trace?.(`after ${statement.name}`);
    // Numbers as long as nobody asks for big integers.
    return result as { changes: number; lastInsertRowid: number };
  }

  /** Runs text that is not worth preparing. */
  once(name: string, sql: string): void {
    this.#demandWhole();
    this.#trace?.(`before ${name}`);
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw this.#failed(error);
    }
    this.#trace?.(`after ${name}`);
  }

  close(): void {
    this.#prepared.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  /** The rows of an insert before the one that failed: an insert is all rows or none, even for work that goes on. */
  #takeBack(insert: Insert, written: readonly number[]): void {
    if (this.#broken !== undefined || written.length === 0) return;
    // Numbers of rows, which SQLite gave; nothing that a caller passed.
    this.once(`take-back-${insert.table}`, `DELETE FROM ${insert.table} WHERE rowid IN (${written.join(", ")})`);
  }

  #prepare(statement: Statement | Insert): StatementSync {
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      prepared = this.#database.prepare("sql" in statement ? statement.sql : insertSql(statement));
      // A row of ours is made in two thirds of the time from a list of values than from SQLite's own object.
      prepared.setReturnArrays(true);
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }

  #failed(cause: unknown): unknown {
    const error = this.#database.isOpen
      ? ledgerError(cause, this.#file)
      : new LedgerError("closed", "The ledger was closed.");
    const isConflict = error instanceof LedgerError && error.code === "conflict";
    if (this.#inTransaction && !isConflict) this.#broken = error;
    return error;
  }

  #demandWhole(): void {
    if (this.#broken !== undefined && this.#inTransaction) throw this.#broken;
  }

  #demandTransaction(): void {
    if (!this.#inTransaction) throw new TypeError("A transaction was used after its work was over.");
  }
}

function insertSql(insert: Insert): string {
  const { table, columns } = insert;
  const places = columns.map((_, at) => `?${at + 1}`).join(", ");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})${conflictClause(insert)}`;
}
