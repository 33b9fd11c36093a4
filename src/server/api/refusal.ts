// What the ledger and the dialects refuse, in the server's words: the status, the place, and what to do.
import { DialectError } from "../../dialects/errors.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { LedgerErrorCode } from "../../ledger/index.ts";
import { JsonError } from "../../model/index.ts";
import type { ServerErrorCode } from "../errors.ts";
import { ServerError } from "../errors.ts";

const LEDGER_CODES: Readonly<Record<LedgerErrorCode, ServerErrorCode>> = {
  "invalid-input": "invalid-request",
  "unknown-thread": "not-found",
  "unknown-message": "not-found",
  "unknown-run": "not-found",
  "unknown-blob": "not-found",
  conflict: "conflict",
  "illegal-transition": "conflict",
  fenced: "conflict",
  "cursor-invalid": "invalid-request",
  "cursor-gone": "gone",
  busy: "unavailable",
  "read-only": "unavailable",
  "disk-full": "unavailable",
  corrupt: "internal",
  "not-koine": "internal",
  "schema-too-new": "internal",
  unavailable: "unavailable",
  "missing-driver": "internal",
  closed: "unavailable",
};

/** The error for whoever asked. `within` is where in the body the value stood that a dialect was given. */
export function refusalOf(cause: unknown, within = ""): unknown {
  if (cause instanceof LedgerError) {
    const { code, message, path, line } = cause;
    const place = line === undefined ? message : `Line ${line}: ${message}`;
    return new ServerError(LEDGER_CODES[code], place, { path, cause });
  }
  if (cause instanceof DialectError || cause instanceof JsonError) {
    return new ServerError("invalid-request", cause.message, { path: within + cause.path, cause });
  }
  return cause;
}

/** Runs work, and throws what it refuses in the server's words. */
export async function refusing<T>(work: () => T | Promise<T>, within?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error, within);
  }
}
