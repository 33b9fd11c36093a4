// The server's settings: where they come from, and what they come to.
export type { ConfigFile } from "./file.ts";
export type { ConfigFlags } from "./flags.ts";
export type { Mistake } from "./mistakes.ts";
export { ConfigError, sentenceOf } from "./mistakes.ts";
export type { ConfigSources, ReadConfig } from "./read.ts";
export { readConfig, readConfigFile } from "./read.ts";
export { configSchema } from "./schema.ts";
export type * from "./types.ts";
