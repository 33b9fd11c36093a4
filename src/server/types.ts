// Types that the server's modules share: request and reply without types of an HTTP library, routes as data, the
// caller, and the services.
import type { Clock } from "../assembly/index.ts";
import type { ClientContext } from "../calls/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { SchemaObject } from "../model/index.ts";
import type { ServerConfig } from "./config/types.ts";
import type { ServerError } from "./errors.ts";
import type { Logger } from "./operations/log.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { Tracer } from "./operations/tracing.ts";

// ---- A request and its reply ----

export interface ServerRequest {
  readonly method: string;
  /** The path without the query, not decoded; only `params` is decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded parameters of the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** The id of this request in logs and in `x-request-id`. */
  readonly id: string;
  /** Reads the whole body, decompressed. Throws a `ServerError` "too-large", "timeout" or "aborted". Call it once. */
  body(): Promise<Uint8Array>;
  /** Streams the body under the same rules, for long bodies such as imports. `maxBytes` overrides the body limit. */
  chunks(maxBytes?: number): AsyncIterable<Uint8Array>;
  /** Aborted if the client disconnects before the reply is complete. */
  readonly signal: AbortSignal;
}

/** Receives the chunks of a streamed reply. */
export interface Sink {
  /**
   * Writes a chunk. Returns undefined if the caller may continue, or a promise to await first. It never rejects: if the
   * reader is gone or has stalled too long, chunks are discarded and `closed` is true.
   */
  write(chunk: string | Uint8Array): Promise<void> | undefined;
  readonly closed: boolean;
  /** True while a write waits for the reader; heartbeats are skipped then, because they would only pile up. */
  readonly blocked?: boolean;
}

/**
 * Writes a streamed body. If it throws, the connection is cut, so that the reader does not mistake the reply for a
 * complete one.
 */
export type StreamBody = (sink: Sink) => Promise<void>;

export interface ServerReply {
  status: number;
  /** Header names in lower case. */
  headers: Record<string, string>;
  body?: string | Uint8Array | StreamBody;
}

// ---- Routes ----

/** The authenticated caller of a route. */
export interface Caller {
  readonly tenant: string;
  /** The token's name within the tenant, or "local". Threads that the gateway creates belong to this scope. */
  readonly scope: string;
  /** The tenant's view of the ledger; rows of other tenants are not reachable through it. */
  readonly ledger: Ledger;
}

/** The OpenAPI description of a route. */
export interface Operation {
  /** A unique operation id in camel case, such as "getThread". */
  id: string;
  tag: "gateway" | "tasks" | "ledger" | "chat" | "operations";
  summary: string;
  /** Query fields and headers. Path parameters are derived from the route's path. */
  query?: Record<string, SchemaObject & { description?: string }>;
  headers?: Record<string, SchemaObject & { description?: string }>;
  /** A schema, or the name of one of the document's schemas. */
  body?: SchemaObject | string;
  /** The media type of the body, if it is not JSON. */
  bodyType?: string;
  /** Replies by status; `type` is the media type of a body that is not JSON. */
  replies: Record<number, { description: string; schema?: SchemaObject | string; type?: string }>;
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * The path and its alternatives; the first one is documented. `:name` matches one segment. `*name` matches the rest
   * including slashes, up to the literal text after it: "/v1beta/models/*model:generateContent".
   */
  paths: readonly [string, ...string[]];
  operation: Operation;
  /** The route needs no token (health checks, the page). */
  public?: true;
  /** The route counts against the tenant's limit of open calls and streams. */
  countsAsOpenCall?: true;
  /** Encodes an error in the format of the route's clients. Default: `{ error: { code, message, path? } }`. */
  formatError?: (error: ServerError, request: ServerRequest) => ServerReply;
  run(request: ServerRequest, caller: Caller): Promise<ServerReply> | ServerReply;
}

// ---- What routes are made of ----

/** The services of one server, created once. */
export interface Services {
  readonly config: ServerConfig;
  /** The ledger of the tenant "default"; `forTenant` returns the others. */
  readonly ledger: Ledger;
  /** Providers, transport and effects of the client library. */
  readonly clientContext: ClientContext;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** The id of this process among the instances on one database; new at every start. */
  readonly instance: string;
  /** Aborted when shutdown begins: streams that only follow end, and no new work is claimed. */
  readonly draining: AbortSignal;
  /** Aborted when shutdown has used up `drainMs`. */
  readonly stopping: AbortSignal;
  /** Registers work that outlives its request (recorded calls whose client left, tasks); shutdown waits for it. */
  background(work: Promise<unknown>): void;
}

/** A module of the server: its routes, and its work outside of requests. */
export interface ServerModule {
  routes: readonly Route[];
  /** Called when the server starts to serve: resumes or recovers work of a former process. */
  start?(): Promise<void>;
  /** Claims no new work; finishes or releases current work. */
  stop?(): Promise<void>;
}
