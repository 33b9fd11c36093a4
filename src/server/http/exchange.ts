// Handles an HTTP request independently of the adapter: checks the access, finds the route, authenticates the caller,
// applies the limits, calls the route, and converts errors to replies. The adapters write the reply.
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { Caller, ServerReply, Route, ServerRequest, Sink } from "../types.ts";
import type { Authenticate } from "./authenticate.ts";
import { corsHeaders, preflightHeaders, SAFE_HEADERS } from "./cors.ts";
import { errorReply, toServerError } from "./server-error.ts";
import type { AccessGuard } from "./access-guard.ts";
import type { OpenCallLimiter } from "./open-call-limiter.ts";
import type { HttpRouter } from "./router.ts";

/** The HTTP request that an adapter creates; `params` is set when the route has been found. */
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
  /** True if the client disconnected or the stream failed before the reply was complete. */
  readonly cut: boolean;
}

export interface ExchangeOptions {
  limits: Pick<ServerLimits, "headers">;
  guard: AccessGuard;
  router: HttpRouter;
  authenticate: Authenticate;
  openCalls: OpenCallLimiter;
  /** Returns the time of a monotonic clock, in milliseconds. */
  now: () => number;
  /** Returns true during shutdown, when new calls are rejected. */
  isDraining: () => boolean;
  onOutcome: (outcome: ExchangeOutcome) => void;
}

/** One HTTP request and its reply. */
export class ServerExchange {
  readonly request: IncomingRequest;
  reply: ServerReply = { status: 500, headers: {} };
  #route: Route | undefined;
  /** The origin of the calling page; undefined if it is the server's own origin or no page sent the request. */
  #origin: string | undefined;
  #caller: Caller | undefined;
  #error: ServerError | undefined;
  /** True if the exchange was counted as an open call, so that `end` must decrease the number of open calls. */
  #isCounted = false;
  #isEnded = false;
  readonly #options: ExchangeOptions;
  readonly #startedAt: number;

  constructor(options: ExchangeOptions, request: IncomingRequest) {
    this.#options = options;
    this.request = request;
    this.#startedAt = options.now();
  }

  /**
   * Runs the route and sets `reply`. Never rejects, because an error becomes an error reply. The caller must call `end`
   * after writing the reply.
   */
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
   * Replaces a reply whose headers cannot be sent with an error reply. A streamed body of the replaced reply is still
   * called once with a closed sink, so that it releases its resources.
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
    // The route is found first, so that all errors of the checks below have the error format of the route.
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
      // If the route's error format fails, the default format is used, so that the error is not hidden.
      return errorReply(error);
    }
  }

  /** Ends the exchange after the reply is written or the client has disconnected, and reports the outcome once. */
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

/** The caller of public routes. The getter of the ledger throws, because public routes must not access the ledger. */
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

/**
 * Removes the body of a reply to HEAD, but not its headers. A streamed body is still called once with a closed sink, so
 * that it releases its resources.
 */
function dropBody(reply: ServerReply): void {
  const { body } = reply;
  if (typeof body === "function") void body(CLOSED_SINK).catch(() => {});
  if (body === undefined || typeof body === "function") delete reply.body;
  else {
    reply.headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength);
    delete reply.body;
  }
}
