// Reads command line flags and Koine's environment variables, which have priority over the settings of
// koine.config.json.
import type { ConfigEnv } from "./variables.ts";

/** Command line flags of the server. */
export interface ConfigFlags {
  host?: string | undefined;
  port?: string | number | undefined;
  /** The data folder, or the file or URL of a database. */
  data?: string | undefined;
  /** The ledger's URL. */
  database?: string | undefined;
  logLevel?: string | undefined;
  logFormat?: string | undefined;
}

/** The names of the command line flag and of the environment variable for each setting. */
const FLAG_NAMES = {
  host: ["--host", "KOINE_HOST"],
  port: ["--port", "KOINE_PORT"],
  data: ["--data", "KOINE_DATA"],
  database: ["--database", "KOINE_DATABASE"],
  logLevel: ["--log", "KOINE_LOG"],
  logFormat: ["--log-format", "KOINE_LOG_FORMAT"],
} as const satisfies Record<keyof ConfigFlags, readonly [flag: string, variable: string]>;

export interface FlagValue {
  value: string;
  /** The name of the flag or variable that the value was read from, for error messages. */
  name: string;
}

/**
 * Returns the value of the flag or, if the flag is not set, of the variable; undefined if neither is set. An empty
 * variable counts as not set.
 */
export function readFlag(
  sources: { flags: ConfigFlags; env: ConfigEnv },
  setting: keyof ConfigFlags,
): FlagValue | undefined {
  const [flag, variable] = FLAG_NAMES[setting];
  const value = sources.flags[setting];
  if (value !== undefined) return { value: String(value), name: flag };
  const inherited = sources.env[variable];
  return inherited === undefined || inherited === "" ? undefined : { value: inherited, name: variable };
}
