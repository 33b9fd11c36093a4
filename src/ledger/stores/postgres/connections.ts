// Manages the connections of a Postgres store. A connection is used by one caller at a time, and is closed when it
// breaks or is unused.
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
import { isConnectionLost, toLedgerError } from "./errors.ts";
import { KeyedSemaphores, Semaphore } from "./semaphore.ts";

/**
 * A function that is called before and after every statement, for example with "before insert-messages" or "after
 * commit"; for crash tests.
 */
export type PostgresTrace = (point: string) => void;

/** The time without a response after which the server counts as unreachable. */
const RESPONSE_TIMEOUT_MS = 120_000;
/** The maximum time to open a connection. */
const CONNECT_TIMEOUT_MS = 10_000;
/** The maximum time that timers of Node and timeouts of the server support. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/**
 * The maximum number of writers of one thread that have a connection: one writes, and one waits for the lock on the
 * server. Further waiting writers would only take connections from other callers.
 */
const WRITERS_PER_THREAD = 2;

/** The options of a store's connections. */
export interface ConnectionOptions {
  url: string;
  connections: number;
  /** The maximum time in milliseconds to wait for a free connection or a lock. */
  busyMs: number;
  trace?: PostgresTrace | undefined;
}

/** A connection that is in use, and the function that returns it to the pool. */
interface LentConnection {
  connection: PipelinedConnection;
  release(): void;
}

/**
 * Requests a connection. With `queue`, the name of a thread, the caller first waits in the queue of that thread's
 * writers. Repeated calls return the same connection.
 */
export type RequestConnection = (queue?: string) => Promise<PipelinedConnection>;

/** The connection pool of a store. */
export class PostgresConnections {
  readonly driver: PgDriver;
  readonly settings: PgSettings;
  /** The maximum time in milliseconds to wait for a lock; at least 1, because 0 means no limit to the server. */
  readonly busyMs: number;
  readonly #trace: PostgresTrace | undefined;
  readonly #semaphore: Semaphore;
  readonly #queues: KeyedSemaphores;
  readonly #pool: PgPool;
  /** The errors of broken connections, including those that broke while they were idle. */
  readonly #lost = new WeakMap<PgClient, Error>();
  #isOpen = true;
  #inUse = 0;
  #onIdle: () => void = () => undefined;
  #ended: Promise<void> | undefined;

  constructor(driver: PgDriver, { url, connections, busyMs, trace }: ConnectionOptions) {
    this.driver = driver;
    this.#trace = trace;
    this.busyMs = Math.min(Math.max(Math.ceil(busyMs), 1), MAX_TIMEOUT_MS);
    this.#semaphore = new Semaphore(connections, this.busyMs, "No connection to Postgres became free in time.");
    // If there are several connections, the writers of one thread leave at least one for other callers.
    this.#queues = new KeyedSemaphores(Math.max(Math.min(WRITERS_PER_THREAD, connections - 1), 1), this.busyMs);
    this.settings = {
      connectionString: url,
      application_name: "koine",
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    };
    this.#pool = new driver.Pool({ ...this.settings, max: connections, pipeline: true, allowExitOnIdle: true });
    // Errors of idle connections are ignored, because the pool closes such connections. Without this listener, the
    // process would end.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", (error) => this.#lost.set(client, error)));
  }

