// Command line flags and Koine's environment variables, which win over the file.
import type { ConfigEnv } from "./variables.ts";

/** Command line flags of the server. */
export interface ConfigFlags {
  host?: string | undefined;
  port?: string | number | undefined;
  /** The data folder; a file or URL is used as the database. */
  data?: string | undefined;
  /** The ledger's URL. */
  database?: string | undefined;
  logLevel?: string | undefined;
  logFormat?: string | undefined;
}

/** Flag and environment variable of each setting. */
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
  /** The flag or variable of the value, for messages. */
  name: string;
}

/** Returns the flag, otherwise the variable; undefined if neither is set. An empty variable counts as not set. */
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
