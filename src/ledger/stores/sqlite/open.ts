// Opens a SQLite file: looks what it is, brings its tables up to date and sets the connection up.
import { DatabaseSync } from "node:sqlite";
import { LedgerError } from "../../errors.ts";
import { Connection, type Trace } from "./connection.ts";
import type { Statement } from "../sql/engine.ts";
import { ledgerError, mayLackRights } from "./errors.ts";
import { asUntouchable, fileKind, isInUse, locate, mayWrite } from "./file.ts";
import { demandNewest, migrate, NEWEST_VERSION, notUpToDate, versionOf } from "./migrations.ts";
import { BLOCKING_MS, patiently } from "./patience.ts";

export interface SqliteOptions {
  /** "full": what was acknowledged survives a power cut. "normal": it survives the end of the process, however sudden. */
  sync: "full" | "normal";
  /** How long another process may be in the way. */
  busyMs: number;
  /** The file, and what is beside it, stays as it is. */
  readOnly?: boolean;
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

const SET_LOG: Statement = { name: "set-log", sql: "PRAGMA journal_mode = WAL" };

/** What the file is: "frozen" where nobody who could write to it does. */
type Kind = "new" | "koine" | "frozen";

/** A connection to the file, which is made where there is none. */
export async function connect(path: string, options: SqliteOptions): Promise<Connection> {
  return patiently(options.busyMs, () => {
    const file = locate(path);
    const kind = fileKind(file, NEWEST_VERSION);
    if (options.readOnly === true) return setUp(openReadOnly(file, kind), file, "frozen", options);
    try {
      return setUp(openFile(file, file), file, kind, options);
    } catch (error) {
      if (kind === "new" || !mayLackRights(error) || mayWrite(file)) throw error;
      // What others write, or have left in a log, would never be seen.
      if (isInUse(file)) throw inUse(file, error);
      return setUp(openFile(asUntouchable(file), file), file, "frozen", options);
    }
  });
}

function inUse(file: string, cause: unknown): LedgerError {
  const message = `${file} has a log, which cannot be read without the right to write to the file and its folder.`;
  return new LedgerError("read-only", message, { cause });
}

/** SQLite would leave an empty log behind: where there is none, the file is taken as one that nobody writes to. */
function openReadOnly(file: string, kind: "new" | "koine"): DatabaseSync {
  if (kind === "new") throw notUpToDate(file, 0);
  return openFile(isInUse(file) ? file : asUntouchable(file), file, true);
}

function openFile(place: string | URL, file: string, readOnly = false): DatabaseSync {
  try {
    return new DatabaseSync(place, { timeout: BLOCKING_MS, enableForeignKeyConstraints: false, readOnly });
  } catch (error) {
    throw ledgerError(error, file);
  }
}

function setUp(
  database: DatabaseSync,
  file: string,
  kind: Kind,
  { sync, busyMs, readOnly, trace }: SqliteOptions,
): Connection {
  const connection = new Connection(database, file, busyMs, trace);
  try {
    if (kind === "new") {
      // Before anything is changed: a crash may have left a journal, with which it is somebody else's after all.
      versionOf(connection, file);
      // The first tables are written before there is a log: from then on the file's first bytes tell whose it is.
      connection.once("set-journal", "PRAGMA journal_mode = DELETE");
    }
    if (readOnly === true) demandNewest(connection, file);
    else migrate(connection, file);
    if (kind !== "frozen") startLog(connection, file);
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

/** SQLite does not fail where it cannot have a log, but goes on without. */
export function startLog(connection: Connection, file: string): void {
  if (connection.read(SET_LOG)[0]?.[0] === "wal") return;
  throw new LedgerError(
    "unavailable",
    `${file}: the file system has no memory that processes share, which a log needs. Use a disk of this machine.`,
  );
}
