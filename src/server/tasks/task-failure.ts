// Converts the error that ended a task's work to the failure in its journal.
import { AgentError } from "../../agent/index.ts";
import { ClientError } from "../../client/index.ts";
import { LedgerError, type LedgerErrorCode } from "../../ledger/index.ts";
import { KoineError } from "../../model/errors.ts";
import { toServerError } from "../http/server-error.ts";
import type { TaskFailure } from "./journal-entries.ts";

/** Transient ledger errors: the task itself is intact and is continued later. */
const TRANSIENT_CODES: ReadonlySet<LedgerErrorCode> = new Set<LedgerErrorCode>([
  "busy",
  "unavailable",
  "closed",
  "fenced",
  "disk-full",
  "read-only",
]);

/** Returns the failure; undefined for transient errors of the ledger or another writer. */
export function toTaskFailure(error: unknown): TaskFailure | undefined {
  if (error instanceof LedgerError && TRANSIENT_CODES.has(error.code)) return undefined;
  if (error instanceof AgentError && error.code === "busy") return undefined;
  if (error instanceof ClientError && error.error !== undefined) {
    const { kind, message, status, retryable } = error.error;
    return { code: kind, message, status, retryable };
  }
  // A store's message is for the log only.
  if (error instanceof LedgerError) return { code: error.code, message: toServerError(error).message };
  if (error instanceof KoineError) return { code: error.code, message: error.message };
  return { code: "internal", message: "An internal error; the log has the details under the task id." };
}
