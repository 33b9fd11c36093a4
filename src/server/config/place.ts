// Where conversations are kept, as people say it: a folder, or what they mean by a file or a URL.
import { stat } from "node:fs/promises";
import type { ConfigFlags } from "./flags.ts";
import type { Env } from "./variables.ts";

/** What was said of data: a folder, or a database in its place. */
export type Place = { readonly folder: string } | { readonly database: string };

/** `resolve` makes a path absolute. */
export async function placeOf(data: string, resolve: (path: string) => string): Promise<Place> {
  if (/^(memory|sqlite|postgres(ql)?):/.test(data)) return { database: data };
  const path = resolve(data);
  const there = await stat(path).catch(() => undefined);
  const isFile = there === undefined ? /\.(db|sqlite3?)$/.test(path) : there.isFile();
  return isFile ? { database: `sqlite:${path}` } : { folder: path };
}

interface Spoken {
  flags: ConfigFlags;
  env: Env;
}

/** Flags and variables in which data is a folder: a database that was named so counts as one, unless that is named, too. */
export async function withPlaces({ flags, env }: Spoken, resolve: (path: string) => string): Promise<Spoken> {
  const { data, ...otherFlags } = flags;
  const { KOINE_DATA, ...otherEnv } = env;
  const said = data === undefined ? undefined : await placeOf(data, resolve);
  const inherited = KOINE_DATA === undefined || KOINE_DATA === "" ? undefined : await placeOf(KOINE_DATA, resolve);
  return {
    flags: said === undefined ? flags : { ...otherFlags, ...asFlags(said, flags.database) },
    env: inherited === undefined ? env : { ...otherEnv, ...asVariables(inherited, env["KOINE_DATABASE"]) },
  };
}

function asFlags(place: Place, database: string | undefined): ConfigFlags {
  return "folder" in place ? { data: place.folder } : { database: database ?? place.database };
}

function asVariables(place: Place, database: string | undefined): Env {
  return "folder" in place ? { KOINE_DATA: place.folder } : { KOINE_DATABASE: database || place.database };
}
