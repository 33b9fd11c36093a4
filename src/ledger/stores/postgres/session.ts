// The sessions of a Postgres store: single reads, and transactions.
import { LedgerError } from "../../errors.ts";
import type { Awaitable } from "../../store/steps.ts";
import type { Insert, SqlRow, SqlSession, SqlValue, Statement } from "../sql/engine.ts";
import {
  type RequestConnection,
  type PostgresConnections,
  type PipelinedConnection,
  createNamedQuery,
  createTextQuery,
  toRows,
} from "./connections.ts";
import type { PgQuery, PgResult } from "./driver.ts";
import { isContention, toLedgerError, readSqlState } from "./errors.ts";
import type { StatementTexts } from "./sql-flavor.ts";

const COMMIT = "commit";

/** The options of a transaction. */
export interface TransactionOptions {
  /** The maximum wait for a lock; at least 1. */
  busyMs: number;
  /** "full": a commit waits for the server's disk, regardless of the server's setting. */
  sync: "full" | "normal";
}

/** Reads: each statement is its own transaction. */
export class ReadSession implements SqlSession {
  readonly #connections: PostgresConnections;
  readonly #texts: StatementTexts;

  constructor(connections: PostgresConnections, texts: StatementTexts) {
    this.#connections = connections;
    this.#texts = texts;
  }

  async all(statement: Statement, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#connections.withConnection(async (connection) => {
      try {
        return toRows(
          await connection.send(statement.name, createNamedQuery(statement.name, this.#texts.of(statement), values)),
        );
      } catch (error) {
        throw toLedgerError(error);
      }
    });
  }

  run(): never {
    throw new TypeError("Rows can be changed only within write().");
  }

  insert(): never {
    return this.run();
  }
}

/**
 * One transaction. Statements are sent as early as possible: reads together with BEGIN, and inserts without waiting for
 * their result, because a later statement or the commit reports their failure. Locking a thread and appending to it
 * therefore takes two round trips.
 */
export class PostgresTransaction implements SqlSession {
  readonly #request: RequestConnection;
  readonly #texts: StatementTexts;
  readonly #options: TransactionOptions;
  #requested: Promise<PipelinedConnection> | undefined;
  #connection: PipelinedConnection | undefined;
  #begun: Promise<unknown> | undefined;
  #hasBegun = false;
  #sentCommit = false;
  /** The first error; later errors of the server only repeat that the transaction failed. */
  #failure: { readonly error: unknown; readonly isContention: boolean } | undefined;

  constructor(request: RequestConnection, texts: StatementTexts, options: TransactionOptions) {
    this.#request = request;
    this.#texts = texts;
    this.#options = options;
  }

  /**
   * Called before a thread is locked. If it is the first step of the work, the caller waits for the thread without a
   * connection.
   */
  waitForThread(name: string): void {
    if (this.#requested === undefined) void this.#connect(name);
  }

  /** True if the transaction failed because of other transactions, and may run again. */
  get isContention(): boolean {
    return this.#failure?.isContention === true;
  }

  async all(statement: Statement, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    void this.#begin();
    return toRows(
      await this.#send(statement.name, createNamedQuery(statement.name, this.#texts.of(statement), values)),
    );
  }

  async run(statement: Statement, values: readonly SqlValue[]): Promise<number> {
    if (!this.#hasBegun) await this.#begin();
    const result = await this.#send(
      statement.name,
      createNamedQuery(statement.name, this.#texts.of(statement), values),
    );
    return result.rowCount ?? 0;
  }

  insert(insert: Insert, rows: readonly (readonly SqlValue[])[]): Awaitable<number> {
    const [first] = rows;
    if (first === undefined) return 0;
    const { name, text } = this.#texts.insert(insert, rows.length === 1);
    const values = rows.length === 1 ? first : first.map((_, at) => rows.map((row) => row[at] ?? null));
    const query = createNamedQuery(name, text, values);
    // Inserts wait until BEGIN has succeeded: otherwise each statement would be its own transaction.
    if (!this.#hasBegun) return this.#begin().then(() => this.#insert(insert, name, query, rows.length));
    return this.#insert(insert, name, query, rows.length);
  }

  #insert({ ignoreTaken }: Insert, name: string, query: PgQuery, count: number): Awaitable<number> {
    const sent = this.#send(name, query);
    if (ignoreTaken === true) return sent.then(({ rowCount }) => rowCount ?? 0);
    if (this.#failure !== undefined) return sent.then(() => count);
    // The failure is stored, and thrown by the next statement or the commit.
    sent.catch(() => undefined);
    return count;
  }

  async commit(): Promise<void> {
    if (this.#begun === undefined) return;
    const { command } = await this.#send(COMMIT, createTextQuery("COMMIT"), () => (this.#sentCommit = true));
    // The server rolls back a failed transaction without an error for the COMMIT.
    if (this.#failure !== undefined) throw this.#failure.error;
    if (command !== "COMMIT") throw new LedgerError("unavailable", `Postgres answered COMMIT with ${command}.`);
  }

  /** Rolls back. Never throws: a connection that cannot roll back is dropped, and the server rolls back then. */
  async rollback(): Promise<void> {
    if (this.#begun === undefined || this.#sentCommit) return;
    // The rollback is sent after all earlier statements.
    const connection = await this.#requested?.catch(() => undefined);
    if (connection === undefined || connection.broken !== undefined) return;
    await connection.send("rollback", createTextQuery("ROLLBACK")).catch((error: unknown) => {
      connection.broken ??= error instanceof Error ? error : new Error(String(error));
    });
  }

  /** Read committed, so that statements after a lock see the writes of others; waits for locks are limited. */
  #begin(): Promise<unknown> {
    if (this.#begun === undefined) {
      this.#begun = this.#send("begin", createTextQuery(beginText(this.#options)));
      this.#begun.then(
        () => (this.#hasBegun = true),
        () => undefined,
      );
    }
    return this.#begun;
  }

  #connect(queue?: string): Promise<PipelinedConnection> {
    const requested = this.#request(queue);
    requested.then(
      (connection) => (this.#connection = connection),
      () => undefined,
    );
    this.#requested = requested;
    return requested;
  }

  #send(name: string, query: PgQuery, started?: () => void): Promise<PgResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    // Statements that wait for the connection keep their order: they wait for the same promise.
    const sent =
      this.#connection?.send(name, query, started) ??
      (this.#requested ?? this.#connect()).then((connection) => connection.send(name, query, started));
    return sent.catch((error: unknown) => {
      // The server responds in order: an error before the commit means that nothing was committed.
      const isOutcomeUnknown = this.#sentCommit && (name === COMMIT || readSqlState(error) === undefined);
      this.#failure ??= { error: toLedgerError(error, isOutcomeUnknown), isContention: isContention(error) };
      throw this.#failure.error;
    });
  }
}

/**
 * Makes commits durable even if the server is configured to acknowledge them earlier. Stronger settings, such as
 * waiting for standbys, stay.
 */
const DURABLE = `set_config('synchronous_commit',
  replace(current_setting('synchronous_commit'), 'off', 'on'), true)`;

function beginText({ busyMs, sync }: TransactionOptions): string {
  const settings = [`set_config('lock_timeout', '${busyMs}', true)`, ...(sync === "full" ? [DURABLE] : [])];
  return `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT ${settings.join(", ")}`;
}
