// A server of given parts: finds their routes, listens, and shuts down in order.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Ledger } from "../ledger/index.ts";
import type { ServerConfig } from "./config/types.ts";
import { ServerError } from "./errors.ts";
import { createAuthenticate } from "./http/auth.ts";
import type { Incoming } from "./http/front.ts";
import { Exchange } from "./http/front.ts";
import { checkAccess, createGuard } from "./http/guard.ts";
import { createNodeServer } from "./http/node.ts";
import { OpenCalls } from "./http/open-calls.ts";
import { compileRoutes } from "./http/router.ts";
import { answerWeb, WebRequest } from "./http/web.ts";
import { exchangeTeller } from "./operations/exchanges.ts";
import type { OwnServices } from "./services.ts";
import type { ServerModule, Route } from "./types.ts";

export interface KoineServer extends AsyncDisposable {
  readonly config: ServerConfig;
  /** Of the tenant "default". */
  readonly ledger: Ledger;
  /** Every route there is. */
  readonly routes: readonly Route[];
  /** Where it listens, without a slash at the end: "http://127.0.0.1:4141". Before `listen`, where it would. */
  readonly url: string;
  /** Rejects with a `ServerError` "configuration" where it may not or cannot listen there. */
  listen(): Promise<void>;
  /** The same server for a web Request, with or without listening. */
  fetch(request: Request): Promise<Response>;
  /** Takes no new work, finishes what is under way within `drainMs`, and lets go of everything. Again: the same promise. */
  close(): Promise<void>;
}

/** `last`: what ends after the parts, and before the services. */
export function serveParts(services: OwnServices, parts: readonly ServerModule[], last = async () => {}): KoineServer {
  return new Running(services, parts, last);
}

class Running implements KoineServer {
  readonly config: ServerConfig;
  readonly routes: readonly Route[];
  readonly #services: OwnServices;
  readonly #parts: readonly ServerModule[];
  readonly #last: () => Promise<void>;
  readonly #server: Server;
  readonly #open: (request: Incoming) => Exchange;
  #count = 0;
  #active = 0;
  #idle: (() => void) | undefined;
  #started: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** The port that it listens on, or did. */
  #port: number | undefined;

  constructor(services: OwnServices, parts: readonly ServerModule[], last: () => Promise<void>) {
    const { config, ledger, metrics, log, draining } = services;
    const { limits, tenants } = config;
    const routes = parts.flatMap((part) => part.routes);
    this.config = config;
    this.routes = routes;
    this.#services = services;
    this.#parts = parts;
    this.#last = last;
    const open = metrics.gauge("koine_open_calls", "Calls and streams that are open.");
    const openCalls = new OpenCalls(config, (all) => open.set(all));
    const front = {
      limits,
      openCalls,
      guard: createGuard(config),
      router: compileRoutes(routes),
      authenticate: createAuthenticate(tenants, ledger),
      now: () => performance.now(),
      isDraining: () => draining.aborted,
      tell: exchangeTeller(metrics, log, config.log.level),
    };
    this.#open = (request) => {
      this.#active++;
      return new Exchange(front, request);
    };
    this.#server = createNodeServer({
      limits,
      open: this.#open,
      isDraining: front.isDraining,
      nextId: () => this.#nextId(),
      closed: () => this.#closed(),
    });
    const dropped = metrics.counter("koine_connections_dropped_total", "Connections beyond the limit.");
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
      const failed = (error: Error): void => reject(cannotListen(error, host, port));
      this.#server.once("error", failed);
      this.#server.listen(port, host, () => {
        this.#server.off("error", failed);
        // A server that listens has an address with a port.
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
    return answerWeb(this.#open(incoming), incoming, this.config.limits, () => this.#closed());
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#shutDown());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #nextId(): string {
    return `${this.#services.instance.slice(0, 8)}-${(++this.#count).toString(36)}`;
  }

  #start(): Promise<void> {
    return (this.#started ??= Promise.all(this.#parts.map(async (part) => part.start?.())).then(() => {}));
  }

  #closed(): void {
    this.#active--;
    if (this.#active === 0) this.#idle?.();
  }

  /** Resolves when no request is under way. */
  #finished(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#active === 0) resolve();
      else this.#idle = resolve;
    });
  }

  /**
   * First, new calls are only refused: whoever sends them here has the time to see that this server is not ready. Then no
   * connection is taken, and those that nobody asks anything on are closed.
   */
  #stopListening(): { begun: Promise<void>; done: Promise<void> } {
    const { lameDuckMs } = this.config;
    const isWaited = this.#server.listening && lameDuckMs > 0;
    const begun = isWaited ? new Promise<void>((resolve) => setTimeout(resolve, lameDuckMs)) : Promise.resolve();
    const close = (): Promise<void> => new Promise((resolve) => this.#server.close(() => resolve()));
    return { begun, done: isWaited ? begun.then(close) : close() };
  }

  async #shutDown(): Promise<void> {
    const { config } = this;
    const services = this.#services;
    services.log.info("shutting down", { open: this.#active });
    services.drain.abort();
    const closed = this.#stopListening();
    const finished = atMost(config.drainMs, Promise.all([this.#finished(), services.settled()]));
    await Promise.all([finished, closed.begun]);
    services.stop.abort(new ServerError("unavailable", "The server is shutting down."));
    const stopped = this.#parts.map(async (part) => part.stop?.());
    for (const each of stopped) each.catch((error: unknown) => services.log.error("stopping", {}, error));
    await atMost(services.stopMs, Promise.allSettled([...stopped, this.#finished(), services.settled()]));
    this.#server.closeAllConnections();
    await closed.done;
    await this.#last();
    await services.close();
  }
}

/** Waits, but not for ever. What fails is told elsewhere. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
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

function cannotListen(error: Error, host: string, port: number): ServerError {
  const code = "code" in error ? error.code : undefined;
  const where = `${host}:${port}`;
  const message =
    code === "EADDRINUSE"
      ? `Port ${port} on ${host} is taken: stop what listens there, or use another one (--port).`
      : code === "EACCES"
        ? `This user may not listen on ${where}: use a port above 1023 (--port).`
        : code === "EADDRNOTAVAIL" || code === "ENOTFOUND"
          ? `This machine has no address ${host} (--host).`
          : `It cannot listen on ${where}: ${error.message}`;
  return new ServerError("configuration", message, {
    path: code === "EADDRNOTAVAIL" ? "/host" : "/port",
    cause: error,
  });
}
