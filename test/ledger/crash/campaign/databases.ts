// Databases for campaigns: files in a folder, or schemas of a PostgreSQL server.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { inPostgres } from "../../../support/postgres.ts";
import { removeDatabase } from "../checker/database-rows.ts";
import type { Target } from "./target.ts";

export interface Database {
  target: Target;
  remove: () => Promise<void>;
}

const name = (): string => randomBytes(6).toString("hex");

/** Returns a file that does not exist yet. */
export function freshFile(folder: string, sync: "full" | "normal"): Promise<Database> {
  const path = join(folder, `${name()}.db`);
  return Promise.resolve({
    target: { engine: "sqlite", path, sync },
    remove: () => Promise.resolve(removeDatabase(path)),
  });
}

/** Returns a schema that does not exist yet, with distinguishable connections. */
export function freshSchema(server: string): Promise<Database> {
  const schema = `crash_${name()}`;
  const url = new URL(server);
  url.searchParams.set("application_name", schema);
  const remove = (): Promise<void> =>
    inPostgres(server, async (client) => void (await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)));
  return Promise.resolve({ target: { engine: "postgres", url: url.href, schema }, remove });
}
