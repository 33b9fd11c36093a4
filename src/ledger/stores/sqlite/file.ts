// What a file is, before it is opened for good: one of another program is told by its first page and stays as it is.
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { LedgerError } from "../../errors.ts";
import { DAMAGED, ledgerError, NOT_A_DATABASE, primaryCode } from "./errors.ts";

/** "Koin", where `file` and others look for whose database it is. */
export const APPLICATION_ID = 0x4b6f696e;

/** The first bytes of every SQLite database, of which nothing is there where a crash came before they were. */
const MAGIC_BYTES = 16;

/**
 * Where the file really is: its log is beside that place, whatever links lead there. Also so that SQLite takes it for a
 * path and nothing else: not for ":memory:", nor for "file:…".
 */
export function locate(path: string): string {
  if (path.includes("\0")) {
    throw new LedgerError("invalid-input", "The path of a database must not hold U+0000.", { path: "url" });
  }
  const file = resolve(path);
  try {
    return realpathSync.native(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // What is not there yet has no links to follow.
    if (code === "ENOENT" || code === "ENOTDIR") return file;
    const shown = file.length > 200 ? `${file.slice(0, 200)}…` : file;
    throw new LedgerError("unavailable", `The path ${shown} cannot be used (${String(code)}).`, { cause: error });
  }
}

/**
 * Says whether the file is Koine's or still to be made. Throws where it is nothing that Koine may open. Only the file
 * itself is looked at: what a crash left in a log or journal is for SQLite to make good, which it may do where the file
 * does not say that it is somebody else's. Whoever opens it must therefore look again.
 */
export function fileKind(path: string, knownVersion: number): "new" | "koine" {
  const size = sizeOf(path);
  if (size === undefined || size === 0) return "new";
  // To SQLite a single byte is an empty file.
  if (size === 1) throw noDatabase(path);
  const isCut = isBeside(path, "-journal");
  const page = firstPage(path);
  if (page === undefined) {
    // Killed with its first page not on the disk yet: SQLite takes back the rest.
    if (isCut && isBlank(path)) return "new";
    throw noDatabase(path);
  }
  const { application, version, hasTables } = page;
  if (application === APPLICATION_ID) {
    // A log may hold a newer one, and a journal an older one, which shows once the file is open.
    if (version > knownVersion && !isCut) throw tooNew(path, version, knownVersion);
    return "koine";
  }
  // A ledger's name is there with its first table, and before there is a log.
  if (application !== 0 || hasTables || isBeside(path, "-wal")) throw foreign(path);
  return "new";
}

export function foreign(path: string): LedgerError {
  return new LedgerError("not-koine", `The file ${path} is the database of another program. It was left as it is.`);
}

function noDatabase(path: string): LedgerError {
  return new LedgerError("not-koine", `The file ${path} is not a SQLite database. It was left as it is.`);
}

export function tooNew(path: string, version: number, known: number): LedgerError {
  return new LedgerError(
    "schema-too-new",
    `The database ${path} has version ${version}; this Koine knows versions up to ${known}. Use a newer Koine.`,
  );
}

/** Whether the file has a log or journal with something in it. */
function isBeside(path: string, ending: "-wal" | "-journal"): boolean {
  return (statSync(path + ending, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Whether the file may be in use, or was when a process ended: what it holds is then not all there is. */
export function isInUse(path: string): boolean {
  return ["-wal", "-shm", "-journal"].some(
    (ending) => statSync(path + ending, { throwIfNoEntry: false }) !== undefined,
  );
}

/** Whether this process has the right to write to the file and to make others beside it. */
export function mayWrite(path: string): boolean {
  try {
    for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Opens the file as one that nobody writes to: SQLite then takes no lock, looks for no log and changes nothing. */
export function asUntouchable(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return url;
}

function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw new LedgerError("unavailable", `${path} is a folder, not a file.`);
  if (found !== undefined) return found.size;
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new LedgerError("unavailable", `There is no folder ${folder}: make it before the database is opened.`);
  }
  return undefined;
}

/**
 * What the first page says; undefined where it is no database's. Read by SQLite, although a few bytes would do: whoever
 * closes a file lets go of all locks that the process has on it, those of other connections too. SQLite knows of them
 * and closes later.
 */
function firstPage(path: string): { application: number; version: number; hasTables: boolean } | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(asUntouchable(path), { readOnly: true, defensive: false });
    // Or SQLite refuses a file that is shorter than its first page says: one that another process moves its log into
    // just now, or that a process was killed at.
    database.exec("PRAGMA writable_schema = ON");
    // In one transaction, for which the page is read once.
    database.exec("BEGIN");
    const application = numberFrom(database, "PRAGMA application_id");
    const version = numberFrom(database, "PRAGMA user_version");
    return { application, version, hasTables: application === 0 && listsTables(database) };
  } catch (error) {
    if (primaryCode(error) === NOT_A_DATABASE) return undefined;
    throw ledgerError(error, path);
  } finally {
    database?.close();
  }
}

function listsTables(database: DatabaseSync): boolean {
  try {
    return numberFrom(database, "SELECT count(*) FROM sqlite_schema") > 0;
  } catch (error) {
    // An empty list is on the first page alone: this one goes on where the file does not.
    if (primaryCode(error) === DAMAGED) return true;
    throw error;
  }
}

function numberFrom(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}

/** Whether there is nothing yet where a database begins. Not SQLite's to say, and it has no locks on what is no database. */
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
