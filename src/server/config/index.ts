// Exports the server's configuration: reading and checking the settings, and creating their JSON Schema.
export type { ConfigFile } from "./file-settings.ts";
export type { ConfigFlags } from "./flags.ts";
export type { Mistake } from "./mistakes.ts";
export { ConfigError, formatMistake } from "./mistakes.ts";
export type { ConfigSources, ConfigFileResult } from "./read-config.ts";
export { readConfig, readConfigFile } from "./read-config.ts";
export { configSchema } from "./config-schema.ts";
export type { ServerConfig } from "./types.ts";
