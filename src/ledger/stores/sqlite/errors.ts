// Maps SQLite's result codes to ledger errors. https://sqlite.org/rescode.html
import { LedgerError, type LedgerErrorCode } from "../../errors.ts";

/** The mask for the low byte of a result code. The low byte of an extended code is its primary code. */
const PRIMARY_MASK = 0xff;
const READ_ONLY = 8;
const CANNOT_OPEN = 14;
export const DAMAGED = 11;
export const NOT_A_DATABASE = 26;

interface ErrorMeaning {
  code: LedgerErrorCode;
  message: string;
}

const BUSY: ErrorMeaning = { code: "busy", message: "Another process has the database locked." };

const KEY_EXISTS: ErrorMeaning = { code: "conflict", message: "A row with this key exists already." };

const MEANINGS: Readonly<Record<number, ErrorMeaning>> = {
  // SQLITE_BUSY, SQLITE_LOCKED, and SQLITE_PROTOCOL (a lost race for a lock of the write-ahead log).
  5: BUSY,
  6: BUSY,
  15: BUSY,
  [READ_ONLY]: {
    code: "read-only",
    message: "The database cannot be written to: check the permissions of its file and folder.",
  },
  10: { code: "unavailable", message: "The disk failed to read or write." },
  [DAMAGED]: { code: "corrupt", message: "The database file is damaged: restore it from a copy." },
  13: { code: "disk-full", message: "The disk is full; nothing was written." },
  [CANNOT_OPEN]: { code: "unavailable", message: "The database file cannot be opened." },
  18: { code: "invalid-input", message: "A value is larger than SQLite can hold." },
  [NOT_A_DATABASE]: { code: "corrupt", message: "The file is not a SQLite database any more." },
  // Extended codes with a more specific meaning than their primary codes: SQLITE_CONSTRAINT_PRIMARYKEY,
  // SQLITE_CONSTRAINT_UNIQUE and SQLITE_IOERR_SHMSIZE.
  1555: KEY_EXISTS,
  2067: KEY_EXISTS,
  4874: { code: "disk-full", message: "There is no room for the write-ahead log's index; nothing was written." },
};

/** Converts an error of SQLite to a LedgerError that names the file; returns other errors unchanged. */
export function toLedgerError(error: unknown, file: string): unknown {
  const meaning = findMeaning(error);
  return meaning === undefined ? error : new LedgerError(meaning.code, `${file}: ${meaning.message}`, { cause: error });
}

export function isBusy(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "busy";
}

/** True if missing permissions may have caused the error. */
export function isPermissionError(error: unknown): boolean {
  const code = error instanceof LedgerError ? readPrimaryCode(error.cause) : undefined;
  return code === READ_ONLY || code === CANNOT_OPEN;
}

/** Returns the primary result code of an error of SQLite; undefined for other errors. */
export function readPrimaryCode(error: unknown): number | undefined {
  const code = readCode(error);
  return code === undefined ? undefined : code & PRIMARY_MASK;
}

function readCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode;
}

function findMeaning(error: unknown): ErrorMeaning | undefined {
  const code = readCode(error);
  return code === undefined ? undefined : (MEANINGS[code] ?? MEANINGS[code & PRIMARY_MASK]);
}
