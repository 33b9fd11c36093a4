// Serves the routes of the given modules: compiles the routes into one router, listens, and on shutdown closes modules
// and services in a fixed order.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Ledger } from "../ledger/index.ts";
import type { ServerConfig } from "./config/types.ts";
import { ServerError } from "./errors.ts";
import { createAuthenticate } from "./http/authenticate.ts";
import type { IncomingRequest } from "./http/exchange.ts";
import { ServerExchange } from "./http/exchange.ts";
import { checkAccess, createAccessGuard } from "./http/access-guard.ts";
import { createNodeServer } from "./http/node-server.ts";
import { OpenCallLimiter } from "./http/open-call-limiter.ts";
import { compileRoutes } from "./http/router.ts";
import { handleWebRequest, WebRequest } from "./http/web-handler.ts";
import { createExchangeObserver } from "./operations/observe-exchanges.ts";
import type { ServerServices } from "./services.ts";
import type { ServerModule, Route } from "./types.ts";

/** A Koine server: its configuration, its ledger, and the functions to serve and to close it. */
export interface KoineServer extends AsyncDisposable {
  readonly config: ServerConfig;
  /** The ledger of the tenant "default". */
  readonly ledger: Ledger;
  /** The routes of all modules. */
  readonly routes: readonly Route[];
  /**
   * The base URL without a trailing slash, such as "http://127.0.0.1:4141". Before `listen`, the URL has the port of
   * the configuration.
   */
  readonly url: string;
  /** Starts to listen. Rejects with a `ServerError` "configuration" if the address is not allowed or unavailable. */
  listen(): Promise<void>;
  /** Handles a web `Request`, even if the server does not listen. */
  fetch(request: Request): Promise<Response>;
  /**
   * Rejects new requests, waits at most `drainMs` for open requests, then closes all connections and services. Repeated
   * calls return the same promise.
   */
  close(): Promise<void>;
}

/** Creates the server. `closeLast` is called after the modules have stopped and before the services are closed. */
export function serveModules(
  services: ServerServices,
  modules: readonly ServerModule[],
  closeLast = async () => {},
): KoineServer {
  return new RunningServer(services, modules, closeLast);
}

class RunningServer implements KoineServer {
  readonly config: ServerConfig;
  readonly routes: readonly Route[];
  readonly #services: ServerServices;
  readonly #modules: readonly ServerModule[];
  readonly #closeLast: () => Promise<void>;
  readonly #server: Server;
  readonly #openExchange: (request: IncomingRequest) => ServerExchange;
  #requestCount = 0;
  #activeRequests = 0;
  #onIdle: (() => void) | undefined;
  #started: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** The port that the server listens on; undefined before `listen`. */
  #port: number | undefined;

