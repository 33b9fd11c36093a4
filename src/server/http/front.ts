// The way of every request, whatever brought it: guard, route, caller, limits, the route itself, and an error in the
// words of the route's clients. What is written where is the adapters'.
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { Caller, Reply, Route, ServerRequest, Sink } from "../types.ts";
import type { Authenticate } from "./auth.ts";
import { corsHeaders, preflightHeaders, SAFE_HEADERS } from "./cors.ts";
import { failureReply, serverErrorOf } from "./failure.ts";
import type { Guard } from "./guard.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { Router } from "./router.ts";

/** A request as an adapter brings it: its parameters are known once its route is. */
export type Incoming = Omit<ServerRequest, "params"> & {
  params: ServerRequest["params"];
  /** How many headers came. */
  readonly headerCount: number;
};

/** What happened, for logs and metrics. */
export interface Outcome {
  readonly request: Incoming;
  readonly route: Route | undefined;
  readonly caller: Caller | undefined;
  readonly status: number;
  readonly error: ServerError | undefined;
  readonly streamed: boolean;
  readonly durationMs: number;
  /** The client left, or the stream broke off, before the reply was whole. */
  readonly cut: boolean;
}

export interface FrontOptions {
  limits: Pick<ServerLimits, "headers">;
  guard: Guard;
  router: Router;
  authenticate: Authenticate;
  openCalls: OpenCalls;
  /** Milliseconds, of any beginning. */
  now: () => number;
  /** While the server shuts down, no new work is taken. */
  isDraining: () => boolean;
  tell: (outcome: Outcome) => void;
}

/** One request on its way to its reply. */
export class Exchange {
  readonly request: Incoming;
  reply: Reply = { status: 500, headers: {} };
  #route: Route | undefined;
  /** The page that asks, where it is one of another origin. */
  #origin: string | undefined;
  #caller: Caller | undefined;
  #error: ServerError | undefined;
  #entered = false;
  #ended = false;
  readonly #options: FrontOptions;
  readonly #startedAt: number;

  constructor(options: FrontOptions, request: Incoming) {
    this.#options = options;
    this.request = request;
    this.#startedAt = options.now();
  }

  /** Never rejects. `end` must be called when the reply was written. */
  async answer(): Promise<this> {
    let reply: Reply;
    try {
      reply = await this.#run();
    } catch (thrown) {
      reply = this.#failed(thrown);
    }
    this.#complete(reply);
    return this;
  }

  /** The reply's head cannot be sent: the error is the reply. A body ends what it holds open, though nobody reads it. */
  replace(thrown: unknown): void {
    const { body } = this.reply;
    if (typeof body === "function") void body(NOWHERE).catch(() => {});
    this.#complete(this.#failed(thrown));
  }

  #complete(reply: Reply): void {
    const { request } = this;
    const cors = this.#origin === undefined ? undefined : corsHeaders(this.#origin);
    const headers = { ...SAFE_HEADERS, "x-request-id": request.id, ...cors, ...reply.headers };
    this.reply = { ...reply, headers };
    if (request.method === "HEAD") dropBody(this.reply);
  }

  #run(): Reply | Promise<Reply> {
    const { request } = this;
    const { limits, guard, router, authenticate, openCalls, isDraining } = this.#options;
    // First, so that whatever is refused is refused in the words of the route's clients.
    const found = request.method === "OPTIONS" ? undefined : router.find(request.method, request.path);
    this.#route = found?.route;
    const origin = guard.check(request.method, request.headers);
    this.#origin = origin;
    if (request.headerCount > limits.headers) {
      const message = `The request has ${request.headerCount} headers; ${limits.headers} are taken.`;
      throw new ServerError("headers-too-large", message);
    }
    if (request.method === "OPTIONS") return optionsReply(router.methods(request.path), origin, request.headers);
    if (found === undefined) throw router.missing(request.method, request.path);
    const { route } = found;
    request.params = found.params();
    const caller = route.public === true ? NOBODY : authenticate(request);
    this.#caller = caller;
    if (route.countsAsOpenCall === true) {
      if (isDraining()) throw shuttingDown();
      openCalls.enter(caller.tenant);
      this.#entered = true;
    }
    return route.run(request, caller);
  }

  #failed(thrown: unknown): Reply {
    const error = serverErrorOf(thrown);
    this.#error = error;
    try {
      return (this.#route?.formatError ?? failureReply)(error, this.request);
    } catch {
      // Whatever the route's own words are, the error is more important.
      return failureReply(error);
    }
  }

  /** The reply was written, or nobody is there to read it. */
  end(cut: boolean, thrown?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    const { openCalls, now, tell } = this.#options;
    if (this.#entered && this.#caller !== undefined) openCalls.leave(this.#caller.tenant);
    tell({
      request: this.request,
      route: this.#route,
      caller: this.#caller === NOBODY ? undefined : this.#caller,
      status: this.reply.status,
      error: thrown === undefined ? this.#error : serverErrorOf(thrown),
      streamed: typeof this.reply.body === "function",
      durationMs: now() - this.#startedAt,
      cut,
    });
  }
}

const NOWHERE: Sink = { closed: true, write: () => undefined };

/** Who asks for health and the like. Its ledger is never touched: such routes have no tenant. */
const NOBODY: Caller = {
  tenant: "",
  scope: "",
  get ledger(): never {
    throw new TypeError("A route without a token has no tenant's ledger.");
  },
};

function optionsReply(
  methods: readonly string[],
  origin: string | undefined,
  headers: ServerRequest["headers"],
): Reply {
  const allow = methods.length === 0 ? ["OPTIONS"] : methods;
  const cors = origin === undefined ? {} : preflightHeaders(origin, allow, headers);
  return { status: 204, headers: { allow: allow.join(", "), ...cors } };
}

function shuttingDown(): ServerError {
  return new ServerError("unavailable", "The server is shutting down; try again in a moment.", {
    headers: { "retry-after": "1" },
  });
}

/** What HEAD says is what GET would, without the body. One that is written as it comes ends what it holds open. */
function dropBody(reply: Reply): void {
  const { body } = reply;
  if (typeof body === "function") void body(NOWHERE).catch(() => {});
  if (body === undefined || typeof body === "function") delete reply.body;
  else {
    reply.headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength);
    delete reply.body;
  }
}
