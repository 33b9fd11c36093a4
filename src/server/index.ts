// Exports the public API of the server. The server is a gateway to providers, runs tasks, and serves the ledger over
// HTTP.
export type { CompleteConfigOptions } from "./config/complete-config.ts";
export { completeConfig } from "./config/complete-config.ts";
export type { ConfigInput } from "./config/config-input.ts";
export { DEFAULT_LIMITS } from "./config/defaults.ts";
export type { ConfigFile, ConfigFlags, ConfigSources, Mistake } from "./config/index.ts";
export { ConfigError, readConfig } from "./config/index.ts";
export type {
  LedgerConfig,
  ModelRule,
  RecordConfig,
  ServerConfig,
  ServerLimits,
  TasksConfig,
  TenantConfig,
  TokenConfig,
} from "./config/types.ts";
export type { ServerErrorCode, ServerErrorDetails } from "./errors.ts";
export { SERVER_ERRORS, ServerError } from "./errors.ts";
export type { KoineServer, ServerOptions } from "./server.ts";
export { createServer } from "./server.ts";
