// The transport on Node: pools of connections by undici, over HTTP/1.1. Requests are dispatched without undici's own
// streams, which cost more than all else here: pieces of the body go from the parser to whoever reads.
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { Agent, buildConnector, EnvHttpProxyAgent } from "undici";
import type { HttpReply, HttpRequest, SendOptions, Transport } from "../types.ts";
import { Exchange } from "./exchange.ts";

/** A connection to a proxy cannot be given up earlier when nobody waits for it any more. */
const PROXY_CONNECT_MS = 60_000;
/** Providers close idle connections after a minute or more; those that do so earlier say so in a header. */
const KEEP_ALIVE_MS = 30_000;

export function defaultTransport(): Transport {
  return new UndiciTransport();
}

class UndiciTransport implements Transport {
  #agent: Dispatcher | undefined;
  /** The request that is being dispatched: a connection that is begun meanwhile is begun for it. */
  #dispatching: Exchange | undefined;
  /** Those that are under way. */
  readonly #exchanges = new Set<Exchange>();
  readonly #sockets = new Set<Socket>();

  send(request: HttpRequest, limits: SendOptions): Promise<HttpReply> {
    const { signal } = limits;
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { origin, path, host } = placeOf(request.url);
    const exchange = new Exchange(host, limits, this.#note);
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

  /** Made when first used; idle connections neither keep the process alive nor need to be closed. */
  #open(): Dispatcher {
    // No limit of its own: each exchange keeps the time of its request, and ends the connection that was begun for it.
    const connect = buildConnector({ timeout: 0, allowH2: false });
    const options: Agent.Options = {
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The pipeline keeps the time.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        // The types do not say that it gives the socket.
        const socket = connect(options, callback) as unknown as Socket;
        this.#sockets.add(socket);
        socket.once("close", () => this.#sockets.delete(socket));
        if (this.#dispatching !== undefined) this.#dispatching.socket = socket;
      },
    };
    return usesProxies() ? new EnvHttpProxyAgent({ ...options, connectTimeout: PROXY_CONNECT_MS }) : new Agent(options);
  }

  /** Where all that is left is the end of replies whose answers are there, no connection keeps the process alive. */
  readonly #note = (exchange: Exchange): void => {
    if (exchange.isOver) this.#exchanges.delete(exchange);
    if (this.#exchanges.size === 0) return;
    for (const each of this.#exchanges) if (!each.isResting) return;
    // undici lets go of idle ones itself, and takes hold of each one that it uses again.
    for (const socket of this.#sockets) socket.unref();
  };

  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    const closed = agent?.close();
    // Calls under way go on, perhaps for long; their connections are closed behind them.
    if (this.#exchanges.size === 0) await closed;
  }
}

interface Place {
  origin: string;
  path: string;
  host: string;
}

/** The URLs that were asked last: a model has one, and many calls. */
const PLACES = new Map<string, Place>();
const MOST_PLACES = 256;

function placeOf(url: string): Place {
  const known = PLACES.get(url);
  if (known !== undefined) return known;
  const { origin, pathname, search, host } = new URL(url);
  const place = { origin, path: pathname + search, host };
  if (PLACES.size >= MOST_PLACES) PLACES.clear();
  PLACES.set(url, place);
  return place;
}

/** Whether Node is told to heed HTTP_PROXY, HTTPS_PROXY and NO_PROXY; then so does this. */
function usesProxies(): boolean {
  return process.env["NODE_USE_ENV_PROXY"] === "1" || process.execArgv.includes("--use-env-proxy");
}