  constructor(services: ServerServices, modules: readonly ServerModule[], closeLast: () => Promise<void>) {
    const { config, ledger, metrics, log, draining } = services;
    const { limits, tenants } = config;
    const routes = modules.flatMap((module) => module.routes);
    this.config = config;
    this.routes = routes;
    this.#services = services;
    this.#modules = modules;
    this.#closeLast = closeLast;
    const open = metrics.gauge("koine_open_calls", "Open calls and streams.");
    const openCalls = new OpenCallLimiter(config, (all) => open.set(all));
    const front = {
      limits,
      openCalls,
      guard: createAccessGuard(config),
      router: compileRoutes(routes),
      authenticate: createAuthenticate(tenants, ledger),
      now: () => performance.now(),
      isDraining: () => draining.aborted,
      onOutcome: createExchangeObserver(metrics, log, config.log.level),
    };
    this.#openExchange = (request) => {
      this.#activeRequests++;
      return new ServerExchange(front, request);
    };
    this.#server = createNodeServer({
      limits,
      openExchange: this.#openExchange,
      isDraining: front.isDraining,
      nextId: () => this.#nextId(),
      onReplyEnd: () => this.#requestClosed(),
    });
    const dropped = metrics.counter(
      "koine_connections_dropped_total",
      "Connections that were dropped beyond the limit.",
    );
    this.#server.on("drop", () => dropped.add());
  }

  get ledger(): Ledger {
    return this.#services.ledger;
  }

  get url(): string {
    const { host, port } = this.config;
    const name = host === "0.0.0.0" || host === "::" || host === "" ? "127.0.0.1" : host;
    return `http://${name.includes(":") ? `[${name}]` : name}:${this.#port ?? port}`;
  }

  async listen(): Promise<void> {
    const { host, port } = this.config;
    checkAccess(this.config);
    await new Promise<void>((resolve, reject) => {
      const failed = (error: Error): void => reject(toListenError(error, host, port));
      this.#server.once("error", failed);
      this.#server.listen(port, host, () => {
        this.#server.off("error", failed);
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
    this.#server.on("error", (error) => this.#services.log.error("listening", {}, error));
    await this.#start();
  }

  async fetch(request: Request): Promise<Response> {
    await this.#start();
    const incoming = new WebRequest(request, this.#nextId(), this.config.limits);
    return handleWebRequest(this.#openExchange(incoming), incoming, this.config.limits, () => this.#requestClosed());
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#shutDown());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #nextId(): string {
    return `${this.#services.instance.slice(0, 8)}-${(++this.#requestCount).toString(36)}`;
  }

  #start(): Promise<void> {
    return (this.#started ??= Promise.all(this.#modules.map(async (module) => module.start?.())).then(() => {}));
  }

  #requestClosed(): void {
    this.#activeRequests--;
    if (this.#activeRequests === 0) this.#onIdle?.();
  }

  /** Resolves when no request is open. */
  #waitUntilIdle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#activeRequests === 0) resolve();
      else this.#onIdle = resolve;
    });
  }

  /**
   * Stops listening after `lameDuckMs`. Until then, the server still listens but rejects new calls, so that a load
   * balancer notices that the server is not ready. Afterwards the server rejects new connections and closes idle ones.
   */
  #stopListening(): { lameDuckOver: Promise<unknown>; done: Promise<void> } {
    const { lameDuckMs } = this.config;
    const isWaited = this.#server.listening && lameDuckMs > 0;
    const lameDuckOver = isWaited ? this.#services.pause(lameDuckMs) : Promise.resolve();
    const close = (): Promise<void> => new Promise((resolve) => this.#server.close(() => resolve()));
    return { lameDuckOver, done: isWaited ? lameDuckOver.then(close) : close() };
  }

  async #shutDown(): Promise<void> {
    const { config } = this;
    const services = this.#services;
    services.log.info("shutting down", { open: this.#activeRequests });
    services.drain.abort();
    const closed = this.#stopListening();
    const finished = waitAtMost(config.drainMs, Promise.all([this.#waitUntilIdle(), services.backgroundSettled()]));
    await Promise.all([finished, closed.lameDuckOver]);
    services.stop.abort(new ServerError("unavailable", "The server is shutting down."));
    const stopped = this.#modules.map(async (module) => module.stop?.());
    for (const each of stopped) each.catch((error: unknown) => services.log.error("stopping", {}, error));
    await waitAtMost(
      services.stopMs,
      Promise.allSettled([...stopped, this.#waitUntilIdle(), services.backgroundSettled()]),
    );
    this.#server.closeAllConnections();
    await closed.done;
    await this.#closeLast();
    await services.close();
  }
}

/** Waits for `work`, at most `ms` milliseconds. Errors of `work` are ignored, because the caller logs them. */
async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        resolve();
      });
  });
}

function toListenError(error: Error, host: string, port: number): ServerError {
  const code = "code" in error ? error.code : undefined;
  const where = `${host}:${port}`;
  const message =
    code === "EADDRINUSE"
      ? `Port ${port} on ${host} is in use: stop the process that uses it, or choose another port (--port).`
      : code === "EACCES"
        ? `This user may not listen on ${where}: use a port above 1023 (--port).`
        : code === "EADDRNOTAVAIL" || code === "ENOTFOUND"
          ? `This machine has no address ${host} (--host).`
          : `The server cannot listen on ${where}: ${error.message}`;
  return new ServerError("configuration", message, {
    path: code === "EADDRNOTAVAIL" ? "/host" : "/port",
    cause: error,
  });
}
