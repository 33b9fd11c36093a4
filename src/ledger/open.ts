// Opens a ledger by URL or on a given store. Loads a store's code and driver only when it is used.
import { assertOptions, readStoreOptions } from "./options.ts";
import { LedgerError } from "./errors.ts";
import { StoreLedger } from "./ledger.ts";
import type { LedgerStore } from "./store/contract.ts";
import type { Ledger, LedgerOptions } from "./types.ts";

/**
 * Opens the ledger at a URL: `memory:`, `sqlite:path/to/file.db` or `postgres://…`. Creates or migrates the tables if
 * necessary.
 */
export async function openLedger(url: string, options: LedgerOptions = {}): Promise<Ledger> {
  // Checked first, so that an invalid option leaves no store open.
  assertOptions(options);
  return createLedger(await openStore(url, options), options);
}

/** Creates a ledger on a given store. Closing the ledger closes the store. */
export function createLedger(store: LedgerStore, options: LedgerOptions = {}): Ledger {
  return new StoreLedger(store, options);
}

async function openStore(url: string, options: LedgerOptions): Promise<LedgerStore> {
  const { sync, busyMs, schema, connections, readOnly } = readStoreOptions(options);
  if (url === "memory:") return (await import("./stores/memory/index.ts")).memoryStore();
  if (typeof url === "string" && url.startsWith("sqlite:")) {
    const path = readSqlitePath(url);
    return (await import("./stores/sqlite/index.ts")).openSqlite(path, { sync, busyMs, readOnly });
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import("./stores/postgres/index.ts");
    return openPostgres(url, { schema, connections, busyMs, sync, readOnly });
  }
  throw invalidUrl(`"${redactUrl(url)}" is not a ledger URL; use "memory:", "sqlite:path" or "postgres://…".`);
}

function readSqlitePath(url: string): string {
  const path = url.slice("sqlite:".length);
  // After two slashes the rest could be a host, a relative or an absolute path.
  if (path.startsWith("//")) {
    const address = redactUrl(url);
    throw invalidUrl(`"${address}" contains a host; use "sqlite:path/to/file.db" or "sqlite:/path/from/root.db".`);
  }
  if (path !== "" && !path.startsWith(":")) return path;
  throw invalidUrl(
    `"${url}" contains no file; use "sqlite:path/to/file.db", or "memory:" for a ledger without a file.`,
  );
}

/** Returns the URL for an error message, without user and password. */
function redactUrl(url: unknown): string {
  return String(url)
    .slice(0, 200)
    .replace(/\/\/[^/@]*@/, "//…@");
}

function invalidUrl(message: string): LedgerError {
  return new LedgerError("invalid-input", message, { path: "url" });
}
