// Opens a store in a SQLite file.
import { connectToFile, type SqliteOptions } from "./open.ts";
import { SqliteStore } from "./store.ts";
import type { LedgerStore } from "../../store/contract.ts";

/** Opens the store in this file; creates the file if it does not exist. */
export async function openSqlite(path: string, options: SqliteOptions): Promise<LedgerStore> {
  return new SqliteStore(await connectToFile(path, options), options);
}
