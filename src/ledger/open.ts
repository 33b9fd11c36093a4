// Opens ledgers: by URL, or on a store that somebody else made. A store's code and driver are loaded when it is used.
import { checkOptions, storeOptions } from "./configure.ts";
import { LedgerError } from "./errors.ts";
import { StoreLedger } from "./ledger.ts";
import type { LedgerStore } from "./store.ts";
import type { Ledger, LedgerOptions } from "./types.ts";

/**
 * Opens the ledger at a URL: `memory:`, `sqlite:path/to/file.db` or `postgres://…`. Tables are made, or brought up to
 * date, where need be.
 */
export async function openLedger(url: string, options: LedgerOptions = {}): Promise<Ledger> {
  // Before the store is opened, so that a wrong option leaves nothing open.
  checkOptions(options);
  return createLedger(await openStore(url, options), options);
}

/** A ledger on a store of the caller's own making; closing the ledger closes the store. */
export function createLedger(store: LedgerStore, options: LedgerOptions = {}): Ledger {
  return new StoreLedger(store, options);
}

async function openStore(url: string, options: LedgerOptions): Promise<LedgerStore> {
  const { sync, busyMs, schema, connections, readOnly } = storeOptions(options);
  if (url === "memory:") return (await import("./stores/memory/index.ts")).memoryStore();
  if (typeof url === "string" && url.startsWith("sqlite:")) {
    const path = sqlitePath(url);
    return (await import("./stores/sqlite/index.ts")).openSqlite(path, { sync, busyMs, readOnly });
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import("./stores/postgres/index.ts");
    return openPostgres(url, { schema, connections, busyMs, sync, readOnly });
  }
  throw refuse(`"${withoutSecrets(url)}" is no ledger: use "memory:", "sqlite:path" or "postgres://…".`);
}

function sqlitePath(url: string): string {
  const path = url.slice("sqlite:".length);
  // With two slashes it is not clear whether what follows is a host, a relative path or one from the root.
  if (path.startsWith("//")) {
    const address = withoutSecrets(url);
    throw refuse(`"${address}" names a host: use "sqlite:path/to/file.db" or "sqlite:/path/from/root.db".`);
  }
  if (path !== "" && !path.startsWith(":")) return path;
  throw refuse(`"${url}" names no file: use "sqlite:path/to/file.db", or "memory:" to keep nothing.`);
}

/** A URL for an error message: who reads it need not know the password. */
function withoutSecrets(url: unknown): string {
  return String(url)
    .slice(0, 200)
    .replace(/\/\/[^/@]*@/, "//…@");
}

function refuse(message: string): LedgerError {
  return new LedgerError("invalid-input", message, { path: "url" });
}
