// Implements the transport on Node with undici's connection pools over HTTP/1.1. Chunks go from the parser directly to
// the reader. undici's body streams are not used, because they were the largest cost of a call.
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { Agent, buildConnector, EnvHttpProxyAgent } from "undici";
import type { HttpReply, HttpRequest, SendOptions, Transport } from "../types.ts";
import { UndiciExchange } from "./undici-exchange.ts";

/**
 * Time limit, in milliseconds, for connecting to a proxy. The sockets of proxies are not accessible, so an exchange
 * cannot close them itself.
 */
const PROXY_CONNECT_MS = 60_000;
/**
 * Time, in milliseconds, after which an idle connection is closed. Most providers keep idle connections open for at
 * least a minute; a provider with a shorter time announces it in a header, which undici obeys.
 */
const KEEP_ALIVE_MS = 30_000;

/** Creates a transport with undici's connection pools. */
export function defaultTransport(): Transport {
  return new UndiciTransport();
}

class UndiciTransport implements Transport {
  #agent: Dispatcher | undefined;
  /** The exchange that is being dispatched; a socket that is opened during the dispatch belongs to this exchange. */
  #dispatching: UndiciExchange | undefined;
  /** The exchanges that are not over yet. */
  readonly #exchanges = new Set<UndiciExchange>();
  readonly #sockets = new Set<Socket>();

  send(request: HttpRequest, options: SendOptions): Promise<HttpReply> {
    const { signal } = options;
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { origin, path, host } = parseUrl(request.url);
    const exchange = new UndiciExchange(host, options, this.#onExchangeChange);
    this.#exchanges.add(exchange);
    this.#dispatching = exchange;
    this.#agent ??= this.#open();
    this.#agent.dispatch(
      {
        origin,
        path,
        method: request.method,
        headers: { "user-agent": "koine", ...request.headers },
        body: request.body,
      },
      exchange,
    );
    this.#dispatching = undefined;
    exchange.dispatched();
    return exchange.reply;
  }

  /**
   * Creates the agent on the first request. Idle connections do not prevent the process from exiting and need not be
   * closed.
   */
  #open(): Dispatcher {
    // undici's connect timeout is off, because each exchange has its own limit and closes the socket that was opened
    // for it.
    const connect = buildConnector({ timeout: 0, allowH2: false });
    const options: Agent.Options = {
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // undici's timeouts are off, because `CallScope` applies the time limits.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        // The cast is needed, because the types of undici omit the returned socket.
        const socket = connect(options, callback) as unknown as Socket;
        this.#sockets.add(socket);
        socket.once("close", () => this.#sockets.delete(socket));
        if (this.#dispatching !== undefined) this.#dispatching.socket = socket;
      },
    };
    return usesProxies() ? new EnvHttpProxyAgent({ ...options, connectTimeout: PROXY_CONNECT_MS }) : new Agent(options);
  }

  /** Removes an exchange that is over. Lets the process exit if all remaining exchanges only drain their replies. */
  readonly #onExchangeChange = (exchange: UndiciExchange): void => {
    if (exchange.isOver) this.#exchanges.delete(exchange);
    if (this.#exchanges.size === 0) return;
    for (const each of this.#exchanges) if (!each.isDraining) return;
    // No `ref` is needed later: undici itself calls `unref` on idle sockets, and `ref` on each socket that it reuses.
    for (const socket of this.#sockets) socket.unref();
  };

  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    const closed = agent?.close();
    // `close` does not wait while exchanges are running; their connections are closed when they end.
    if (this.#exchanges.size === 0) await closed;
  }
}

interface UrlParts {
  origin: string;
  path: string;
  host: string;
}

/** Parsed URLs, cached because all calls to a model have the same URL. */
const URL_CACHE = new Map<string, UrlParts>();
const MAX_CACHED_URLS = 256;

function parseUrl(url: string): UrlParts {
  const cached = URL_CACHE.get(url);
  if (cached !== undefined) return cached;
  const { origin, pathname, search, host } = new URL(url);
  const parts = { origin, path: pathname + search, host };
  if (URL_CACHE.size >= MAX_CACHED_URLS) URL_CACHE.clear();
  URL_CACHE.set(url, parts);
  return parts;
}

/** True if Node is configured to use HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
function usesProxies(): boolean {
  return process.env["NODE_USE_ENV_PROXY"] === "1" || process.execArgv.includes("--use-env-proxy");
}
