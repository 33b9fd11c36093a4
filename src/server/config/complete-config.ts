// Creates the configuration of a server from settings in code.
import { resolve } from "node:path";
import type { ConfigInput } from "./config-input.ts";
import { normalizeDataLocation } from "./data-location.ts";
import { Mistakes } from "./mistakes.ts";
import { resolveConfig } from "./resolve-config.ts";
import type { ServerConfig } from "./types.ts";
import type { ConfigEnv } from "./variables.ts";

/** Options of `completeConfig`. */
export interface CompleteConfigOptions {
  /**
   * The environment variables, with the same meaning as for `readConfig`: values for `$NAME` in texts, API keys of
   * providers, and `KOINE_…` variables, which have priority over the settings. Default: none.
   */
  env?: ConfigEnv | undefined;
  /** The folder that relative paths are resolved against. Default: the working folder of the process. */
  cwd?: string | undefined;
}

/**
 * Returns the complete configuration for `createServer`. The settings have the keys, nesting and values of
 * koine.config.json; every omitted setting has its default. Code can also pass values that JSON cannot express:
 * provider objects such as `demo()`, functions for keys, signatures and headers, and `Infinity` for a time limit.
 *
 * `koine serve` stores data in `koine-data`, but here the default ledger is in memory; set `data` or `ledger` to store
 * data. In every text, `$NAME` is replaced with a variable of `env`, and `$$` with a dollar sign.
 *
 * Throws one `ConfigError` that lists all mistakes with their paths.
 *
 * @example
 * ```ts
 * import { demo } from "koine/client";
 * import { completeConfig, ConfigError } from "koine/server";
 *
 * const config = completeConfig(
 *   {
 *     port: 0,
 *     providers: { groq: { preset: "groq", apiKey: "$GROQ_KEY" }, own: demo() },
 *     models: { fast: ["groq/llama-3.3-70b", "own/koine"] },
 *     log: "warn",
 *   },
 *   { env: { GROQ_KEY: "gsk-example" } },
 * );
 * console.log(Object.keys(config.providers)); // ["demo","groq","own"]
 * try {
 *   completeConfig({ limits: { depth: 5000 } });
 * } catch (error) {
 *   console.log(error instanceof ConfigError && error.path); // /limits/depth
 * }
 * ```
 */
export function completeConfig(settings: ConfigInput = {}, options: CompleteConfigOptions = {}): ServerConfig {
  const { cwd = process.cwd() } = options;
  const mistakes = new Mistakes();
  const { flags, env } = normalizeDataLocation({ flags: {}, env: options.env ?? {} }, (path) => resolve(cwd, path));
  const config = resolveConfig({ settings, isCode: true, folder: cwd, cwd, flags, env }, mistakes);
  mistakes.throwAny();
  return config;
}
