// Converts the error that ended the work of a task to the failure that is written to the journal.
import { AgentError } from "../../agent/index.ts";
import { ClientError } from "../../client/index.ts";
import { LedgerError, type LedgerErrorCode } from "../../ledger/index.ts";
import { KoineError } from "../../model/errors.ts";
import { toServerError } from "../http/server-error.ts";
import type { TaskFailure } from "./journal-entries.ts";

/** The codes of transient ledger errors, after which the task is continued later. */
const TRANSIENT_CODES: ReadonlySet<LedgerErrorCode> = new Set<LedgerErrorCode>([
  "busy",
  "unavailable",
  "closed",
  "fenced",
  "disk-full",
  "read-only",
]);

/** Returns the failure of a task; undefined if the error is transient, or if another process writes to the thread. */
export function toTaskFailure(error: unknown): TaskFailure | undefined {
  if (error instanceof LedgerError && TRANSIENT_CODES.has(error.code)) return undefined;
  if (error instanceof AgentError && error.code === "busy") return undefined;
  if (error instanceof ClientError && error.error !== undefined) {
    const { kind, message, status, retryable } = error.error;
    return { code: kind, message, status, retryable };
  }
  // `toServerError` replaces the message of a store, because clients must not receive names of files, tables and hosts.
  if (error instanceof LedgerError) return { code: error.code, message: toServerError(error).message };
  if (error instanceof KoineError) return { code: error.code, message: error.message };
  return { code: "internal", message: "An internal error; the log has the details under the task id." };
}
