// Types of the server's complete configuration, the result of file, environment and flags.
import type { McpServerOptions } from "../../agent/index.ts";
import type { PriceTable, ProviderConfig, RetryPolicy, Timeouts } from "../../client/index.ts";

/** A rule that routes a model name to targets. */
export interface ModelRule {
  /**
   * An exact name, or a pattern with one "*", which a "*" in the targets repeats: "gpt-*" → "openai/gpt-*" or
   * "openai/*".
   */
  pattern: string;
  /** Targets as `provider/model`, tried in this order until one answers. */
  targets: readonly [string, ...string[]];
  timeouts?: Partial<Timeouts>;
  retry?: Partial<RetryPolicy>;
}

/** A token of a tenant, by its hash. */
export interface TokenConfig {
  /** The sha256 of the token, in hex. */
  hash: string;
  /** Shown in logs; also the scope of recorded threads. */
  name: string;
}

/** A tenant: its tokens and its limit. */
export interface TenantConfig {
  tokens: readonly TokenConfig[];
  /** Limit of open calls and streams. Default: the server's limit. */
  maxOpen?: number;
}

/** Limits for clients of the server. */
export interface ServerLimits {
  /** Bytes of a request body. Default 64 MiB. */
  bodyBytes: number;
  /** Bytes of an import, which is streamed. Default 1 GiB. */
  importBytes: number;
  /** Nesting levels of JSON. Default 256. */
  depth: number;
  /** Number and bytes of a request's headers. Default 100 and 32 KiB. */
  headers: number;
  headerBytes: number;
  /** Time limit for the headers, and for the whole request. Default 10 s and 5 min. */
  headersMs: number;
  requestMs: number;
  /** Time limit of an idle connection between two requests. Default 75 s. */
  idleMs: number;
  /** A reader that reads nothing this long is cut off. Default 60 s. */
  stallMs: number;
  /** Open calls and streams per tenant. Default 1000; the total limit is 4 times that. */
  open: number;
  /** Open connections. Default 10,000. */
  connections: number;
}

/** Settings of the recording of calls. */
export interface RecordConfig {
  /** Records calls that do not choose themselves. Default true. */
  enabled: boolean;
  /** A call that cannot be recorded is refused (default), or served and reported. */
  onFailure: "refuse" | "serve";
  /** Longest wait of a reply's end for its record to be durable. Default 5 s. */
  maxWaitMs: number;
}

/** Settings of tasks. */
export interface TasksConfig {
  /** The model of tasks that name none. Default "demo/koine". */
  model: string;
  instructions?: string;
  mcpServers: readonly McpServerOptions[];
  maxSteps?: number;
  toolTimeoutMs?: number;
}

/** Settings of the ledger and its database. */
export interface LedgerConfig {
  /** The URL for `openLedger`; default: koine.db in the data folder. */
  url: string;
  sync: "full" | "normal";
  /** Interval for writing the deltas of a live run. Default 50 ms. */
  flushMs: number;
  leaseMs?: number;
  connections?: number;
}

/** The complete configuration of a server. */
export interface ServerConfig {
  /** Default 127.0.0.1 and 4141; port 0 uses any free port. */
  host: string;
  port: number;
  /** The absolute data folder. */
  data: string;
  ledger: LedgerConfig;
  providers: Readonly<Record<string, ProviderConfig>>;
  defaultProvider?: string;
  /** The first matching rule wins; exact names before patterns, longer patterns first. */
  models: readonly ModelRule[];
  prices?: PriceTable;
  record: RecordConfig;
  tasks: TasksConfig;
  /** Empty: everyone who can reach the server is the tenant "default". */
  tenants: ReadonlyMap<string, TenantConfig>;
  /**
   * Allows listening beyond loopback without tenants, with full access for everyone who can reach it. Default false.
   */
  unprotected?: boolean;
  limits: ServerLimits;
  /** Host names under which the server may be reached, besides loopback and `host`. */
  hosts: readonly string[];
  /** Origins of pages that may call the server, besides its own. */
  origins: readonly string[];
  /** Interval of heartbeats in a silent stream. Default 15 s. */
  heartbeatMs: number;
  /** Time limit for open requests at shutdown. Default 20 s. */
  drainMs: number;
  /**
   * At shutdown, the server still listens this long and rejects new calls, so that a load balancer sees that it is not
   * ready. Default: 2 s; on loopback 0.
   */
  lameDuckMs: number;
  log: { level: "debug" | "info" | "warn" | "error" | "silent"; format: "json" | "text" };
  /** OTLP over HTTP; absent: no spans. */
  telemetry?: { url: string; headers: Readonly<Record<string, string>>; serviceName: string };
}
