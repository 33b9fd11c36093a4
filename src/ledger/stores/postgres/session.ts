// Implements the sessions of a Postgres store: one for reads outside transactions, and one for transactions.
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
  /** The maximum time in milliseconds to wait for a lock; at least 1, because 0 means no limit to the server. */
  busyMs: number;
  /** "full": a commit waits for the server's disk, regardless of the server's setting. */
  sync: "full" | "normal";
}

/** The session for reads. Each statement is its own transaction. */
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
 * The session of one transaction. Statements are sent as early as possible: reads together with BEGIN, and inserts
 * without waiting for their result, because a later statement or the commit reports their failure. A transaction that
 * locks a thread and appends to it therefore takes two round trips.
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
  /** The first error of the transaction. Later errors of the server only state that the transaction has failed. */
  #failure: { readonly error: unknown; readonly isContention: boolean } | undefined;

  constructor(request: RequestConnection, texts: StatementTexts, options: TransactionOptions) {
    this.#request = request;
    this.#texts = texts;
    this.#options = options;
  }

  /**
   * Requests a connection through the queue of a thread, unless a connection was requested already. The transaction
   * then waits for other writers of the thread without using a connection. Called before the thread is locked.
   */
  waitForThread(name: string): void {
    if (this.#requested === undefined) void this.#connect(name);
  }

  /** True if the transaction failed because of other transactions and can be repeated. */
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
    // An insert waits until BEGIN has succeeded. If BEGIN failed, the insert would be committed on its own.
    if (!this.#hasBegun) return this.#begin().then(() => this.#insert(insert, name, query, rows.length));
    return this.#insert(insert, name, query, rows.length);
  }

  #insert({ ignoreTaken }: Insert, name: string, query: PgQuery, count: number): Awaitable<number> {
    const sent = this.#send(name, query);
    if (ignoreTaken === true) return sent.then(({ rowCount }) => rowCount ?? 0);
    if (this.#failure !== undefined) return sent.then(() => count);
    // The rejection is ignored here: `#send` stores the failure, and the next statement or the commit throws it.
    sent.catch(() => undefined);
    return count;
  }

  async commit(): Promise<void> {
    if (this.#begun === undefined) return;
    const { command } = await this.#send(COMMIT, createTextQuery("COMMIT"), () => (this.#sentCommit = true));
    // For the COMMIT of a failed transaction, the server reports no error: it rolls back, and answers with another
    // command name.
    if (this.#failure !== undefined) throw this.#failure.error;
    if (command !== "COMMIT") throw new LedgerError("unavailable", `Postgres answered COMMIT with ${command}.`);
  }

  /**
   * Rolls back the transaction. Never throws: if the rollback fails, the connection is closed, and the server then
   * rolls back the transaction.
   */
  async rollback(): Promise<void> {
    if (this.#begun === undefined || this.#sentCommit) return;
    // The rollback waits for the same connection as earlier statements, so it is sent after them.
    const connection = await this.#requested?.catch(() => undefined);
    if (connection === undefined || connection.broken !== undefined) return;
    await connection.send("rollback", createTextQuery("ROLLBACK")).catch((error: unknown) => {
      connection.broken ??= error instanceof Error ? error : new Error(String(error));
    });
  }

  /** Begins the transaction. Repeated calls return the same promise. */
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
    // Statements that wait for the connection wait for the same promise, so they are sent in the order of the calls.
    const sent =
      this.#connection?.send(name, query, started) ??
      (this.#requested ?? this.#connect()).then((connection) => connection.send(name, query, started));
    return sent.catch((error: unknown) => {
      // After the COMMIT was sent, the outcome is unknown if the COMMIT failed or if the error is not from the server.
      // The server responds in order, so its error for an earlier statement means that nothing was committed.
      const isOutcomeUnknown = this.#sentCommit && (name === COMMIT || readSqlState(error) === undefined);
      this.#failure ??= { error: toLedgerError(error, isOutcomeUnknown), isContention: isContention(error) };
      throw this.#failure.error;
    });
  }
}

/**
 * The expression that makes the commit of the current transaction durable, even if the server is configured to
 * acknowledge commits earlier. Does not change stronger settings, such as waiting for standbys.
 */
const DURABLE = `set_config('synchronous_commit',
  replace(current_setting('synchronous_commit'), 'off', 'on'), true)`;

/**
 * Returns the statements that begin a transaction. The isolation level is READ COMMITTED, so that a statement after a
 * lock sees the writes of other transactions. The wait for locks is limited to `busyMs`.
 */
function beginText({ busyMs, sync }: TransactionOptions): string {
  const settings = [`set_config('lock_timeout', '${busyMs}', true)`, ...(sync === "full" ? [DURABLE] : [])];
  return `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT ${settings.join(", ")}`;
}
