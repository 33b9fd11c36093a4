// What the ledger refuses while a call is recorded, in the server's words.
import { LedgerError } from "../../ledger/index.ts";
import type { LedgerErrorCode } from "../../ledger/index.ts";
import { ServerError } from "../errors.ts";

/** Codes that say something about the call; all others say that the ledger cannot be written to now. */
const OF_THE_CALL: ReadonlySet<LedgerErrorCode> = new Set<LedgerErrorCode>([
  "invalid-input",
  "unknown-thread",
  "unknown-message",
  "unknown-blob",
  "conflict",
]);

/** Whether the call itself is what cannot be recorded: trying again would not help. */
export function isOfTheCall(error: unknown): boolean {
  return error instanceof LedgerError && OF_THE_CALL.has(error.code);
}

const GONE: ReadonlySet<LedgerErrorCode> = new Set<LedgerErrorCode>([
  "unknown-thread",
  "unknown-message",
  "unknown-run",
]);

/** Whether what the call belongs to was deleted. */
export function isGone(error: unknown): boolean {
  return error instanceof LedgerError && GONE.has(error.code);
}

/** Whether another writer has the run, or has ended it. */
export function isTaken(error: unknown): boolean {
  return error instanceof LedgerError && (error.code === "fenced" || error.code === "illegal-transition");
}

/** Whether a call with the same idempotency key was faster, on another instance. */
export function isClaimed(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "conflict" && error.path === "claim";
}

/** The error for whoever asked. */
export function refusalOf(cause: unknown): ServerError {
  if (cause instanceof ServerError) return cause;
  const { code, message, path } =
    cause instanceof LedgerError ? cause : { code: "unknown", message: String(cause), path: "" };
  if (isTaken(cause)) return new ServerError("aborted", "The run was cancelled.", { cause });
  if (code === "conflict") return new ServerError("conflict", message, { path, cause });
  if (isOfTheCall(cause)) {
    const advice = 'Change it, or send the header "x-koine-record: off".';
    return new ServerError("invalid-request", `The call cannot be recorded: ${message} ${advice}`, { path, cause });
  }
  return unavailable(`the ledger says "${code}": ${message}`, cause);
}

/** The error for a call that is not served because it cannot be recorded. */
export function unavailable(why: string, cause?: unknown): ServerError {
  const message = `The call cannot be recorded, and such calls are refused (record.onFailure): ${why} Try again later.`;
  return new ServerError("unavailable", message, { headers: { "retry-after": "1" }, cause });
}
