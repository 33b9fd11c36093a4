// Inspects a file before it is opened, so that the database of another program is detected and not changed.
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { LedgerError } from "../../errors.ts";
import { DAMAGED, toLedgerError, NOT_A_DATABASE, readPrimaryCode } from "./errors.ts";

/** The SQLite application id ("Koin" in ASCII) by which Koine, and tools such as `file`, recognize a ledger. */
export const APPLICATION_ID = 0x4b6f696e;

/** The length of the text with which every SQLite database begins. */
const MAGIC_BYTES = 16;

/**
 * Returns the absolute path of a file, with symbolic links resolved, because SQLite creates the write-ahead log next to
 * the real file. An absolute path also has no special meaning, as ":memory:" and "file:…" have.
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
 * Returns "koine" if the file is a ledger, and "new" if it does not exist or is empty. Throws if Koine must not open
 * the file. Reads only the file itself: SQLite would recover a write-ahead log or journal after a crash, which would
 * change the database of another program. Data in a log or journal must therefore be checked after the file is opened.
 */
export function detectFileKind(path: string, knownVersion: number): "new" | "koine" {
  const size = readSize(path);
  if (size === undefined || size === 0) return "new";
  // SQLite would treat a file of one byte as an empty database and overwrite it.
  if (size === 1) throw createNotDatabaseError(path);
  const hasJournal = hasSideFile(path, "-journal");
  const page = readFirstPage(path);
  if (page === undefined) {
    // A process was killed before it wrote the first page of a new file. When SQLite opens the file, it rolls back the
    // other pages that this process wrote.
    if (hasJournal && isBlank(path)) return "new";
    throw createNotDatabaseError(path);
  }
  const { application, version, hasTables } = page;
  if (application === APPLICATION_ID) {
    // A file with a journal is not rejected, because the journal may restore an older version number. `readVersion`
    // checks the version again after the file is opened, also because a write-ahead log may contain a newer one.
    if (version > knownVersion && !hasJournal) throw createTooNewError(path, version, knownVersion);
    return "koine";
  }
  // Koine writes its application id together with its first table, before SQLite creates a write-ahead log. A file that
  // has tables or a log but not the id therefore belongs to another program.
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

/** True if the file has a write-ahead log (or a journal) that is not empty. */
function hasSideFile(path: string, suffix: "-wal" | "-journal"): boolean {
  return (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * True if a process has the file open, or was killed while it had the file open. The write-ahead log may then contain
 * data that is not in the file.
 */
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

/**
 * Returns a URL that opens the file as immutable: SQLite then uses no locks and no write-ahead log, and creates no
 * files.
 */
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
 * Reads the first page of a database; returns undefined if the file is not a database. The page is read by SQLite,
 * although a few bytes would suffice: if Node closed the file, the process would lose all its locks on that file, even
 * the locks of other connections. SQLite closes the file only when none of its connections has a lock.
 */
function readFirstPage(path: string): { application: number; version: number; hasTables: boolean } | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(toImmutableUrl(path), { readOnly: true, defensive: false });
    // Without this setting SQLite rejects a file that is shorter than its first page states. Such a file is valid if
    // another process is copying the write-ahead log into it, or was killed while doing so.
    database.exec("PRAGMA writable_schema = ON");
    // All reads are in one transaction, so that they see the same content of the page.
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
    // SQLite reports damage if the list of tables continues beyond the end of the file. Such a list is not empty: an
    // empty list needs only the first page.
    if (readPrimaryCode(error) === DAMAGED) return true;
    throw error;
  }
}

function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}

/**
 * True if the file begins with zeros. The file is read without SQLite, which has no locks on a file that is not a
 * database, so no locks are lost when the file is closed.
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
