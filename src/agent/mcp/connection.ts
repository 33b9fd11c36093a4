// One connection to an MCP server, from its opening until it is lost or closed. Reconnecting is the owner's task.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createFetch } from "./truncated-replies.ts";
import { isCommand, readTimeouts } from "./check-options.ts";
import { loadClient, loadHttp, loadStdio, loadTypes } from "./load-sdk.ts";
import type { McpCommandOptions, McpProgress, McpServerOptions, McpUrlOptions } from "./types.ts";

/** The events of a connection for its owner. */
export interface McpConnectionEvents {
  /** Called once, for any reason. */
  onClose(): void;
  onToolsChanged(): void;
  /** Called with errors that did not end the connection. */
  onError(error: Error): void;
}

type McpProgressReport = Pick<McpProgress, "progress" | "total" | "message">;

export interface McpRequestOptions {
  signal?: AbortSignal;
  /** The longest time without a progress report. */
  silenceMs: number;
  onProgress?: (progress: McpProgressReport) => void;
}

// A version of its own: the package's version cannot be read in every environment.
const CLIENT_INFO = { name: "koine", version: "1" };
/** The longest delay of a timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Results with images exceed the SDK's default. Not unlimited, because the SDK's parser is quadratic in the size. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const STDERR_TAIL_LENGTH = 2000;
/** Time for the termination of a session. */
const TERMINATE_MS = 1000;

interface McpTransport {
  transport: Transport;
  /** Terminates the session, for transports that have one. */
  terminate?: () => Promise<void>;
  /** Returns the end of the server's standard error. */
  stderrTail?: () => string;
  /** Converts HTTP error replies of the server, which the SDK reports as its own errors. */
  toServerError?: (error: unknown) => unknown;
}

/** The server replied to a request with an HTTP error status. */
export class McpHttpError extends Error {
  readonly status: number;
  constructor(status: number, cause: Error) {
    super(cause.message, { cause });
    this.status = status;
  }
}

/** The connection could not be opened; `stderrTail` is the end of the program's standard error. */
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

  /** Opens a connection. An abort or a failure frees all of its resources. */
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
    // The SDK's event handlers are fields of its client.
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
      // The SDK closes it, too, but does not wait for the end.
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

  /** Sends a request and returns the server's result. An abort notifies the server and rejects. */
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
    // A failure to terminate the session does not matter: the connection is closed anyway.
    await this.#transport.terminate?.().catch(() => undefined);
    await this.#client.close();
  }

  #toServerError(error: unknown): unknown {
    return this.#transport.toServerError?.(error) ?? error;
  }

  #onError(error: Error, events: McpConnectionEvents): void {
    // Replies to cancelled requests are not errors.
    if (error.message.includes("unknown message ID")) return;
    const converted = this.#toServerError(error);
    events.onError(converted instanceof Error ? converted : error);
    // The SDK has given up; closing the client fails the running requests, which would otherwise wait for their time limit.
    if (error.message.startsWith("Maximum reconnection attempts")) void this.#client.close();
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
  // A second close waits for the end of the program, too.
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
