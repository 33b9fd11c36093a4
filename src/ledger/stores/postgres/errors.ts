// Maps errors of Postgres, its driver and the network to ledger errors.
import { isObject } from "../../../model/value-kind.ts";
import { LedgerError, type LedgerErrorCode } from "../../errors.ts";

/** The ledger error for each SQLSTATE, or for the first two or three characters of a SQLSTATE. */
const MEANINGS_BY_STATE: Readonly<Record<string, readonly [code: LedgerErrorCode, message: string]>> = {
  "08": ["unavailable", "The connection to Postgres broke."],
  "28": ["unavailable", "Postgres rejected the login of this user."],
  "3D000": ["unavailable", "Postgres has no database with this name."],
  "53": ["unavailable", "Postgres has insufficient resources."],
  "53100": ["disk-full", "Postgres has no room left on its disk."],
  "53300": ["unavailable", "Postgres has no free connection."],
  "57014": ["busy", "Postgres cancelled the statement: it took longer than the server allows."],
  "57P": ["unavailable", "Postgres is shutting down or starting up."],
  "25P03": ["unavailable", "Postgres closed the connection: a transaction was idle for too long."],
  "25006": ["read-only", "This Postgres accepts no writes: it is a standby or read-only."],
  "42501": ["read-only", "The user lacks the permission for this in Postgres."],
  "55P03": ["busy", "A lock of another writer was not released in time."],
  "40": ["busy", "Conflicts with other writers did not end."],
  "23505": ["conflict", "A record with this id exists already."],
  "22021": ["invalid-input", "A text contains a character that Postgres cannot store."],
  "22P05": ["invalid-input", "A text contains a character that Postgres cannot store."],
  "54": ["invalid-input", "A value is too large for Postgres: names and keys can have up to 2,000 bytes."],
  "42P01": ["corrupt", "A table of the ledger is missing."],
  XX001: ["corrupt", "The database is damaged."],
  XX002: ["corrupt", "An index of the database is damaged."],
};
/** The SQLSTATEs of conflicts with other transactions, after which a transaction can be repeated. */
const CONTENTION = new Set(["40001", "40P01"]);
/**
 * Matches the SQLSTATEs after which the connection cannot be used. 57014 is not one of them: it ends only a statement.
 */
const LOST_STATES = /^(08|57P|25P03|28)/;

/** Returns the SQLSTATE of an error from the server; undefined for errors of the driver and the network. */
export function readSqlState(error: unknown): string | undefined {
  if (!isObject(error) || !("severity" in error)) return undefined;
  return typeof error["code"] === "string" ? error["code"] : undefined;
}

export function isContention(error: unknown): boolean {
  return CONTENTION.has(readSqlState(error) ?? "");
}

/** True if the connection is lost, or may be: an error without a SQLSTATE comes from the driver or the network. */
export function isConnectionLost(error: unknown): boolean {
  const state = readSqlState(error);
  return state === undefined || LOST_STATES.test(state);
}

/**
 * Converts an error of Postgres, the driver or the network to a LedgerError. `sentCommit` is true if the COMMIT was
 * sent before the error: after a lost connection it is then unknown whether the transaction was committed. Returns
 * errors with an unknown SQLSTATE, such as mistakes in Koine's SQL, unchanged.
 */
export function toLedgerError(error: unknown, sentCommit = false): unknown {
  if (error instanceof LedgerError) return error;
  const state = readSqlState(error);
  const details =
    isConnectionLost(error) && sentCommit ? { cause: error, outcome: "unknown" as const } : { cause: error };
  const reason = error instanceof Error && error.message !== "" ? error.message : describeError(error);
  if (state === undefined) return new LedgerError("unavailable", `Postgres cannot be reached: ${reason}`, details);
  const meaning = [state, state.slice(0, 3), state.slice(0, 2)].map((key) => MEANINGS_BY_STATE[key]).find(Boolean);
  return meaning === undefined ? error : new LedgerError(meaning[0], `${meaning[1]} (${reason})`, details);
}

/**
 * Describes an error without a message, such as the error after several addresses were tried, which has only a code.
 */
function describeError(error: unknown): string {
  return isObject(error) && typeof error["code"] === "string" ? error["code"] : String(error);
}
