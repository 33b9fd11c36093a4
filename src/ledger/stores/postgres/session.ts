// Where statements of a Postgres ledger run: reads each on their own, changes within one transaction.
import { LedgerError } from "../../errors.ts";
import type { Awaitable } from "../../steps.ts";
import type { Insert, SqlRow, SqlSession, SqlValue, Statement } from "../sql/engine.ts";
import { type Ask, type Connections, type Lane, named, plain, rowsOf } from "./connections.ts";
import type { PgQuery, PgResult } from "./driver.ts";
import { isContention, ledgerError, stateOf } from "./errors.ts";
import type { Texts } from "./flavour.ts";

const COMMIT = "commit";

/** How a transaction begins. */
export interface Terms {
  /** The longest wait for a lock; at least 1. */
  busyMs: number;
  /** "full": a commit waits for the server's disk, whatever the server is set to. */
  sync: "full" | "normal";
}

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
  readonly #ask: Ask;
  readonly #texts: Texts;
  readonly #terms: Terms;
  #asked: Promise<Lane> | undefined;
  #lane: Lane | undefined;
  #begun: Promise<unknown> | undefined;
  #hasBegun = false;
  #sentCommit = false;
  /** The first thing that went wrong; what the server says afterwards is only that something did. */
  #failure: { readonly error: unknown; readonly isContention: boolean } | undefined;

  constructor(ask: Ask, texts: Texts, terms: Terms) {
    this.#ask = ask;
    this.#texts = texts;
    this.#terms = terms;
  }

  /** Called before a thread is locked. As the first thing that work does, it waits its turn without a connection. */
  standInLine(name: string): void {
    if (this.#asked === undefined) void this.#connect(name);
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
    if (this.#begun === undefined || this.#sentCommit) return;
    // What was sent before goes out before.
    const lane = await this.#asked?.catch(() => undefined);
    if (lane === undefined || lane.broken !== undefined) return;
    await lane.send("rollback", plain("ROLLBACK")).catch((error: unknown) => {
      lane.broken ??= error instanceof Error ? error : new Error(String(error));
    });
  }

  /** Read committed, as locks then show what others have written meanwhile; and locks are not waited for without end. */
  #begin(): Promise<unknown> {
    if (this.#begun === undefined) {
      this.#begun = this.#send("begin", plain(beginText(this.#terms)));
      this.#begun.then(
        () => (this.#hasBegun = true),
        () => undefined,
      );
    }
    return this.#begun;
  }

  #connect(line?: string): Promise<Lane> {
    const asked = this.#ask(line);
    asked.then(
      (lane) => (this.#lane = lane),
      () => undefined,
    );
    this.#asked = asked;
    return asked;
  }

  #send(name: string, query: PgQuery, started?: () => void): Promise<PgResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    // Those who wait for the connection keep their order: they all wait for the same promise.
    const sent =
      this.#lane?.send(name, query, started) ??
      (this.#asked ?? this.#connect()).then((lane) => lane.send(name, query, started));
    return sent.catch((error: unknown) => {
      // The server answers in order: what it refuses before the commit, it has not committed.
      const isOpen = this.#sentCommit && (name === COMMIT || stateOf(error) === undefined);
      this.#failure ??= { error: ledgerError(error, isOpen), isContention: isContention(error) };
      throw this.#failure.error;
    });
  }
}

/**
 * A server may be set to acknowledge commits before they are on its disk; a ledger does not. Anything stronger stays,
 * such as waiting for standbys.
 */
const DURABLE = `set_config('synchronous_commit',
  replace(current_setting('synchronous_commit'), 'off', 'on'), true)`;

function beginText({ busyMs, sync }: Terms): string {
  const settings = [`set_config('lock_timeout', '${busyMs}', true)`, ...(sync === "full" ? [DURABLE] : [])];
  return `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT ${settings.join(", ")}`;
}
