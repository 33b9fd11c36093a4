// Keeps a connection to an MCP server: one at a time, made when it is needed, made again when it was lost.
import type { AgentError } from "../errors.ts";
import { Connection } from "./connection.ts";
import { connectFailure, failed, reasonOf } from "./failures.ts";
import type { McpServerOptions } from "./types.ts";

/** The pause before the third connection in a row that came to nothing; each further one is twice as long. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

export interface KeeperEvents {
  onToolsChanged(): void;
  onProblem(problem: AgentError): void;
  /** Milliseconds; only differences count. */
  now(): number;
}

export class ReconnectingConnection {
  readonly #options: McpServerOptions;
  readonly #events: KeeperEvents;
  #current: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  /** Connections that could not be made, or were lost before a call was answered. */
  #failures = 0;
  #notBefore = -Infinity;
  readonly #closing = new AbortController();

  constructor(options: McpServerOptions, events: KeeperEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** The connection; a new one where there is none. Fails at once where the last ones came to nothing a moment ago. */
  connect(): Promise<Connection> {
    if (this.#closing.signal.aborted) return Promise.reject(failed(this.#options, "was closed."));
    if (this.#current?.isOpen === true) return Promise.resolve(this.#current);
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** The server works. */
  answered(): void {
    this.#failures = 0;
  }

  /** Gives up a connection whose server no longer knows it. */
  drop(connection: Connection): void {
    if (this.#current === connection) this.#current = undefined;
    void connection.close();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connection = this.#current ?? (await this.#opening?.catch(() => undefined));
    this.#current = undefined;
    await connection?.close();
  }

  async #open(): Promise<Connection> {
    const pause = this.#notBefore - this.#events.now();
    if (pause > 0) {
      throw failed(this.#options, `is not there; it is tried again in ${Math.ceil(pause / 1000)} s at the earliest.`);
    }
    try {
      const events = {
        onClose: () => this.#lost(connection),
        onToolsChanged: () => this.#events.onToolsChanged(),
        onError: (error: Error) => this.#events.onProblem(failed(this.#options, `reports: ${reasonOf(error)}`, error)),
      };
      const connection: Connection = await Connection.open(this.#options, events, this.#closing.signal);
      this.#current = connection;
      return connection;
    } catch (cause) {
      if (this.#closing.signal.aborted) throw failed(this.#options, "was closed.", cause);
      this.#failedAgain();
      throw connectFailure(this.#options, cause);
    }
  }

  #lost(connection: Connection): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    this.#failedAgain();
    this.#events.onProblem(failed(this.#options, "ended its connection; it is connected anew when it is needed."));
  }

  #failedAgain(): void {
    this.#failures++;
    const pause = this.#failures < 2 ? 0 : FIRST_PAUSE_MS * 2 ** (this.#failures - 2);
    this.#notBefore = this.#events.now() + Math.min(pause, LONGEST_PAUSE_MS);
  }
}
