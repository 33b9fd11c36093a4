// Defines the types that the server's modules share: HTTP requests and replies independent of an HTTP library, routes
// as data, the caller, and the services.
import type { Clock } from "../assembly/index.ts";
import type { ClientContext } from "../calls/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { SchemaObject } from "../model/index.ts";
import type { ServerConfig } from "./config/types.ts";
import type { ServerError } from "./errors.ts";
import type { Logger } from "./operations/log.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { Tracer } from "./operations/tracing.ts";

// ---- Requests and replies ----

export interface ServerRequest {
  readonly method: string;
  /** The path without the query, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The headers; their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded parameters of the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** The id of this request in logs and in `x-request-id`. */
  readonly id: string;
  /**
   * Reads and decompresses the whole body. May be called only once. Throws a `ServerError` such as "too-large",
   * "timeout" or "aborted".
   */
  body(): Promise<Uint8Array>;
  /** Streams the decompressed body, for long bodies such as imports. `maxBytes` replaces the configured body limit. */
  chunks(maxBytes?: number): AsyncIterable<Uint8Array>;
  /** The signal that is aborted if the client disconnects before the reply is complete. */
  readonly signal: AbortSignal;
}

/** Receives the chunks of a streamed reply. */
export interface Sink {
  /**
   * Writes a chunk. Returns undefined if the caller may write the next chunk at once, and otherwise a promise to await
   * before the next chunk. The promise never rejects. If the client has disconnected or has not read for too long,
   * chunks are discarded and `closed` is true.
   */
  write(chunk: string | Uint8Array): Promise<void> | undefined;
  readonly closed: boolean;
  /** True while a write waits for the client to read. Heartbeats are then skipped, because they would accumulate. */
  readonly blocked?: boolean;
}

/**
 * Writes a streamed body. If the function throws, the connection is closed without the end of the body, so that the
 * client does not mistake the partial reply for a complete one.
 */
export type StreamBody = (sink: Sink) => Promise<void>;

export interface ServerReply {
  status: number;
  /** The headers; their names are in lower case. */
  headers: Record<string, string>;
  body?: string | Uint8Array | StreamBody;
}

// ---- Routes ----

/** The authenticated caller of a route. */
export interface Caller {
  readonly tenant: string;
  /**
   * The name of the caller's token within the tenant; "local" if no tenants are configured. Threads that the gateway
   * creates belong to this scope.
   */
  readonly scope: string;
  /** The ledger of the tenant, which contains no rows of other tenants. */
  readonly ledger: Ledger;
}

/** The OpenAPI description of a route. */
export interface Operation {
  /** A unique operation id in camel case, such as "getThread". */
  id: string;
  tag: "gateway" | "tasks" | "ledger" | "chat" | "operations";
  summary: string;
  /** The query fields. Path parameters are not listed, because they are derived from the route's path. */
  query?: Record<string, SchemaObject & { description?: string }>;
  /** The request headers that the route reads, by name. */
  headers?: Record<string, SchemaObject & { description?: string }>;
  /** The schema of the body, or the name of a schema of the OpenAPI document; undefined if there is no body. */
  body?: SchemaObject | string;
  /** The media type of the body. Default: JSON. */
  bodyType?: string;
  /** Replies by status; `type` is the media type of a body that is not JSON. */
  replies: Record<number, { description: string; schema?: SchemaObject | string; type?: string }>;
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * The paths of the route; the OpenAPI document lists the route under the first path. `:name` matches one segment.
   * `*name` also matches slashes, up to the literal text that follows: "/v1beta/models/*model:generateContent".
   */
  paths: readonly [string, ...string[]];
  operation: Operation;
  /** True if the route needs no token (health checks, the page). */
  public?: true;
  /**
   * True if a request to this route counts as an open call until its reply has ended. The number of open calls of a
   * tenant is limited (`limits.open`).
   */
  countsAsOpenCall?: true;
  /** Encodes an error in the format of the route's clients. Default: `{ error: { code, message, path? } }`. */
  formatError?: (error: ServerError, request: ServerRequest) => ServerReply;
  run(request: ServerRequest, caller: Caller): Promise<ServerReply> | ServerReply;
}

// ---- Services and modules ----

/** The services of one server, created once. */
export interface Services {
  readonly config: ServerConfig;
  /** The ledger of the tenant "default"; its method `forTenant` returns the ledgers of other tenants. */
  readonly ledger: Ledger;
  /**
   * The context in which the client library calls providers: the configured providers, the transport, and effects such
   * as timers.
   */
  readonly clientContext: ClientContext;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /**
   * The id that distinguishes this process from others on the same database. The default is a new id at every start.
   */
  readonly instance: string;
  /** The signal of the start of a shutdown: streams that only follow stored events end, and no new work is claimed. */
  readonly draining: AbortSignal;
  /** The signal that is aborted during shutdown, when all open requests have finished or `drainMs` has passed. */
  readonly stopping: AbortSignal;
  /**
   * Registers work that outlives its request, such as tasks, and recorded calls whose client has disconnected. Shutdown
   * waits for this work.
   */
  background(work: Promise<unknown>): void;
}

/** A module of the server: its routes, and its work outside of HTTP requests. */
export interface ServerModule {
  routes: readonly Route[];
  /** Resumes or recovers work of a former process. The server calls it once, when it starts to serve. */
  start?(): Promise<void>;
  /** Stops claiming work, and finishes or releases current work. */
  stop?(): Promise<void>;
}
