// Where statements of a Postgres ledger run: reads each on their own, changes within one transaction.
import { LedgerError } from "../../errors.ts";
import type { Awaitable } from "../../steps.ts";
import type { Insert, SqlRow, SqlSession, SqlValue, Statement } from "../sql/engine.ts";
import { type Connections, type Lane, named, plain, rowsOf } from "./connections.ts";
import type { PgQuery, PgResult } from "./driver.ts";
import { isContention, ledgerError, stateOf } from "./errors.ts";
import type { Texts } from "./flavour.ts";

const COMMIT = "commit";

/** Reads: each statement is a transaction of its own. */
export class ReadSession implements SqlSession {
  readonly #connections: Connections;
  readonly #texts: Texts;

  constructor(connections: Connections, texts: Texts) {
    this.#connections = connections;
    this.#texts = texts;
  }

  async all(statement: Statement, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#connections.lend(async (lane) => {
      try {
        return rowsOf(await lane.send(statement.name, named(statement.name, this.#texts.of(statement), values)));
      } catch (error) {
        throw ledgerError(error);
      }
    });
  }

  run(): never {
    throw new TypeError("Only work within write may change rows.");
  }

  insert(): never {
    return this.run();
  }
}

/**
 * One transaction. Statements go out as early as they can: reads together with the BEGIN, and rows to be inserted
 * without waiting for the server's word, as a later statement or the commit says so if they were refused. Locking a
 * thread and appending to it is thereby two journeys to the server.
 */
export class Transaction implements SqlSession {
  readonly #lane: Lane;
  readonly #texts: Texts;
  readonly #busyMs: number;
  #begun: Promise<unknown> | undefined;
  #hasBegun = false;
  #sentCommit = false;
  /** The first thing that went wrong; what the server says afterwards is only that something did. */
  #failure: { readonly error: unknown; readonly isContention: boolean } | undefined;

  constructor(lane: Lane, texts: Texts, busyMs: number) {
    this.#lane = lane;
    this.#texts = texts;
    this.#busyMs = busyMs;
  }

  /** Whether the transaction failed only because of others, and may be run again. */
  get isContention(): boolean {
    return this.#failure?.isContention === true;
  }

  async all(statement: Statement, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    void this.#begin();
    return rowsOf(await this.#send(statement.name, named(statement.name, this.#texts.of(statement), values)));
  }

  async run(statement: Statement, values: readonly SqlValue[]): Promise<number> {
    if (!this.#hasBegun) await this.#begin();
    const result = await this.#send(statement.name, named(statement.name, this.#texts.of(statement), values));
    return result.rowCount ?? 0;
  }

  insert(insert: Insert, rows: readonly (readonly SqlValue[])[]): Awaitable<number> {
    const [first] = rows;
    if (first === undefined) return 0;
    const { name, text } = this.#texts.insert(insert, rows.length === 1);
    const values = rows.length === 1 ? first : first.map((_, at) => rows.map((row) => row[at] ?? null));
    const query = named(name, text, values);
    // Only a transaction that is known to have begun may be written to: else each statement would stand for itself.
    if (!this.#hasBegun) return this.#begin().then(() => this.#insert(insert, name, query, rows.length));
    return this.#insert(insert, name, query, rows.length);
  }

  #insert({ ignoreTaken }: Insert, name: string, query: PgQuery, count: number): Awaitable<number> {
    const sent = this.#send(name, query);
    if (ignoreTaken === true) return sent.then(({ rowCount }) => rowCount ?? 0);
    if (this.#failure !== undefined) return sent.then(() => count);
    // The failure is kept, and thrown by the next statement or the commit.
    sent.catch(() => undefined);
    return count;
  }

  async commit(): Promise<void> {
    if (this.#begun === undefined) return;
    const { command } = await this.#send(COMMIT, plain("COMMIT"), () => (this.#sentCommit = true));
    // The server undoes a transaction in which something failed, and calls that an answer.
    if (this.#failure !== undefined) throw this.#failure.error;
    if (command !== "COMMIT") throw new LedgerError("unavailable", `Postgres answered COMMIT with ${command}.`);
  }

  /** Undoes everything. Never throws: a connection that cannot do it is dropped, and the server then does. */
  async rollback(): Promise<void> {
    if (this.#begun === undefined || this.#sentCommit || this.#lane.broken !== undefined) return;
    await this.#lane.send("rollback", plain("ROLLBACK")).catch((error: unknown) => {
      this.#lane.broken ??= error instanceof Error ? error : new Error(String(error));
    });
  }

  /** Read committed, as locks then show what others have written meanwhile; and locks are not waited for without end. */
  #begin(): Promise<unknown> {
    if (this.#begun === undefined) {
      const limit = Math.max(Math.ceil(this.#busyMs), 1);
      const text = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${limit}`;
      this.#begun = this.#send("begin", plain(text));
      this.#begun.then(
        () => (this.#hasBegun = true),
        () => undefined,
      );
    }
    return this.#begun;
  }

  #send(name: string, query: PgQuery, started?: () => void): Promise<PgResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return this.#lane.send(name, query, started).catch((error: unknown) => {
      // The server answers in order: what it refuses before the commit, it has not committed.
      const isOpen = this.#sentCommit && (name === COMMIT || stateOf(error) === undefined);
      this.#failure ??= { error: ledgerError(error, isOpen), isContention: isContention(error) };
      throw this.#failure.error;
    });
  }
}
