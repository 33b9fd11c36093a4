// One connection to an MCP server: from its beginning until it is lost or closed. It is never made again; that is its
// owner's business.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { fetchFor } from "./http-endings.ts";
import { isCommand, timeoutsOf } from "./options.ts";
import { loadClient, loadHttp, loadStdio, loadTypes } from "./sdk.ts";
import type { McpCommandOptions, McpProgress, McpServerOptions, McpUrlOptions } from "./types.ts";

/** What the owner of a connection hears of it. */
export interface ConnectionEvents {
  /** Once, whatever the reason. */
  onClose(): void;
  onToolsChanged(): void;
  /** Something odd that did not end the connection. */
  onError(error: Error): void;
}

type Progress = Pick<McpProgress, "progress" | "total" | "message">;

export interface RequestLimits {
  signal?: AbortSignal;
  /** Begins again with each report of progress. */
  silenceMs: number;
  onProgress?: (progress: Progress) => void;
}

// The version of this client's conduct. The package's own cannot be read everywhere.
const CLIENT_INFO = { name: "koine", version: "1" };
/** What a timer can hold; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;
/** A result with pictures is easily larger than the SDK's own limit; much more, and reading it takes time by its square. */
const LARGEST_MESSAGE = 32 * 1024 * 1024;
const STDERR_KEPT = 2000;
/** Taking leave must not hold up anybody. */
const LEAVE_MS = 1000;

interface Line {
  transport: Transport;
  /** Says goodbye, where that means something. */
  leave?: () => Promise<void>;
  /** What the server wrote on its standard error last. */
  lastWords?: () => string;
  /** Tells the transport's own errors from those that the server answers with. */
  read?: (error: unknown) => unknown;
}

/** The server answered a request itself with an error of HTTP. */
export class HttpError extends Error {
  readonly status: number;
  constructor(status: number, cause: Error) {
    super(cause.message, { cause });
    this.status = status;
  }
}

/** The connection could not be made; `lastWords` is what the program wrote on its standard error. */
export class ConnectError extends Error {
  readonly lastWords: string;
  constructor(cause: unknown, lastWords: string) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.lastWords = lastWords;
  }
}

type McpResultSchema = Awaited<ReturnType<typeof loadTypes>>["ResultSchema"];

export class Connection {
  isOpen = true;
  readonly #client: Client;
  readonly #line: Line;
  readonly #resultSchema: McpResultSchema;

  private constructor(client: Client, line: Line, resultSchema: McpResultSchema) {
    this.#client = client;
    this.#line = line;
    this.#resultSchema = resultSchema;
  }

  /** Where the signal ends it, or it fails, nothing of it is left. */
  static async open(options: McpServerOptions, events: ConnectionEvents, signal: AbortSignal): Promise<Connection> {
    const [{ Client }, types] = await Promise.all([loadClient(), loadTypes()]);
    const line = isCommand(options) ? await commandLine(options) : await urlLine(options);
    signal.throwIfAborted();
    const client = new Client(CLIENT_INFO, { capabilities: {} });
    const connection = new Connection(client, line, types.ResultSchema);
    client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => events.onToolsChanged());
    let isConnected = false;
    // The SDK's events are fields of its client.
    Object.assign(client, {
      onerror: (error: Error) => connection.#hearOf(error, events),
      onclose: () => {
        connection.isOpen = false;
        if (isConnected) events.onClose();
      },
    });
    try {
      await client.connect(line.transport, { timeout: Math.min(timeoutsOf(options).connectMs, LONGEST_MS), signal });
    } catch (cause) {
      connection.isOpen = false;
      // The SDK closes it, too, but waits for nothing.
      await line.transport.close().catch(() => undefined);
      throw new ConnectError(connection.#read(cause), line.lastWords?.() ?? "");
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

  /** The result as the server sent it. An abort tells the server, and rejects. */
  async request(
    method: "tools/list" | "tools/call",
    params: Record<string, unknown>,
    { signal, silenceMs, onProgress }: RequestLimits,
  ): Promise<Record<string, unknown>> {
    try {
      return await this.#client.request({ method, params }, this.#resultSchema, {
        timeout: Math.min(silenceMs, LONGEST_MS),
        resetTimeoutOnProgress: true,
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
      });
    } catch (error) {
      throw this.#read(error);
    }
  }

  async close(): Promise<void> {
    this.isOpen = false;
    // A server that is gone already, or does not care: the connection ends all the same.
    await this.#line.leave?.().catch(() => undefined);
    await this.#client.close();
  }

  #read(error: unknown): unknown {
    return this.#line.read?.(error) ?? error;
  }

  #hearOf(error: Error, events: ConnectionEvents): void {
    // Answers to requests that nobody waits for any more: cancelled ones.
    if (error.message.includes("unknown message ID")) return;
    const read = this.#read(error);
    events.onError(read instanceof Error ? read : error);
    // The SDK has given up, but what is under way would wait until its time is up.
    if (error.message.startsWith("Maximum reconnection attempts")) void this.#client.close();
  }
}

async function commandLine({ command, args, env, cwd, onStderr }: McpCommandOptions): Promise<Line> {
  const { StdioClientTransport } = await loadStdio();
  const transport = new StdioClientTransport({
    command,
    ...(args && { args: [...args] }),
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr: "pipe",
    maxBufferSize: LARGEST_MESSAGE,
  });
  let words = "";
  const decoder = new TextDecoder();
  transport.stderr?.on("data", (bytes: Uint8Array) => {
    const text = decoder.decode(bytes, { stream: true });
    words = (words + text).slice(-STDERR_KEPT);
    onStderr?.(text);
  });
  const close = transport.close.bind(transport);
  let closing: Promise<void> | undefined;
  // Whoever closes it again waits for the program's end as well.
  transport.close = () => (closing ??= close());
  return { transport, lastWords: () => words.trim() };
}

async function urlLine(options: McpUrlOptions): Promise<Line> {
  const { StreamableHTTPClientTransport, StreamableHTTPError } = await loadHttp();
  const transport = new StreamableHTTPClientTransport(new URL(options.url), { fetch: fetchFor(options) });
  const leave = async (): Promise<void> => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LEAVE_MS);
    await Promise.race([transport.terminateSession(), late]).finally(() => clearTimeout(timer));
  };
  const read = (error: unknown): unknown =>
    error instanceof StreamableHTTPError && (error.code ?? 0) >= 400 ? new HttpError(error.code ?? 0, error) : error;
  return { transport, leave, read };
}
