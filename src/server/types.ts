// What the parts of the server share: a request and a reply without any HTTP library's types, routes as data, who is
// asking, and the services that routes are made of.
import type { Clock } from "../assembly/index.ts";
import type { ClientContext } from "../client/calls/call.ts";
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
  /** Without the query, as it came: percent escapes are undone in `params` only. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the route's path named, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Names this exchange in logs and in `x-request-id`. */
  readonly id: string;
  /** The whole body, its `content-encoding` undone. Throws a `ServerError` "too-large", "timeout" or "aborted". Read once. */
  body(): Promise<Uint8Array>;
  /** The body as it comes, by the same rules, for those that are long (imports); `most`: bytes, where they have a limit of their own. */
  chunks(most?: number): AsyncIterable<Uint8Array>;
  /** Aborted when the client's connection is gone before the reply was whole. */
  readonly signal: AbortSignal;
}

/** Where a reply that takes time is written to. */
export interface Sink {
  /**
   * Hands bytes on. undefined: go on writing; a promise: wait for it first. It never rejects: where the reader is gone, or
   * has not read for too long, what is written goes nowhere, and `gone` says so.
   */
  write(chunk: string | Uint8Array): Promise<void> | undefined;
  readonly closed: boolean;
  /** Whether a write is being waited for: signs of life would only pile up behind it. */
  readonly blocked?: boolean;
}

/** A body that is written as it comes to be. What it throws cuts the connection: the reader never takes it for whole. */
export type StreamBody = (sink: Sink) => Promise<void>;

export interface Reply {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body?: string | Uint8Array | StreamBody;
}

// ---- Routes ----

/** Who is asking. */
export interface Caller {
  readonly tenant: string;
  /** Within the tenant: the token's name, or "local". Threads that the gateway makes belong to it. */
  readonly scope: string;
  /** The tenant's own view: no other tenant's rows can be reached through it. */
  readonly ledger: Ledger;
}

/** What OpenAPI says of a route. */
export interface Operation {
  /** Unique, in camel case: "getThread". */
  id: string;
  tag: "gateway" | "tasks" | "ledger" | "chat" | "operations";
  summary: string;
  /** Named fields of the query, and headers. Parameters of the path are known. */
  query?: Record<string, SchemaObject & { description?: string }>;
  headers?: Record<string, SchemaObject & { description?: string }>;
  /** Schemas; a string names one of the document's own. */
  body?: SchemaObject | string;
  /** What the body is, where it is no JSON. */
  bodyType?: string;
  /** By status; text for those without a JSON body. */
  replies: Record<number, { description: string; schema?: SchemaObject | string; type?: string }>;
}

export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * The path and its other spellings. `:name` is one segment; `*name` is the rest, slashes included, up to the literal
   * text that follows it: "/v1beta/models/*model:generateContent". The first one is documented.
   */
  paths: readonly [string, ...string[]];
  operation: Operation;
  /** Whether it answers without a token: health and the like. */
  public?: true;
  /** Counts against the tenant's open streams and calls. */
  countsAsOpenCall?: true;
  /** Puts an error in the words that the route's clients expect. Default: `{ error: { code, message, path? } }`. */
  formatError?: (error: ServerError, request: ServerRequest) => Reply;
  run(request: ServerRequest, caller: Caller): Promise<Reply> | Reply;
}

// ---- What routes are made of ----

/** Made once per server. */
export interface Services {
  readonly config: ServerConfig;
  /** Of the tenant "default"; `forTenant` gives the others. */
  readonly ledger: Ledger;
  /** Providers, transport and effects, as the client has them. */
  readonly session: ClientContext;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** This process, among the instances on one database; new with every start. */
  readonly instance: string;
  /** Aborted when the server begins to shut down: streams that only follow end, and no new work is taken up. */
  readonly draining: AbortSignal;
  /** Aborted when the server shuts down and its time to finish is over. */
  readonly stopping: AbortSignal;
  /** Work that goes on beside requests (recorded calls whose client left, tasks): shutdown waits for it. */
  background(work: Promise<unknown>): void;
}

/** A part of the server: its routes, and what it does beside them. */
export interface ServerModule {
  routes: readonly Route[];
  /** Once the server listens: takes up what a former process left. */
  start?(): Promise<void>;
  /** No new work; what is under way is finished or handed over. */
  stop?(): Promise<void>;
}
