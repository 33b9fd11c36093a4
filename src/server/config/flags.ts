// What the command line and Koine's own variables say, which counts before the file.
import type { Env } from "./variables.ts";

/** What the command line may say. */
export interface ConfigFlags {
  host?: string | undefined;
  port?: string | number | undefined;
  /** The data folder; a file or URL is taken as the database. */
  data?: string | undefined;
  /** The ledger's URL. */
  database?: string | undefined;
  logLevel?: string | undefined;
  logFormat?: string | undefined;
}

/** How each is called on the command line, and in the environment. */
const NAMES = {
  host: ["--host", "KOINE_HOST"],
  port: ["--port", "KOINE_PORT"],
  data: ["--data", "KOINE_DATA"],
  database: ["--database", "KOINE_DATABASE"],
  logLevel: ["--log", "KOINE_LOG"],
  logFormat: ["--log-format", "KOINE_LOG_FORMAT"],
} as const satisfies Record<keyof ConfigFlags, readonly [flag: string, variable: string]>;

export interface Spoken {
  value: string;
  /** Whose value it is, for mistakes. */
  name: string;
}

/** The flag, else the variable; undefined where neither is there. An empty variable is none. */
export function spokenIn(said: { flags: ConfigFlags; env: Env }, setting: keyof ConfigFlags): Spoken | undefined {
  const [flag, variable] = NAMES[setting];
  const value = said.flags[setting];
  if (value !== undefined) return { value: String(value), name: flag };
  const inherited = said.env[variable];
  return inherited === undefined || inherited === "" ? undefined : { value: inherited, name: variable };
}
