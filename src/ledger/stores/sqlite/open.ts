// Opens a SQLite file: looks what it is, brings its tables up to date and sets the connection up.
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LedgerError } from "../../errors.ts";
import { Connection, type Trace } from "./connection.ts";
import { ledgerError } from "./errors.ts";
import { asUntouchable, fileKind, hasLog } from "./file.ts";
import { migrate, NEWEST_VERSION } from "./migrations.ts";
import { BLOCKING_MS, patiently } from "./patience.ts";

export interface SqliteOptions {
  /** "full": what was acknowledged survives a power cut. "normal": it survives the end of the process, however sudden. */
  sync: "full" | "normal";
  /** How long another process may be in the way. */
  busyMs: number;
  /** @internal Hears of every statement. */
  trace?: Trace;
}

/**
 * Pages of log after which SQLite moves them into the file. Four times its default: a page that was written often is
 * moved once, and the waits for the disk that come with it are fewer.
 */
const LOG_PAGES = 4000;
const PAGE_BYTES = 4096;
const CACHE_KIB = 16_384;

/** A connection to the file, which is made where there is none. */
export async function connect(path: string, options: SqliteOptions): Promise<Connection> {
  // Also so that SQLite takes it for a path and nothing else: not for ":memory:", nor for "file:…".
  const file = resolve(path);
  return patiently(options.busyMs, () => {
    const isNew = fileKind(file, NEWEST_VERSION) === "new";
    try {
      return setUp(openFile(file, file), file, isNew, options);
    } catch (error) {
      if (isNew || hasLog(file) || !lacksRights(error)) throw error;
      // Where neither the file nor its folder may be written to, nobody writes.
      return setUp(openFile(asUntouchable(file), file), file, isNew, options);
    }
  });
}

function openFile(place: string | URL, file: string): DatabaseSync {
  try {
    return new DatabaseSync(place, { timeout: BLOCKING_MS, enableForeignKeyConstraints: false });
  } catch (error) {
    throw ledgerError(error, file);
  }
}

function setUp(
  database: DatabaseSync,
  file: string,
  isNew: boolean,
  { sync, busyMs, trace }: SqliteOptions,
): Connection {
  const connection = new Connection(database, file, busyMs, trace);
  try {
    // The first tables are written before there is a log: from then on the file's first bytes tell whose it is.
    if (isNew) connection.once("set-journal", "PRAGMA journal_mode = DELETE");
    migrate(connection, file);
    connection.once("set-log", "PRAGMA journal_mode = WAL");
    connection.once("set-limits", limits(sync));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function limits(sync: "full" | "normal"): string {
  return [
    `PRAGMA synchronous = ${sync.toUpperCase()}`,
    // Where the system has a stronger wait for the disk than fsync (macOS), it is the one that a power cut asks for.
    `PRAGMA fullfsync = ${sync === "full" ? 1 : 0}`,
    `PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    `PRAGMA journal_size_limit = ${2 * LOG_PAGES * PAGE_BYTES}`,
    `PRAGMA cache_size = -${CACHE_KIB}`,
  ].join("; ");
}

function lacksRights(error: unknown): boolean {
  return error instanceof LedgerError && (error.code === "unavailable" || error.code === "read-only");
}
