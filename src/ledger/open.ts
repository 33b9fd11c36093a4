// Opens a ledger by URL or on a given store. The code and driver of a store are loaded only when a URL selects that
// store.
import { assertOptions, readStoreOptions } from "./options.ts";
import { LedgerError } from "./errors.ts";
import { StoreLedger } from "./ledger.ts";
import type { LedgerStore } from "./store/contract.ts";
import type { Ledger, LedgerOptions } from "./types.ts";

/**
 * Opens the ledger at a URL: `memory:`, `sqlite:path/to/file.db` or `postgres://…`. Creates or migrates the tables if
 * necessary.
 *
 * @example
 * ```ts
 * import { getText, user } from "koine";
 * import { openLedger } from "koine/ledger";
 *
 * const ledger = await openLedger("memory:"); // or "sqlite:koine.db", "postgres://…"
 * const thread = await ledger.createThread({ title: "Weather" });
 * await ledger.append(thread.id, [user("How is the weather in Corinth?")]);
 * const messages = await ledger.transcript(thread.id);
 * console.log(messages.map(getText)); // ["How is the weather in Corinth?"]
 * await ledger.close();
 * ```
 */
export async function openLedger(url: string, options: LedgerOptions = {}): Promise<Ledger> {
  // The options are checked before the store is opened, so that an invalid option does not leave a store open.
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
  // The text after `sqlite://` could be a host, a relative path or an absolute path, so such a URL is rejected.
  if (path.startsWith("//")) {
    const address = redactUrl(url);
    throw invalidUrl(`"${address}" contains a host; use "sqlite:path/to/file.db" or "sqlite:/path/from/root.db".`);
  }
  if (path !== "" && !path.startsWith(":")) return path;
  throw invalidUrl(
    `"${url}" contains no file; use "sqlite:path/to/file.db", or "memory:" for a ledger without a file.`,
  );
}

/** Returns at most 200 characters of a URL, without user and password, for an error message. */
function redactUrl(url: unknown): string {
  return String(url)
    .slice(0, 200)
    .replace(/\/\/[^/@]*@/, "//…@");
}

function invalidUrl(message: string): LedgerError {
  return new LedgerError("invalid-input", message, { path: "url" });
}
