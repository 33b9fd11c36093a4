// What SQLite's result codes mean to a ledger. https://sqlite.org/rescode.html
import { LedgerError, type LedgerErrorCode } from "../../errors.ts";

/** Extended codes carry the primary one in their low byte. */
const PRIMARY = 0xff;
const READ_ONLY = 8;
const CANNOT_OPEN = 14;
export const DAMAGED = 11;
export const NOT_A_DATABASE = 26;

interface Meaning {
  code: LedgerErrorCode;
  message: string;
}

const BUSY: Meaning = { code: "busy", message: "Another process holds the database." };

const TAKEN: Meaning = { code: "conflict", message: "There is a row with this key already." };

const MEANINGS: Readonly<Record<number, Meaning>> = {
  // SQLITE_BUSY, SQLITE_LOCKED, and SQLITE_PROTOCOL: lost a race for a lock of the write-ahead log.
  5: BUSY,
  6: BUSY,
  15: BUSY,
  [READ_ONLY]: {
    code: "read-only",
    message: "The database cannot be written to: look at the rights of its file and folder.",
  },
  10: { code: "unavailable", message: "The disk failed to read or write." },
  [DAMAGED]: { code: "corrupt", message: "The database file is damaged: restore it from a copy." },
  13: { code: "disk-full", message: "There is no room to write; nothing was written." },
  [CANNOT_OPEN]: { code: "unavailable", message: "The database file cannot be opened." },
  18: { code: "invalid-input", message: "A value is larger than SQLite can hold." },
  [NOT_A_DATABASE]: { code: "corrupt", message: "The file is no SQLite database any more." },
  // Extended codes that say more than their primary one: keys that are taken, and no room for the log's index.
  1555: TAKEN,
  2067: TAKEN,
  4874: { code: "disk-full", message: "There is no room for the write-ahead log's index; nothing was written." },
};

/** The ledger's error for one of SQLite's about this file; anything else is given back as it is. */
export function ledgerError(error: unknown, file: string): unknown {
  const meaning = meaningOf(error);
  return meaning === undefined ? error : new LedgerError(meaning.code, `${file}: ${meaning.message}`, { cause: error });
}

export function isBusy(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "busy";
}

/** Whether it may be for want of rights that the file could not be used. */
export function mayLackRights(error: unknown): boolean {
  const code = error instanceof LedgerError ? primaryCode(error.cause) : undefined;
  return code === READ_ONLY || code === CANNOT_OPEN;
}

/** SQLite's code without what only some of its errors say beyond it. */
export function primaryCode(error: unknown): number | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : code & PRIMARY;
}

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode;
}

function meaningOf(error: unknown): Meaning | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : (MEANINGS[code] ?? MEANINGS[code & PRIMARY]);
}
