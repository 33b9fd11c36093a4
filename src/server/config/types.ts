// Defines the types of the server's complete configuration, which is computed from settings, environment variables and
// flags.
import type { McpServerOptions } from "../../agent/index.ts";
import type { PriceTable, ProviderConfig, RetryPolicy, Timeouts } from "../../client/index.ts";

/** A rule that routes a model name to targets. */
export interface ModelRule {
  /**
   * An exact model name, or a pattern with one "*". A "*" in a target is replaced with the text that the "*" of the
   * pattern matches: with "gpt-*" and the target "openai/gpt-*", "gpt-5" is routed to "openai/gpt-5". A target that
   * ends in "/*" receives the whole name, without the prefix up to the last slash of the pattern.
   */
  pattern: string;
  /** The targets as `provider/model`. They are tried in this order until one answers. */
  targets: readonly [string, ...string[]];
  timeouts?: Partial<Timeouts>;
  retry?: Partial<RetryPolicy>;
}

/** A token of a tenant. The token itself is not stored, only its hash. */
export interface TokenConfig {
  /** The SHA-256 hash of the token, in hexadecimal digits. */
  hash: string;
  /** The name of the token in logs, which is also the scope of recorded threads. */
  name: string;
}

/** A tenant: its tokens and its limit of open calls. */
export interface TenantConfig {
  tokens: readonly TokenConfig[];
  /** The maximum number of open calls and streams of the tenant. Default: `limits.open`. */
  maxOpen?: number;
}

/** The limits for clients of the server. Fields that end in `Ms` are in milliseconds. */
export interface ServerLimits {
  /** The maximum size of a request body in bytes. Default: 64 MiB. */
  bodyBytes: number;
  /** The maximum size of an import in bytes. Default: 1 GiB. */
  importBytes: number;
  /** The maximum number of nesting levels of a JSON body. Default: 256. */
  depth: number;
  /** The maximum number of headers of a request. Default: 100. */
  headers: number;
  /** The maximum size of all headers of a request in bytes. Default: 32 KiB. */
  headerBytes: number;
  /** The time limit for receiving the headers of a request. Default: 10 s. */
  headersMs: number;
  /** The time limit for receiving the whole request. Default: 5 min. */
  requestMs: number;
  /** The time after which a connection without a request is closed. Default: 75 s. */
  idleMs: number;
  /** The time after which a connection is closed if the client does not read the reply. Default: 60 s. */
  stallMs: number;
  /**
   * The maximum number of open calls and streams of a tenant. Default: 1000. All tenants together may have four times
   * this number.
   */
  open: number;
  /** The maximum number of open connections. Default: 10,000. */
  connections: number;
}

/** The settings of the recorder. */
export interface RecordConfig {
  /** True if calls are recorded by default. The header `x-koine-record` overrides the setting. Default: true. */
  enabled: boolean;
  /**
   * The policy for a call that cannot be recorded: the call is refused (default), or served with an entry in the log.
   */
  onFailure: "refuse" | "serve";
  /** The maximum time in milliseconds that the end of a reply waits until the call is recorded. Default: 5 s. */
  maxWaitMs: number;
}

/** The settings of tasks. */
export interface TasksConfig {
  /** The model of tasks that are created without a model. Default: "demo/koine". */
  model: string;
  instructions?: string;
  mcpServers: readonly McpServerOptions[];
  maxSteps?: number;
  toolTimeoutMs?: number;
}

/** The settings of the ledger and its database. */
export interface LedgerConfig {
  /** The URL for `openLedger`. Default: koine.db in the data folder. */
  url: string;
  sync: "full" | "normal";
  /** The interval at which the deltas of a live run are written to the store, in milliseconds. Default: 50. */
  flushMs: number;
  leaseMs?: number;
  connections?: number;
}

/** The complete configuration of a server. */
export interface ServerConfig {
  /** The address to listen on. Default: 127.0.0.1. */
  host: string;
  /** The port to listen on; 0 uses any free port. Default: 4141. */
  port: number;
  /** The absolute path of the data folder; empty if there is no data folder. */
  data: string;
  ledger: LedgerConfig;
  providers: Readonly<Record<string, ProviderConfig>>;
  defaultProvider?: string;
  /** The rules in order of precedence: exact names before patterns, and longer patterns before shorter ones. */
  models: readonly ModelRule[];
  prices?: PriceTable;
  record: RecordConfig;
  tasks: TasksConfig;
  /** The tenants by name. If there are none, every caller is the tenant "default" and needs no token. */
  tenants: ReadonlyMap<string, TenantConfig>;
  /**
   * True if the server may listen on an address other than loopback without tenants. Then everyone who can reach the
   * server has full access. Default: false.
   */
  unprotected?: boolean;
  limits: ServerLimits;
  /** The allowed values of the `Host` header, besides loopback names and `host`. */
  hosts: readonly string[];
  /** The origins of pages that may call the server, besides the server's own origin. */
  origins: readonly string[];
  /** The interval of heartbeats in a stream that sends nothing else, in milliseconds. Default: 15 s. */
  heartbeatMs: number;
  /** The maximum time that shutdown waits for open requests, in milliseconds. Default: 20 s. */
  drainMs: number;
  /**
   * The time in milliseconds for which the server still listens at shutdown but rejects new calls, so that a load
   * balancer notices that the server is not ready. Default: 2 s, and 0 on loopback.
   */
  lameDuckMs: number;
  log: { level: "debug" | "info" | "warn" | "error" | "silent"; format: "json" | "text" };
  /** The OTLP endpoint that spans are sent to; absent if no spans are sent. */
  telemetry?: { url: string; headers: Readonly<Record<string, string>>; serviceName: string };
}
