// Creates databases for episodes: a SQLite file in a folder, or a database of a PostgreSQL server.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { removeDatabase } from "../../ledger/crash/checker/database-rows.ts";
import { inPostgres } from "../../support/postgres.ts";

export interface Fresh {
  url: string;
  remove: () => Promise<void>;
}

const name = (): string => `kills_${randomBytes(6).toString("hex")}`;

export async function freshFile(folder: string): Promise<Fresh> {
  const path = join(folder, `${name()}.db`);
  return { url: `sqlite:${path}`, remove: async () => removeDatabase(path) };
}

export async function freshDatabase(server: string): Promise<Fresh> {
  const database = name();
  await inPostgres(server, (client) => client.query(`CREATE DATABASE ${database}`));
  const url = new URL(server);
  url.pathname = `/${database}`;
  const remove = (): Promise<void> =>
    inPostgres(server, async (client) => void (await client.query(`DROP DATABASE ${database} WITH (FORCE)`)));
  return { url: url.href, remove };
}
