// The connections of a store: lent to one piece of work each, dropped when they break, and closed once nobody uses them.
import { LedgerError } from "../../errors.ts";
import type { SqlRow } from "../sql/engine.ts";
import {
  type PgClient,
  type PgDriver,
  type PgPool,
  type PgQuery,
  type PgResult,
  type PgSettings,
  type PgValue,
  TYPES,
} from "./driver.ts";
import { isLost, ledgerError } from "./errors.ts";
import { Lines, Turns } from "./turns.ts";

/** Hears of every step towards the server: "before insert-messages", "after commit". For tests that crash in between. */
export type Trace = (point: string) => void;

/** After so long without an answer the server counts as gone: a machine that vanished says nothing. */
const ANSWER_MS = 120_000;
/** How long a new connection may take. */
const CONNECT_MS = 10_000;
/** The longest time that timers and the server know; more would be taken for none. */
const MOST_MS = 2 ** 31 - 1;
/**
 * How many writers of one thread may hold a connection: one that writes and one whose wait for the lock is already at
 * the server. Any more would only keep connections from those who read or write other threads.
 */
const WRITERS_PER_THREAD = 2;

export interface ConnectionOptions {
  url: string;
  connections: number;
  /** How long a free connection, or a lock, is waited for. */
  busyMs: number;
  trace?: Trace | undefined;
}

/** A connection in somebody's hands. */
interface Loan {
  lane: Lane;
  end(): void;
}

/** Asks for the connection. Who names a line waits in it first; asking again gives the same connection. */
export type Ask = (line?: string) => Promise<Lane>;

export class Connections {
  readonly driver: PgDriver;
  readonly settings: PgSettings;
  /** At least 1, as 0 is "for ever" to the server. */
  readonly busyMs: number;
  readonly #trace: Trace | undefined;
  readonly #turns: Turns;
  readonly #lines: Lines;
  readonly #pool: PgPool;
  /** Connections that broke, also while nothing was asked of them. */
  readonly #lost = new WeakMap<PgClient, Error>();
  #isOpen = true;
  #underWay = 0;
  #whenOver: () => void = () => undefined;
  #ended: Promise<void> | undefined;

  constructor(driver: PgDriver, { url, connections, busyMs, trace }: ConnectionOptions) {
    this.driver = driver;
    this.#trace = trace;
    this.busyMs = Math.min(Math.max(Math.ceil(busyMs), 1), MOST_MS);
    this.#turns = new Turns(connections, this.busyMs, "No connection to Postgres became free in time.");
    // One is left for others, where there is more than one.
    this.#lines = new Lines(Math.max(Math.min(WRITERS_PER_THREAD, connections - 1), 1), this.busyMs);
    this.settings = {
      connectionString: url,
      application_name: "koine",
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: CONNECT_MS,
    };
    this.#pool = new driver.Pool({ ...this.settings, max: connections, pipeline: true, allowExitOnIdle: true });
    // The pool drops a connection that breaks; who uses it hears from the query. Without a listener the process would end.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", (error) => this.#lost.set(client, error)));
  }

  demandOpen(): void {
    if (!this.#isOpen) throw new LedgerError("closed", "The ledger was closed.");
  }

  /** Lends a connection. Errors are the ledger's own; after one that leaves the connection in doubt, it is dropped. */
  lend<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
    return this.lendLater(async (ask) => work(await ask()));
  }

  /** As `lend`, for work that finds out by itself when it needs the connection, and for what. */
  async lendLater<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    this.demandOpen();
    this.#underWay++;
    let loan: Promise<Loan> | undefined;
    try {
      return await work((line) => (loan ??= this.#loan(line)).then(({ lane }) => lane));
    } finally {
      // Where there was none to have, work was told.
      (await loan?.catch(() => undefined))?.end();
      this.#underWay--;
      if (this.#underWay === 0) this.#whenOver();
    }
  }

  /** Waits for what is under way. */
  close(): Promise<void> {
    this.#isOpen = false;
    this.#ended ??= this.#over().then(() => this.#pool.end());
    return this.#ended;
  }

  async #over(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenOver = resolve));
  }

  /** First the line, then a connection: who has one never waits for a line, so that nobody waits in a circle. */
  async #loan(line: string | undefined): Promise<Loan> {
    const leaveLine = line === undefined ? undefined : await this.#lines.enter(line);
    try {
      await this.#turns.enter();
    } catch (error) {
      leaveLine?.();
      throw error;
    }
    const leave = (): void => {
      this.#turns.leave();
      leaveLine?.();
    };
    try {
      const client = await this.#pool.connect();
      const lane = new Lane(client, this.#trace, () => this.#lost.get(client));
      const end = (): void => {
        client.release(lane.broken);
        leave();
      };
      return { lane, end };
    } catch (error) {
      leave();
      throw ledgerError(error);
    }
  }
}

/** Queries on one connection: in order, and without waiting for each answer where the driver can do so. */
export class Lane {
  /** Why the connection must not be used again. */
  broken: Error | undefined;
  readonly #client: PgClient;
  readonly #trace: Trace | undefined;
  readonly #lossOf: () => Error | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isHeld = false;

  constructor(client: PgClient, trace?: Trace, lossOf: () => Error | undefined = () => undefined) {
    this.#client = client;
    this.#trace = trace;
    this.#lossOf = lossOf;
  }

  /** `started` is called when the query goes out, and not where the connection was known to be gone before. */
  send(name: string, query: PgQuery, started?: () => void): Promise<PgResult> {
    if (this.#client.pipeline === true) return this.#query(name, query, started);
    // A driver that does not pipeline wants to be asked for one thing at a time.
    const answer = this.#last.then(() => this.#query(name, query, started));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  #query(name: string, query: PgQuery, started?: () => void): Promise<PgResult> {
    const loss = this.broken ?? this.#lossOf();
    if (loss !== undefined) {
      this.broken ??= loss;
      return Promise.reject(loss);
    }
    this.#trace?.(`before ${name}`);
    started?.();
    this.#hold();
    return new Promise((resolve, reject) => {
      this.#client.query(query, (error, result) => {
        if (error) {
          if (isLost(error)) this.broken ??= error;
          reject(error);
        } else {
          this.#trace?.(`after ${name}`);
          resolve(result);
        }
      });
    });
  }

  /** What is sent in one turn leaves in one packet: on a fast network, writing to the socket is the dearest part. */
  #hold(): void {
    const stream = this.#client.connection?.stream;
    if (this.#isHeld || stream?.cork === undefined) return;
    this.#isHeld = true;
    stream.cork();
    process.nextTick(() => {
      this.#isHeld = false;
      stream.uncork?.();
    });
  }
}

/** What all queries have in common, not in the objects themselves: the driver copies each of those field by field. */
class Query implements PgQuery {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get rowMode(): "array" {
    return "array";
  }

  get types(): PgQuery["types"] {
    return TYPES;
  }

  get query_timeout(): number {
    return ANSWER_MS;
  }
}

class NamedQuery extends Query {
  readonly name: string;
  readonly values: readonly PgValue[];

  constructor(name: string, text: string, values: readonly PgValue[]) {
    super(text);
    this.name = name;
    this.values = values;
  }
}

/** A statement that is parsed once per connection. */
export function named(name: string, text: string, values: readonly PgValue[]): PgQuery {
  return new NamedQuery(name, text, values);
}

/** A statement as it stands. */
export function plain(text: string): PgQuery {
  return new Query(text);
}

/** The rows of an answer. Columns come as text, null or bytes: see TYPES. */
export function rowsOf({ rows }: PgResult): readonly SqlRow[] {
  return rows;
}
