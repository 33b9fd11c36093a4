// Handles a request independently of the HTTP adapter: access guard, routing, authentication, limits, the route itself,
// and the error reply. The adapters write the reply.
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { Caller, ServerReply, Route, ServerRequest, Sink } from "../types.ts";
import type { Authenticate } from "./authenticate.ts";
import { corsHeaders, preflightHeaders, SAFE_HEADERS } from "./cors.ts";
import { errorReply, toServerError } from "./server-error.ts";
import type { AccessGuard } from "./access-guard.ts";
import type { OpenCallLimiter } from "./open-call-limiter.ts";
import type { HttpRouter } from "./router.ts";

/** A request from an adapter; `params` is set once the route is found. */
export type IncomingRequest = Omit<ServerRequest, "params"> & {
  params: ServerRequest["params"];
  readonly headerCount: number;
};

/** The outcome of an exchange, for logs and metrics. */
export interface ExchangeOutcome {
  readonly request: IncomingRequest;
  readonly route: Route | undefined;
  readonly caller: Caller | undefined;
  readonly status: number;
  readonly error: ServerError | undefined;
  readonly streamed: boolean;
  readonly durationMs: number;
  /** True if the client disconnected or the stream broke off before the reply was complete. */
  readonly cut: boolean;
}

export interface ExchangeOptions {
  limits: Pick<ServerLimits, "headers">;
  guard: AccessGuard;
  router: HttpRouter;
  authenticate: Authenticate;
  openCalls: OpenCallLimiter;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  /** True during shutdown: new calls are rejected. */
  isDraining: () => boolean;
  onOutcome: (outcome: ExchangeOutcome) => void;
}

/** One request and its reply. */
export class ServerExchange {
  readonly request: IncomingRequest;
  reply: ServerReply = { status: 500, headers: {} };
  #route: Route | undefined;
  /** The origin of a page that calls from elsewhere. */
  #origin: string | undefined;
  #caller: Caller | undefined;
  #error: ServerError | undefined;
  #isCounted = false;
  #isEnded = false;
  readonly #options: ExchangeOptions;
  readonly #startedAt: number;

  constructor(options: ExchangeOptions, request: IncomingRequest) {
    this.#options = options;
    this.request = request;
    this.#startedAt = options.now();
  }

  /** Never rejects. Call `end` when the reply is written. */
  async answer(): Promise<this> {
    let reply: ServerReply;
    try {
      reply = await this.#run();
    } catch (thrown) {
      reply = this.#failed(thrown);
    }
    this.#complete(reply);
    return this;
  }

  /**
   * Replaces the reply by an error, if its head cannot be sent. The old body still runs once, to release its resources.
   */
  replace(thrown: unknown): void {
    const { body } = this.reply;
    if (typeof body === "function") void body(CLOSED_SINK).catch(() => {});
    this.#complete(this.#failed(thrown));
  }

  #complete(reply: ServerReply): void {
    const { request } = this;
    const cors = this.#origin === undefined ? undefined : corsHeaders(this.#origin);
    const headers = { ...SAFE_HEADERS, "x-request-id": request.id, ...cors, ...reply.headers };
    this.reply = { ...reply, headers };
    if (request.method === "HEAD") dropBody(this.reply);
  }

  #run(): ServerReply | Promise<ServerReply> {
    const { request } = this;
    const { limits, guard, router, authenticate, openCalls, isDraining } = this.#options;
    // The route is found first, so that every error is formatted for the route's clients.
    const match = request.method === "OPTIONS" ? undefined : router.find(request.method, request.path);
    this.#route = match?.route;
    const origin = guard.check(request.method, request.headers);
    this.#origin = origin;
    if (request.headerCount > limits.headers) {
      const message = `The request has ${request.headerCount} headers; the limit is ${limits.headers}.`;
      throw new ServerError("headers-too-large", message);
    }
    if (request.method === "OPTIONS") return optionsReply(router.methods(request.path), origin, request.headers);
    if (match === undefined) throw router.createMissingError(request.method, request.path);
    const { route } = match;
    request.params = match.params();
    const caller = route.public === true ? ANONYMOUS_CALLER : authenticate(request);
    this.#caller = caller;
    if (route.countsAsOpenCall === true) {
      if (isDraining()) throw createShutdownError();
      openCalls.enter(caller.tenant);
      this.#isCounted = true;
    }
    return route.run(request, caller);
  }

  #failed(thrown: unknown): ServerReply {
    const error = toServerError(thrown);
    this.#error = error;
    try {
      return (this.#route?.formatError ?? errorReply)(error, this.request);
    } catch {
      // A faulty error format must not hide the error.
      return errorReply(error);
    }
  }

  /** Ends the exchange after the reply is written or the client is gone. */
  end(cut: boolean, thrown?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { openCalls, now, onOutcome } = this.#options;
    if (this.#isCounted && this.#caller !== undefined) openCalls.leave(this.#caller.tenant);
    onOutcome({
      request: this.request,
      route: this.#route,
      caller: this.#caller === ANONYMOUS_CALLER ? undefined : this.#caller,
      status: this.reply.status,
      error: thrown === undefined ? this.#error : toServerError(thrown),
      streamed: typeof this.reply.body === "function",
      durationMs: now() - this.#startedAt,
      cut,
    });
  }
}

const CLOSED_SINK: Sink = { closed: true, write: () => undefined };

/** The caller of public routes. Accessing its ledger is a bug. */
const ANONYMOUS_CALLER: Caller = {
  tenant: "",
  scope: "",
  get ledger(): never {
    throw new TypeError("A public route has no tenant and no ledger.");
  },
};

function optionsReply(
  methods: readonly string[],
  origin: string | undefined,
  headers: ServerRequest["headers"],
): ServerReply {
  const allow = methods.length === 0 ? ["OPTIONS"] : methods;
  const cors = origin === undefined ? {} : preflightHeaders(origin, allow, headers);
  return { status: 204, headers: { allow: allow.join(", "), ...cors } };
}

function createShutdownError(): ServerError {
  return new ServerError("unavailable", "The server is shutting down. Try again in a moment.", {
    headers: { "retry-after": "1" },
  });
}

/** Drops the body for HEAD but keeps its headers. A streamed body still runs once, to release its resources. */
function dropBody(reply: ServerReply): void {
  const { body } = reply;
  if (typeof body === "function") void body(CLOSED_SINK).catch(() => {});
  if (body === undefined || typeof body === "function") delete reply.body;
  else {
    reply.headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength);
    delete reply.body;
  }
}
