// Inspects a file before it is opened: a database of another program is detected by its first page and is not changed.
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { LedgerError } from "../../errors.ts";
import { DAMAGED, toLedgerError, NOT_A_DATABASE, readPrimaryCode } from "./errors.ts";

/** "Koin", the SQLite application id by which `file` and other programs recognize the database. */
export const APPLICATION_ID = 0x4b6f696e;

/** The length of the SQLite header; it is empty if a crash came before the first write. */
const MAGIC_BYTES = 16;

/**
 * Returns the real path of the file: its log is next to that path, not next to a link. An absolute path also prevents
 * special meanings such as ":memory:" and "file:…".
 */
export function resolveRealPath(path: string): string {
  if (path.includes("\0")) {
    throw new LedgerError("invalid-input", "The path of a database must not contain U+0000.", { path: "url" });
  }
  const file = resolve(path);
  try {
    return realpathSync.native(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // A file that does not exist yet has no links to resolve.
    if (code === "ENOENT" || code === "ENOTDIR") return file;
    const shown = file.length > 200 ? `${file.slice(0, 200)}…` : file;
    throw new LedgerError("unavailable", `The path ${shown} cannot be used (${String(code)}).`, { cause: error });
  }
}

/**
 * Returns whether the file is Koine's or still empty. Throws if Koine must not open it. Only the file itself is
 * inspected: SQLite recovers a log or journal after a crash, which is allowed unless the file belongs to another
 * program. The file must therefore be inspected again after opening.
 */
export function detectFileKind(path: string, knownVersion: number): "new" | "koine" {
  const size = readSize(path);
  if (size === undefined || size === 0) return "new";
  // SQLite treats a file of one byte as empty.
  if (size === 1) throw createNotDatabaseError(path);
  const hasJournal = hasSideFile(path, "-journal");
  const page = readFirstPage(path);
  if (page === undefined) {
    // A process was killed before the first page was written: SQLite rolls back the rest.
    if (hasJournal && isBlank(path)) return "new";
    throw createNotDatabaseError(path);
  }
  const { application, version, hasTables } = page;
  if (application === APPLICATION_ID) {
    // A log may contain a newer version and a journal an older one; both are checked after opening.
    if (version > knownVersion && !hasJournal) throw createTooNewError(path, version, knownVersion);
    return "koine";
  }
  // The application id is written with the first table, before there is a log.
  if (application !== 0 || hasTables || hasSideFile(path, "-wal")) throw createForeignFileError(path);
  return "new";
}

export function createForeignFileError(path: string): LedgerError {
  return new LedgerError("not-koine", `The file ${path} is the database of another program. It was not changed.`);
}

function createNotDatabaseError(path: string): LedgerError {
  return new LedgerError("not-koine", `The file ${path} is not a SQLite database. It was not changed.`);
}

export function createTooNewError(path: string, version: number, known: number): LedgerError {
  return new LedgerError(
    "schema-too-new",
    `The database ${path} has version ${version}; this Koine knows versions up to ${known}. Use a newer Koine.`,
  );
}

/** True if the file has a log or journal that is not empty. */
function hasSideFile(path: string, suffix: "-wal" | "-journal"): boolean {
  return (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** True if the file may be in use, or was when a process ended: its log may contain further data. */
export function isInUse(path: string): boolean {
  return ["-wal", "-shm", "-journal"].some(
    (suffix) => statSync(path + suffix, { throwIfNoEntry: false }) !== undefined,
  );
}

/** True if this process may write to the file and create files next to it. */
export function mayWrite(path: string): boolean {
  try {
    for (const target of [path, dirname(path)]) accessSync(target, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns a URL that opens the file as immutable: SQLite then takes no lock, reads no log and changes nothing. */
export function toImmutableUrl(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return url;
}

function readSize(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) throw new LedgerError("unavailable", `${path} is a folder, not a file.`);
  if (stats !== undefined) return stats.size;
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new LedgerError("unavailable", `The folder ${folder} does not exist; create it first.`);
  }
  return undefined;
}

/**
 * Reads the first page; undefined if it is not a database. Read by SQLite although a few bytes would suffice: closing a
 * file releases all locks of the process on it, also those of other connections. SQLite tracks this and closes later.
 */
function readFirstPage(path: string): { application: number; version: number; hasTables: boolean } | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(toImmutableUrl(path), { readOnly: true, defensive: false });
    // Otherwise SQLite rejects a file that is shorter than its first page states: another process is checkpointing it,
    // or was killed while doing so.
    database.exec("PRAGMA writable_schema = ON");
    // One transaction, so that the page is read once.
    database.exec("BEGIN");
    const application = readNumber(database, "PRAGMA application_id");
    const version = readNumber(database, "PRAGMA user_version");
    return { application, version, hasTables: application === 0 && listsTables(database) };
  } catch (error) {
    if (readPrimaryCode(error) === NOT_A_DATABASE) return undefined;
    throw toLedgerError(error, path);
  } finally {
    database?.close();
  }
}

function listsTables(database: DatabaseSync): boolean {
  try {
    return readNumber(database, "SELECT count(*) FROM sqlite_schema") > 0;
  } catch (error) {
    // An empty list needs only the first page; this one continues beyond the end of the file.
    if (readPrimaryCode(error) === DAMAGED) return true;
    throw error;
  }
}

function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}

/**
 * True if the file's header is still empty. Read without SQLite, which has no locks on a file that is not a database.
 */
function isBlank(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const bytes = new Uint8Array(MAGIC_BYTES);
    readSync(file, bytes, 0, MAGIC_BYTES, 0);
    return bytes.every((byte) => byte === 0);
  } finally {
    closeSync(file);
  }
}
