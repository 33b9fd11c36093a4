// What a file is, from its first bytes: a file of another program is told by them and never opened as a database, so
// that it stays as it is.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LedgerError } from "../../errors.ts";

/** "Koin", where `file` and others look for whose database it is. */
export const APPLICATION_ID = 0x4b6f696e;

/** https://sqlite.org/fileformat2.html#the_database_header, and the first bytes of the schema's page after it. */
const MAGIC = "SQLite format 3\0";
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const PAGE_KIND_AT = 100;
const LEAF_PAGE = 13;
const CELL_COUNT_AT = 103;
const HEAD_BYTES = 108;

export type FileKind = "missing" | "empty" | "koine";

/** Says what is at the path. Throws where it is nothing that Koine may open. */
export function fileKind(path: string, knownVersion: number): FileKind {
  const size = sizeOf(path);
  if (size === undefined) return "missing";
  if (size === 0) return "empty";
  const head = headOf(path);
  if (head.length < HEAD_BYTES || head.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw new LedgerError("not-koine", `The file ${path} is not a SQLite database. It was left as it is.`);
  }
  const application = head.readUInt32BE(APPLICATION_ID_AT);
  if (application === APPLICATION_ID) {
    // The log may hold a newer one, which shows once the file is open.
    const version = head.readUInt32BE(USER_VERSION_AT);
    if (version > knownVersion) throw tooNew(path, version, knownVersion);
    return "koine";
  }
  const hasTables = head[PAGE_KIND_AT] !== LEAF_PAGE || head.readUInt16BE(CELL_COUNT_AT) > 0 || hasLog(path);
  if (application !== 0 || hasTables) throw foreign(path);
  return "empty";
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

/** Whether there is a write-ahead log with something in it. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function headOf(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (cause) {
    throw new LedgerError("unavailable", `The file ${path} cannot be read: look at its rights.`, { cause });
  }
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}
