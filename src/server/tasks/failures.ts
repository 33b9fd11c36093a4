// What ended a conversation, in words for its readers and for the journal.
import { AgentError } from "../../agent/index.ts";
import { ClientError } from "../../client/index.ts";
import { LedgerError, type LedgerErrorCode } from "../../ledger/index.ts";
import { KoineError } from "../../model/errors.ts";
import { serverErrorOf } from "../http/failure.ts";
import type { TaskFailure } from "./entries.ts";

/** What passes: nothing is wrong with the conversation, and whoever takes it up next goes on with it. */
const PASSING: ReadonlySet<LedgerErrorCode> = new Set<LedgerErrorCode>([
  "busy",
  "unavailable",
  "closed",
  "fenced",
  "disk-full",
  "read-only",
]);

/** The failure of a conversation; undefined where the trouble is the ledger's, or another writer's, and may pass. */
export function failureOf(error: unknown): TaskFailure | undefined {
  if (error instanceof LedgerError && PASSING.has(error.code)) return undefined;
  if (error instanceof AgentError && error.code === "busy") return undefined;
  if (error instanceof ClientError && error.error !== undefined) {
    const { kind, message, status, retryable } = error.error;
    return { code: kind, message, status, retryable };
  }
  // What a store says is for the log.
  if (error instanceof LedgerError) return { code: error.code, message: serverErrorOf(error).message };
  if (error instanceof KoineError) return { code: error.code, message: error.message };
  return { code: "internal", message: "A fault of Koine's own; the log has it under the task's id." };
}
