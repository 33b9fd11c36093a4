// The transport on Node: undici's connection pools over HTTP/1.1. Requests are dispatched without undici's body streams,
// which were the largest cost of a call: chunks go from the parser directly to the reader.
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { Agent, buildConnector, EnvHttpProxyAgent } from "undici";
import type { HttpReply, HttpRequest, SendOptions, Transport } from "../types.ts";
import { UndiciExchange } from "./undici-exchange.ts";

/** Connect limit for proxies: their sockets are not accessible, so an exchange cannot close them itself. */
const PROXY_CONNECT_MS = 60_000;
/** Providers keep idle connections for a minute or more; those with a shorter time announce it in a header. */
const KEEP_ALIVE_MS = 30_000;

/** Creates a transport with undici's connection pools. */
export function defaultTransport(): Transport {
  return new UndiciTransport();
}

class UndiciTransport implements Transport {
  #agent: Dispatcher | undefined;
  /** The exchange that is being dispatched: a socket opened meanwhile belongs to it. */
  #dispatching: UndiciExchange | undefined;
  /** Exchanges that are not over. */
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

  /** Opened on first use. Idle connections do not keep the process alive and need not be closed. */
  #open(): Dispatcher {
    // Without a timeout: each exchange has its own connect limit and closes the socket opened for it.
    const connect = buildConnector({ timeout: 0, allowH2: false });
    const options: Agent.Options = {
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // `CallScope` has the time limits.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        // The types of undici omit the returned socket.
        const socket = connect(options, callback) as unknown as Socket;
        this.#sockets.add(socket);
        socket.once("close", () => this.#sockets.delete(socket));
        if (this.#dispatching !== undefined) this.#dispatching.socket = socket;
      },
    };
    return usesProxies() ? new EnvHttpProxyAgent({ ...options, connectTimeout: PROXY_CONNECT_MS }) : new Agent(options);
  }

  /** Lets the process exit if all remaining exchanges only drain their replies. */
  readonly #onExchangeChange = (exchange: UndiciExchange): void => {
    if (exchange.isOver) this.#exchanges.delete(exchange);
    if (this.#exchanges.size === 0) return;
    for (const each of this.#exchanges) if (!each.isDraining) return;
    // undici unrefs idle sockets itself, and refs each one that it reuses.
    for (const socket of this.#sockets) socket.unref();
  };

  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    const closed = agent?.close();
    // Not awaited while exchanges run: their connections close after them.
    if (this.#exchanges.size === 0) await closed;
  }
}

interface UrlParts {
  origin: string;
  path: string;
  host: string;
}

/** A cache of parsed URLs: all calls to a model have the same URL. */
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
