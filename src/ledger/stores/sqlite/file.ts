// What a file is, before it is opened for good: one of another program is told by its first page and stays as it is.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { LedgerError } from "../../errors.ts";
import { ledgerError } from "./errors.ts";

/** "Koin", where `file` and others look for whose database it is. */
export const APPLICATION_ID = 0x4b6f696e;

/** Says whether the file is Koine's or still to be made. Throws where it is nothing that Koine may open. */
export function fileKind(path: string, knownVersion: number): "new" | "koine" {
  const size = sizeOf(path);
  if (size === undefined || size === 0) return "new";
  const { application, version, tables } = firstPage(path);
  if (application === APPLICATION_ID) {
    // The log may hold a newer one, which shows once the file is open.
    if (version > knownVersion) throw tooNew(path, version, knownVersion);
    return "koine";
  }
  if (application !== 0 || tables > 0 || hasLog(path)) throw foreign(path);
  return "new";
}

export function foreign(path: string): LedgerError {
  return new LedgerError("not-koine", `The file ${path} is the database of another program. It was left as it is.`);
}

export function tooNew(path: string, version: number, known: number): LedgerError {
  return new LedgerError(
    "schema-too-new",
    `The database ${path} has version ${version}; this Koine knows versions up to ${known}. Use a newer Koine.`,
  );
}

/** Whether there is a write-ahead log with something in it. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
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
 * Read by SQLite, although a few bytes would do: whoever closes a file lets go of all locks that the process has on it,
 * those of other connections too. SQLite knows of them and closes later.
 */
function firstPage(path: string): { application: number; version: number; tables: number } {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(asUntouchable(path), { readOnly: true });
    const read = (sql: string): number => Number(Object.values(database?.prepare(sql).get() ?? {})[0]);
    const application = read("PRAGMA application_id");
    const version = read("PRAGMA user_version");
    const tables = application === 0 ? read("SELECT count(*) FROM sqlite_schema") : 0;
    return { application, version, tables };
  } catch (error) {
    const known = ledgerError(error, path);
    if (!(known instanceof LedgerError) || known.code !== "corrupt") throw known;
    throw new LedgerError("not-koine", `The file ${path} is not a SQLite database. It was left as it is.`, {
      cause: error,
    });
  } finally {
    database?.close();
  }
}
