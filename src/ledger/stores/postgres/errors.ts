// What Postgres, its driver and the network say when something goes wrong, in the ledger's own words.
import { isObject } from "../../../model/kind.ts";
import { LedgerError, type LedgerErrorCode } from "../../errors.ts";

/** By SQLSTATE, or by its first two characters: the class. */
const BY_STATE: Readonly<Record<string, readonly [code: LedgerErrorCode, message: string]>> = {
  "08": ["unavailable", "The connection to Postgres broke."],
  "28": ["unavailable", "Postgres does not let this user in."],
  "3D000": ["unavailable", "Postgres has no database of this name."],
  "53": ["unavailable", "Postgres has not the means to answer."],
  "53100": ["disk-full", "Postgres has no room left on its disk."],
  "53300": ["unavailable", "Postgres has no connection free."],
  "57014": ["busy", "Postgres gave the statement up: it took longer than the server allows."],
  "57P": ["unavailable", "Postgres is shutting down or starting up."],
  "25P03": ["unavailable", "Postgres closed the connection: a transaction was idle for too long."],
  "25006": ["read-only", "This Postgres takes no writes: it is a standby, or set to read-only."],
  "42501": ["read-only", "The user has no right to do this in Postgres."],
  "55P03": ["busy", "A lock of another writer was not free in time."],
  "40": ["busy", "Other writers kept getting in the way."],
  "23505": ["conflict", "A record with this id is there already."],
  "22021": ["invalid-input", "A text holds a character that Postgres cannot store."],
  "22P05": ["invalid-input", "A text holds a character that Postgres cannot store."],
  "54": ["invalid-input", "A value is larger than Postgres takes: names and keys have up to 2,000 bytes."],
  "42P01": ["corrupt", "A table of the ledger is missing."],
  XX001: ["corrupt", "The database is damaged."],
  XX002: ["corrupt", "An index of the database is damaged."],
};
/** Contention that is over as soon as it is told: the work may simply run again. */
const CONTENTION = new Set(["40001", "40P01"]);
/** After these, the connection is of no more use. 57014 is a statement's own end. */
const LOST = /^(08|57P|25P03|28)/;

/** The SQLSTATE of an error that the server sent; undefined for those of the driver and the network. */
export function stateOf(error: unknown): string | undefined {
  if (!isObject(error) || !("severity" in error)) return undefined;
  return typeof error["code"] === "string" ? error["code"] : undefined;
}

export function isContention(error: unknown): boolean {
  return CONTENTION.has(stateOf(error) ?? "");
}

/** Whether the connection is gone, or in a state that nobody knows. */
export function isLost(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined || LOST.test(state);
}

/**
 * The error for the ledger's caller. `sentCommit`: a connection that breaks then leaves open whether the work is
 * written. What Koine has no word for, a mistake of its own above all, stays as it is.
 */
export function ledgerError(error: unknown, sentCommit = false): unknown {
  if (error instanceof LedgerError) return error;
  const state = stateOf(error);
  const details = isLost(error) && sentCommit ? { cause: error, outcome: "unknown" as const } : { cause: error };
  const reason = error instanceof Error && error.message !== "" ? error.message : nameOf(error);
  if (state === undefined) return new LedgerError("unavailable", `Postgres cannot be reached: ${reason}`, details);
  const known = [state, state.slice(0, 3), state.slice(0, 2)].map((key) => BY_STATE[key]).find(Boolean);
  return known === undefined ? error : new LedgerError(known[0], `${known[1]} (${reason})`, details);
}

/** Where several addresses were tried, the error has no message of its own, only a code. */
function nameOf(error: unknown): string {
  return isObject(error) && typeof error["code"] === "string" ? error["code"] : String(error);
}
