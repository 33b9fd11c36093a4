// The server's settings, checked and complete: what `koine.config.json`, the environment and the flags come to.
import type { McpServerOptions } from "../../agent/index.ts";
import type { PriceTable, ProviderConfig, RetryPolicy, Timeouts } from "../../client/index.ts";

/** Where calls for a model go. */
export interface ModelRule {
  /** An exact name, or one with a "*", which a "*" in the targets repeats: "gpt-*" → "openai/gpt-*" or "openai/*". */
  pattern: string;
  /** `provider/model`, in the order in which they are asked until one answers. */
  targets: readonly [string, ...string[]];
  timeouts?: Partial<Timeouts>;
  retry?: Partial<RetryPolicy>;
}

export interface TokenConfig {
  /** sha256 of the token, hex. */
  hash: string;
  /** Shown in logs, and the scope of what is recorded. */
  name: string;
}

export interface TenantConfig {
  tokens: readonly TokenConfig[];
  /** The most calls and streams that it may have open. Default: the server's. */
  maxOpen?: number;
}

export interface ServerLimits {
  /** Bytes of a request's body. Default 64 MiB. */
  bodyBytes: number;
  /** Bytes of an import, which is read as it comes. Default 1 GiB. */
  importBytes: number;
  /** Levels of nesting in JSON. Default 256. */
  depth: number;
  /** Headers of a request: their number and bytes. Default 100 and 32 KiB. */
  headers: number;
  headerBytes: number;
  /** Until a request's headers, and until all of it, have arrived. Default 10 s and 5 min. */
  headersMs: number;
  requestMs: number;
  /** A connection that is idle between two requests. Default 75 s. */
  idleMs: number;
  /** How long a reader may take nothing before its connection is cut. Default 60 s. */
  stallMs: number;
  /** Calls and streams that a tenant may have open. Default 1000; the server as a whole takes 4 times that. */
  open: number;
  /** Connections. Default 10,000. */
  connections: number;
}

export interface RecordConfig {
  /** Whether calls are recorded that do not say. Default true. */
  enabled: boolean;
  /** What happens to a call that cannot be recorded: it is refused (default), or served and reported. */
  onFailure: "refuse" | "serve";
  /** The longest that the end of a reply waits for its record to be durable. Default 5 s. */
  maxWaitMs: number;
}

export interface TasksConfig {
  /** Default "demo/koine". */
  model: string;
  instructions?: string;
  mcpServers: readonly McpServerOptions[];
  maxSteps?: number;
  toolTimeoutMs?: number;
}

export interface LedgerConfig {
  /** As `openLedger` takes it; default: koine.db in the data folder. */
  url: string;
  sync: "full" | "normal";
  /** Default 50 ms: deltas of a live run are written so often. */
  flushMs: number;
  leaseMs?: number;
  connections?: number;
}

export interface ServerConfig {
  /** Default 127.0.0.1 and 4141; port 0 takes any that is free. */
  host: string;
  port: number;
  /** The data folder, absolute. */
  data: string;
  ledger: LedgerConfig;
  providers: Readonly<Record<string, ProviderConfig>>;
  defaultProvider?: string;
  /** The first that fits counts; exact names before patterns, longer patterns before shorter ones. */
  models: readonly ModelRule[];
  prices?: PriceTable;
  record: RecordConfig;
  tasks: TasksConfig;
  /** Empty: everybody who can reach the server is the tenant "default". */
  tenants: ReadonlyMap<string, TenantConfig>;
  /** Listens beyond loopback also without tenants: whoever can reach it may do everything. Default false. */
  unprotected?: boolean;
  limits: ServerLimits;
  /** Names under which browsers and clients may reach it, beside loopback and `host`. */
  hosts: readonly string[];
  /** Origins of pages that may call it, beside its own. */
  origins: readonly string[];
  /** How often a silent stream is kept alive. Default 15 s. */
  heartbeatMs: number;
  /** How long shutdown waits for what is under way. Default 20 s. */
  drainMs: number;
  /**
   * How long a server that shuts down still listens and only refuses new calls, so that whoever sends them sees that it is
   * not ready. Default: 2 s; on loopback, where nobody looks, 0.
   */
  lameDuckMs: number;
  log: { level: "debug" | "info" | "warn" | "error" | "silent"; format: "json" | "text" };
  /** OTLP over HTTP; absent: no spans. */
  telemetry?: { url: string; headers: Readonly<Record<string, string>>; serviceName: string };
}
