// Parses the location of the data: a folder, a database file, or a database URL.
import { statSync } from "node:fs";
import type { ConfigFlags } from "./flags.ts";
import type { ConfigEnv } from "./variables.ts";

/** The location of the data: a folder, or the URL of a database. */
export type DataLocation = { readonly folder: string } | { readonly database: string };

/** Parses the path of a folder, the path of a database file, or a database URL. `resolve` makes a path absolute. */
export function parseDataLocation(data: string, resolve: (path: string) => string): DataLocation {
  if (/^(memory|sqlite|postgres(ql)?):/.test(data)) return { database: data };
  const path = resolve(data);
  return isDatabaseFile(path) ? { database: `sqlite:${path}` } : { folder: path };
}

function isDatabaseFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return /\.(db|sqlite3?)$/.test(path);
  }
}

interface FlagsAndEnv {
  flags: ConfigFlags;
  env: ConfigEnv;
}

/**
 * Makes the folder of the `data` flag and of the `KOINE_DATA` variable absolute. If `data` names a database, the value
 * moves to the `database` flag or variable, unless that is already set.
 */
export function normalizeDataLocation({ flags, env }: FlagsAndEnv, resolve: (path: string) => string): FlagsAndEnv {
  const { data, ...otherFlags } = flags;
  const { KOINE_DATA, ...otherEnv } = env;
  const flagLocation = data === undefined ? undefined : parseDataLocation(data, resolve);
  const envLocation =
    KOINE_DATA === undefined || KOINE_DATA === "" ? undefined : parseDataLocation(KOINE_DATA, resolve);
  return {
    flags: flagLocation === undefined ? flags : { ...otherFlags, ...toFlags(flagLocation, flags.database) },
    env: envLocation === undefined ? env : { ...otherEnv, ...toVariables(envLocation, env["KOINE_DATABASE"]) },
  };
}

function toFlags(location: DataLocation, database: string | undefined): ConfigFlags {
  return "folder" in location ? { data: location.folder } : { database: database ?? location.database };
}

function toVariables(location: DataLocation, database: string | undefined): ConfigEnv {
  return "folder" in location ? { KOINE_DATA: location.folder } : { KOINE_DATABASE: database || location.database };
}
