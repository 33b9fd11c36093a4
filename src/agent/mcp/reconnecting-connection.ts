// Implements a connection to an MCP server that is opened when it is needed, and opened again after it was lost.
import type { AgentError } from "../errors.ts";
import { McpConnection } from "./connection.ts";
import { toConnectError, mcpError, describeMcpError } from "./classify-errors.ts";
import type { McpServerOptions } from "./types.ts";

/**
 * The pause, in milliseconds, before the next attempt to connect after two consecutive failures. Each further failure
 * doubles the pause.
 */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

export interface ReconnectEvents {
  onToolsChanged(): void;
  onProblem(problem: AgentError): void;
  /** A monotonic clock in milliseconds. */
  now(): number;
}

export class ReconnectingConnection {
  readonly #options: McpServerOptions;
  readonly #events: ReconnectEvents;
  #current: McpConnection | undefined;
  #opening: Promise<McpConnection> | undefined;
  /**
   * The number of consecutive connections that could not be opened, or that were lost before the server answered a
   * call.
   */
  #failures = 0;
  /** Time of the clock before which no connection is opened. */
  #notBefore = -Infinity;
  readonly #closing = new AbortController();

  constructor(options: McpServerOptions, events: ReconnectEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Returns the open connection, or opens a new connection. Rejects at once during the pause after failures. */
  connect(): Promise<McpConnection> {
    if (this.#closing.signal.aborted) return Promise.reject(mcpError(this.#options, "was closed."));
    if (this.#current?.isOpen === true) return Promise.resolve(this.#current);
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Resets the count of failures, because the server has answered a call. */
  markAnswered(): void {
    this.#failures = 0;
  }

  /** Closes a connection whose server has lost the session. */
  drop(connection: McpConnection): void {
    if (this.#current === connection) this.#current = undefined;
    void connection.close();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connection = this.#current ?? (await this.#opening?.catch(() => undefined));
    this.#current = undefined;
    await connection?.close();
  }

  async #open(): Promise<McpConnection> {
    const pause = this.#notBefore - this.#events.now();
    if (pause > 0) {
      throw mcpError(this.#options, `is unavailable; the next attempt is possible in ${Math.ceil(pause / 1000)} s.`);
    }
    try {
      const events = {
        onClose: () => this.#onLost(connection),
        onToolsChanged: () => this.#events.onToolsChanged(),
        onError: (error: Error) =>
          this.#events.onProblem(mcpError(this.#options, `reports: ${describeMcpError(error)}`, error)),
      };
      const connection: McpConnection = await McpConnection.open(this.#options, events, this.#closing.signal);
      this.#current = connection;
      return connection;
    } catch (cause) {
      if (this.#closing.signal.aborted) throw mcpError(this.#options, "was closed.", cause);
      this.#countFailure();
      throw toConnectError(this.#options, cause);
    }
  }

  #onLost(connection: McpConnection): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    this.#countFailure();
    this.#events.onProblem(mcpError(this.#options, "closed its connection; it is opened again when it is needed."));
  }

  #countFailure(): void {
    this.#failures++;
    const pause = this.#failures < 2 ? 0 : FIRST_PAUSE_MS * 2 ** (this.#failures - 2);
    this.#notBefore = this.#events.now() + Math.min(pause, LONGEST_PAUSE_MS);
  }
}
