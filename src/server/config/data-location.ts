// Parses the location of the data: a folder, a database file, or a database URL.
import { stat } from "node:fs/promises";
import type { ConfigFlags } from "./flags.ts";
import type { ConfigEnv } from "./variables.ts";

/** A data folder, or a database instead of one. */
export type DataLocation = { readonly folder: string } | { readonly database: string };

/** `resolve` makes a path absolute. */
export async function parseDataLocation(data: string, resolve: (path: string) => string): Promise<DataLocation> {
  if (/^(memory|sqlite|postgres(ql)?):/.test(data)) return { database: data };
  const path = resolve(data);
  const info = await stat(path).catch(() => undefined);
  const isFile = info === undefined ? /\.(db|sqlite3?)$/.test(path) : info.isFile();
  return isFile ? { database: `sqlite:${path}` } : { folder: path };
}

interface FlagsAndEnv {
  flags: ConfigFlags;
  env: ConfigEnv;
}

/** Converts a `data` flag or variable that names a database to the `database` setting, unless that is set too. */
export async function normalizeDataLocation(
  { flags, env }: FlagsAndEnv,
  resolve: (path: string) => string,
): Promise<FlagsAndEnv> {
  const { data, ...otherFlags } = flags;
  const { KOINE_DATA, ...otherEnv } = env;
  const flagLocation = data === undefined ? undefined : await parseDataLocation(data, resolve);
  const envLocation =
    KOINE_DATA === undefined || KOINE_DATA === "" ? undefined : await parseDataLocation(KOINE_DATA, resolve);
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
