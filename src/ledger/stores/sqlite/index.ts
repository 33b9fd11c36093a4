// The store in a SQLite file.
import { connect, type SqliteOptions } from "./open.ts";
import { SqliteStore } from "./store.ts";
import type { LedgerStore } from "../../store.ts";

/** Opens the store in this file, which is made where there is none. */
export async function openSqlite(path: string, options: SqliteOptions): Promise<LedgerStore> {
  return new SqliteStore(await connect(path, options), options);
}
