// Implements one connection to an MCP server, from its opening until it is lost or closed. `ReconnectingConnection`
// opens the next one.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createFetch } from "./truncated-replies.ts";
import { isCommand, readTimeouts } from "./check-options.ts";
import { loadClient, loadHttp, loadStdio, loadTypes } from "./load-sdk.ts";
import type { McpCommandOptions, McpProgress, McpServerOptions, McpUrlOptions } from "./types.ts";

/** The events that a connection reports to its owner. */
export interface McpConnectionEvents {
  /** Called once when the connection is lost or closed. */
  onClose(): void;
  onToolsChanged(): void;
  /** Called with errors that did not end the connection. */
  onError(error: Error): void;
}

type McpProgressReport = Pick<McpProgress, "progress" | "total" | "message">;

export interface McpRequestOptions {
  signal?: AbortSignal;
  /** The longest time, in milliseconds, that may pass without a reply or a progress report. */
  silenceMs: number;
  onProgress?: (progress: McpProgressReport) => void;
}

// The version is fixed, because the version of the package cannot be read in every environment.
const CLIENT_INFO = { name: "koine", version: "1" };
/** The longest delay of a timer in milliseconds; a timer with a longer delay would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/**
 * The largest message of a server. Results with images exceed the SDK's default; the size is limited, because the SDK's
 * parser needs quadratic time.
 */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const STDERR_TAIL_LENGTH = 2000;
/** Time limit, in milliseconds, for terminating a session. */
const TERMINATE_MS = 1000;

interface McpTransport {
  transport: Transport;
  /** Terminates the session; undefined for a transport without sessions. */
  terminate?: () => Promise<void>;
  /** Returns the end of the server's standard error; undefined for a server that is not a program. */
  stderrTail?: () => string;
  /** Converts the SDK's error for an HTTP error reply to an `McpHttpError`; returns every other error unchanged. */
  toServerError?: (error: unknown) => unknown;
}

/** The error of a request to which the server replied with an HTTP error status. */
export class McpHttpError extends Error {
  readonly status: number;
  constructor(status: number, cause: Error) {
    super(cause.message, { cause });
    this.status = status;
  }
}

/** The error of a connection that could not be opened; `stderrTail` is the end of the program's standard error. */
export class McpConnectError extends Error {
  readonly stderrTail: string;
  constructor(cause: unknown, stderrTail: string) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.stderrTail = stderrTail;
  }
}

type McpResultSchema = Awaited<ReturnType<typeof loadTypes>>["ResultSchema"];

export class McpConnection {
  isOpen = true;
  readonly #client: Client;
  readonly #transport: McpTransport;
  readonly #resultSchema: McpResultSchema;

  private constructor(client: Client, transport: McpTransport, resultSchema: McpResultSchema) {
    this.#client = client;
    this.#transport = transport;
    this.#resultSchema = resultSchema;
  }

  /** Opens a connection. If the opening is aborted or fails, all resources of the connection are freed. */
  static async open(
    options: McpServerOptions,
    events: McpConnectionEvents,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const [{ Client }, types] = await Promise.all([loadClient(), loadTypes()]);
    const transport = isCommand(options) ? await openCommandTransport(options) : await openUrlTransport(options);
    signal.throwIfAborted();
    const client = new Client(CLIENT_INFO, { capabilities: {} });
    const connection = new McpConnection(client, transport, types.ResultSchema);
    client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => events.onToolsChanged());
    let isConnected = false;
    // The SDK requires that event handlers are assigned to fields of its client.
    Object.assign(client, {
      onerror: (error: Error) => connection.#onError(error, events),
      onclose: () => {
        connection.isOpen = false;
        if (isConnected) events.onClose();
      },
    });
    try {
      await client.connect(transport.transport, {
        timeout: Math.min(readTimeouts(options).connectMs, MAX_TIMER_MS),
        signal,
      });
    } catch (cause) {
      connection.isOpen = false;
      // The SDK also closes the transport, but does not wait until it is closed.
      await transport.transport.close().catch(() => undefined);
      throw new McpConnectError(connection.#toServerError(cause), transport.stderrTail?.() ?? "");
    }
    isConnected = true;
    return connection;
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }
  get hasTools(): boolean {
    return this.#client.getServerCapabilities()?.tools !== undefined;
  }

  /**
   * Sends a request and returns the server's result. If `signal` is aborted, the server is notified and the promise
   * rejects.
   */
  async request(
    method: "tools/list" | "tools/call",
    params: Record<string, unknown>,
    { signal, silenceMs, onProgress }: McpRequestOptions,
  ): Promise<Record<string, unknown>> {
    try {
      return await this.#client.request({ method, params }, this.#resultSchema, {
        timeout: Math.min(silenceMs, MAX_TIMER_MS),
        resetTimeoutOnProgress: true,
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
      });
    } catch (error) {
      throw this.#toServerError(error);
    }
  }

  async close(): Promise<void> {
    this.isOpen = false;
    // Failures to terminate the session and to close the client are ignored: the connection is not used any more.
    await this.#transport.terminate?.().catch(() => undefined);
    await this.#client.close().catch(() => undefined);
  }

  #toServerError(error: unknown): unknown {
    return this.#transport.toServerError?.(error) ?? error;
  }

  #onError(error: Error, events: McpConnectionEvents): void {
    // The SDK reports the reply to a cancelled request with this message. Such a reply is not an error.
    if (error.message.includes("unknown message ID")) return;
    const converted = this.#toServerError(error);
    events.onError(converted instanceof Error ? converted : error);
    // The SDK does not reconnect any more. Closing the client fails the pending requests, which would otherwise wait
    // for their time limit.
    if (error.message.startsWith("Maximum reconnection attempts")) void this.close();
  }
}

async function openCommandTransport({ command, args, env, cwd, onStderr }: McpCommandOptions): Promise<McpTransport> {
  const { StdioClientTransport } = await loadStdio();
  const transport = new StdioClientTransport({
    command,
    ...(args && { args: [...args] }),
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr: "pipe",
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  let tail = "";
  const decoder = new TextDecoder();
  transport.stderr?.on("data", (bytes: Uint8Array) => {
    const text = decoder.decode(bytes, { stream: true });
    tail = (tail + text).slice(-STDERR_TAIL_LENGTH);
    onStderr?.(text);
  });
  const close = transport.close.bind(transport);
  let closing: Promise<void> | undefined;
  // `close` may be called twice, by Koine and by the SDK. Both calls wait for the end of the program.
  transport.close = () => (closing ??= close());
  return { transport, stderrTail: () => tail.trim() };
}

async function openUrlTransport(options: McpUrlOptions): Promise<McpTransport> {
  const { StreamableHTTPClientTransport, StreamableHTTPError } = await loadHttp();
  const transport = new StreamableHTTPClientTransport(new URL(options.url), { fetch: createFetch(options) });
  const terminate = async (): Promise<void> => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, TERMINATE_MS);
    await Promise.race([transport.terminateSession(), late]).finally(() => clearTimeout(timer));
  };
  const toServerError = (error: unknown): unknown =>
    error instanceof StreamableHTTPError && (error.code ?? 0) >= 400 ? new McpHttpError(error.code ?? 0, error) : error;
  return { transport, terminate, toServerError };
}
