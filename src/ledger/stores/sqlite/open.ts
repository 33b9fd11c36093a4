// Opens a SQLite file: inspects it, migrates its tables and configures the connection.
import { DatabaseSync } from "node:sqlite";
import { LedgerError } from "../../errors.ts";
import { SqliteConnection, type SqliteTrace } from "./connection.ts";
import type { Statement } from "../sql/engine.ts";
import { toLedgerError, isPermissionError } from "./errors.ts";
import { toImmutableUrl, detectFileKind, isInUse, resolveRealPath, mayWrite } from "./inspect-file.ts";
import { assertNewestVersion, migrate, NEWEST_VERSION, createTooOldError, readVersion } from "./migrations.ts";
import { BLOCKING_MS, retryWhileBusy } from "./busy-retry.ts";

/** The options of a SQLite store. */
export interface SqliteOptions {
  /** "full": acknowledged writes survive a power failure. "normal": they survive the death of the process. */
  sync: "full" | "normal";
  /** The maximum time in milliseconds to wait for a lock of another process. */
  busyMs: number;
  /** True if neither the file nor the files next to it may be changed. */
  readOnly?: boolean;
  /** @internal Called before and after every statement. */
  trace?: SqliteTrace;
}

/**
 * The number of pages in the write-ahead log at which SQLite copies them into the file. The number is four times the
 * default, so that a page that changes often is copied less often, with fewer waits for the disk.
 */
const CHECKPOINT_PAGES = 4000;
const PAGE_BYTES = 4096;
const CACHE_KIB = 16_384;

const SET_LOG: Statement = { name: "set-log", sql: "PRAGMA journal_mode = WAL" };

/** The kind of a file, as returned by `detectFileKind`; "frozen" if this process opens the file only for reading. */
type SqliteFileKind = "new" | "koine" | "frozen";

/** Connects to the file; creates it if it does not exist. */
export async function connectToFile(path: string, options: SqliteOptions): Promise<SqliteConnection> {
  return retryWhileBusy(options.busyMs, () => {
    const file = resolveRealPath(path);
    const kind = detectFileKind(file, NEWEST_VERSION);
    if (options.readOnly === true) return setUpConnection(openReadOnly(file, kind), file, "frozen", options);
    try {
      return setUpConnection(openFile(file, file), file, kind, options);
    } catch (error) {
      if (kind === "new" || !isPermissionError(error) || mayWrite(file)) throw error;
      // A file in use cannot be opened as immutable, because data in the write-ahead log and later writes would not be
      // visible.
      if (isInUse(file)) throw createLogError(file, error);
      return setUpConnection(openFile(toImmutableUrl(file), file), file, "frozen", options);
    }
  });
}

function createLogError(file: string, cause: unknown): LedgerError {
  const message = `${file} has a write-ahead log, which cannot be read without write permission for the file and its folder.`;
  return new LedgerError("read-only", message, { cause });
}

/**
 * Opens the file read-only. A file without a write-ahead log is opened as immutable, because SQLite would otherwise
 * create an empty log.
 */
function openReadOnly(file: string, kind: "new" | "koine"): DatabaseSync {
  if (kind === "new") throw createTooOldError(file, 0);
  return openFile(isInUse(file) ? file : toImmutableUrl(file), file, true);
}

function openFile(location: string | URL, file: string, readOnly = false): DatabaseSync {
  try {
    return new DatabaseSync(location, { timeout: BLOCKING_MS, enableForeignKeyConstraints: false, readOnly });
  } catch (error) {
    throw toLedgerError(error, file);
  }
}

function setUpConnection(
  database: DatabaseSync,
  file: string,
  kind: SqliteFileKind,
  { sync, busyMs, readOnly, trace }: SqliteOptions,
): SqliteConnection {
  const connection = new SqliteConnection(database, file, busyMs, trace);
  try {
    if (kind === "new") {
      // The tables are checked before the first change, because SQLite may have recovered a database of another program
      // from a journal.
      readVersion(connection, file);
      // The first tables are written without a write-ahead log, so that the application id is in the file itself, where
      // `detectFileKind` reads it.
      connection.executeText("set-journal", "PRAGMA journal_mode = DELETE");
    }
    if (readOnly === true) assertNewestVersion(connection, file);
    else migrate(connection, file);
    if (kind !== "frozen") startWriteAheadLog(connection, file);
    connection.executeText("set-limits", createPragmas(sync));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function createPragmas(sync: "full" | "normal"): string {
  return [
    `PRAGMA synchronous = ${sync.toUpperCase()}`,
    // On macOS, only this stronger flush ensures that data survives a power failure.
    `PRAGMA fullfsync = ${sync === "full" ? 1 : 0}`,
    `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    `PRAGMA journal_size_limit = ${2 * CHECKPOINT_PAGES * PAGE_BYTES}`,
    `PRAGMA cache_size = -${CACHE_KIB}`,
  ].join("; ");
}

/** Switches the file to a write-ahead log. SQLite reports no error if that is impossible, so the result is checked. */
export function startWriteAheadLog(connection: SqliteConnection, file: string): void {
  if (connection.read(SET_LOG)[0]?.[0] === "wal") return;
  throw new LedgerError(
    "unavailable",
    `${file}: the file system does not support shared memory, which the write-ahead log needs. Use a local disk.`,
  );
}