  assertOpen(): void {
    if (!this.#isOpen) throw new LedgerError("closed", "The ledger was closed.");
  }

  /**
   * Runs `work` with a connection, and returns the connection to the pool afterwards. The pool closes the connection if
   * it is broken.
   */
  withConnection<T>(work: (connection: PipelinedConnection) => Promise<T>): Promise<T> {
    return this.withLazyConnection(async (request) => work(await request()));
  }

  /**
   * Runs `work` with a function that requests a connection when `work` first needs one. Afterwards, returns the
   * connection to the pool, as `withConnection` does.
   */
  async withLazyConnection<T>(work: (request: RequestConnection) => Promise<T>): Promise<T> {
    this.assertOpen();
    this.#inUse++;
    let lent: Promise<LentConnection> | undefined;
    try {
      return await work((queue) => (lent ??= this.#acquire(queue)).then(({ connection }) => connection));
    } finally {
      // If no connection was available, `work` has received the error, and there is no connection to release.
      (await lent?.catch(() => undefined))?.release();
      this.#inUse--;
      if (this.#inUse === 0) this.#onIdle();
    }
  }

  /** Waits until no connection is in use, then closes the pool. */
  close(): Promise<void> {
    this.#isOpen = false;
    this.#ended ??= this.#waitUntilIdle().then(() => this.#pool.end());
    return this.#ended;
  }

  async #waitUntilIdle(): Promise<void> {
    if (this.#inUse > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /**
   * Waits in the queue, then for a connection. In this order a caller with a connection never waits in a queue, so
   * callers cannot deadlock.
   */
  async #acquire(queue: string | undefined): Promise<LentConnection> {
    const leaveQueue = queue === undefined ? undefined : await this.#queues.enter(queue);
    try {
      await this.#semaphore.enter();
    } catch (error) {
      leaveQueue?.();
      throw error;
    }
    const leave = (): void => {
      this.#semaphore.leave();
      leaveQueue?.();
    };
    try {
      const client = await this.#pool.connect();
      const connection = new PipelinedConnection(client, this.#trace, () => this.#lost.get(client));
      const end = (): void => {
        client.release(connection.broken);
        leave();
      };
      return { connection, release: end };
    } catch (error) {
      leave();
      throw toLedgerError(error);
    }
  }
}

/** Sends queries on one connection in order, without waiting for each response if the driver supports pipelining. */
export class PipelinedConnection {
  /** The reason why the connection must not be used again. */
  broken: Error | undefined;
  readonly #client: PgClient;
  readonly #trace: PostgresTrace | undefined;
  readonly #findLoss: () => Error | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isCorked = false;

  constructor(client: PgClient, trace?: PostgresTrace, findLoss: () => Error | undefined = () => undefined) {
    this.#client = client;
    this.#trace = trace;
    this.#findLoss = findLoss;
  }

  /** Sends a query. Calls `started` when the query is sent, but not if the connection is already broken. */
  send(name: string, query: PgQuery, started?: () => void): Promise<PgResult> {
    if (this.#client.pipeline === true) return this.#query(name, query, started);
    // A driver without pipelining accepts one query at a time.
    const answer = this.#last.then(() => this.#query(name, query, started));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  #query(name: string, query: PgQuery, started?: () => void): Promise<PgResult> {
    const loss = this.broken ?? this.#findLoss();
    if (loss !== undefined) {
      this.broken ??= loss;
      return Promise.reject(loss);
    }
    this.#trace?.(`before ${name}`);
    started?.();
    this.#cork();
    return new Promise((resolve, reject) => {
      this.#client.query(query, (error, result) => {
        if (error) {
          if (isConnectionLost(error)) this.broken ??= error;
          reject(error);
        } else {
          this.#trace?.(`after ${name}`);
          resolve(result);
        }
      });
    });
  }

  /**
   * Combines the queries of one tick into one write to the socket, because on a fast network the writes to the socket
   * take most of the time.
   */
  #cork(): void {
    const stream = this.#client.connection?.stream;
    if (this.#isCorked || stream?.cork === undefined) return;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork?.();
    });
  }
}

/**
 * A query that is sent as text. The fields that all queries share are getters of the prototype, because the driver
 * copies every own field of a query, which takes time.
 */
class TextQuery implements PgQuery {
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
    return RESPONSE_TIMEOUT_MS;
  }
}

class NamedQuery extends TextQuery {
  readonly name: string;
  readonly values: readonly PgValue[];

  constructor(name: string, text: string, values: readonly PgValue[]) {
    super(text);
    this.name = name;
    this.values = values;
  }
}

/** Creates a query for a prepared statement, which Postgres parses once per connection. */
export function createNamedQuery(name: string, text: string, values: readonly PgValue[]): PgQuery {
  return new NamedQuery(name, text, values);
}

/** Creates a query without parameters that is not prepared. */
export function createTextQuery(text: string): PgQuery {
  return new TextQuery(text);
}

/**
 * Returns the rows of a result. The values are text, null or bytes, because all queries use the type parsers `TYPES`.
 */
export function toRows({ rows }: PgResult): readonly SqlRow[] {
  return rows;
}
