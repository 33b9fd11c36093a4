// Classifies the ledger's errors while a call is recorded, and converts them to `ServerError`.
import { LedgerError } from "../../ledger/index.ts";
import type { LedgerErrorCode } from "../../ledger/index.ts";
import { ServerError } from "../errors.ts";
import { ledgerErrorMessage } from "../http/server-error.ts";

/** The codes of errors that the call causes. All other codes mean that the ledger is not writable now. */
const CALL_ERROR_CODES: ReadonlySet<LedgerErrorCode> = new Set<LedgerErrorCode>([
  "invalid-input",
  "unknown-thread",
  "unknown-message",
  "unknown-blob",
  "conflict",
]);

/** True if the call itself causes the error, so that a repeated call would also fail. */
export function isCallError(error: unknown): boolean {
  return error instanceof LedgerError && CALL_ERROR_CODES.has(error.code);
}

const GONE_CODES: ReadonlySet<LedgerErrorCode> = new Set<LedgerErrorCode>([
  "unknown-thread",
  "unknown-message",
  "unknown-run",
]);

/** True if the thread, message or run of the call was deleted. */
export function isGoneError(error: unknown): boolean {
  return error instanceof LedgerError && GONE_CODES.has(error.code);
}

/** True if another writer has taken over or ended the run. */
export function isTakenOverError(error: unknown): boolean {
  return error instanceof LedgerError && (error.code === "fenced" || error.code === "illegal-transition");
}

/** True if another instance of the server has already claimed the idempotency key of the call. */
export function isKeyClaimedError(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "conflict" && error.path === "claim";
}

/**
 * Converts an error of the recording to the error that the client receives. Its message contains no text of a store or
 * of an unexpected error, because such texts name files, tables and hosts; the log contains the cause.
 */
export function toRecordError(cause: unknown): ServerError {
  if (cause instanceof ServerError) return cause;
  const { code, path } = cause instanceof LedgerError ? cause : { code: "unknown", path: "" };
  const message = cause instanceof LedgerError ? ledgerErrorMessage(cause) : "An unexpected error occurred.";
  if (isTakenOverError(cause)) return new ServerError("aborted", "The run was cancelled.", { cause });
  if (code === "conflict") return new ServerError("conflict", message, { path, cause });
  if (isCallError(cause)) {
    const advice = 'Change it, or send the header "x-koine-record: off".';
    return new ServerError("invalid-request", `The call cannot be recorded: ${message} ${advice}`, { path, cause });
  }
  return createUnavailableError(`the ledger failed with "${code}": ${message}`, cause);
}

/** Creates the error for a call that is refused because it cannot be recorded. */
export function createUnavailableError(reason: string, cause?: unknown): ServerError {
  const message = `The call cannot be recorded, and such calls are refused (record.onFailure): ${reason} Try again later.`;
  return new ServerError("unavailable", message, { headers: { "retry-after": "1" }, cause });
}
