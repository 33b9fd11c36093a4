// Allows one writer per thread: a run begins only if no other run is active in the thread; otherwise the agent throws
// "busy".
import { LedgerError } from "../../ledger/index.ts";
import type { Ledger, NewRun, Run } from "../../ledger/index.ts";
import { AgentError } from "../errors.ts";

/** Begins a run. Throws "busy" if another run is active, and a ledger conflict if the active leaf has changed. */
export async function beginExclusiveRun(ledger: Ledger, run: NewRun): Promise<Run> {
  try {
    return await ledger.beginRun({ ...run, exclusive: true });
  } catch (error) {
    if (!isConflict(error) || error.path !== "exclusive") throw error;
    throw busyError(run.threadId, error);
  }
}

/** True if the ledger rejected a write because another writer has appended to the thread since it was read. */
export function isLeafConflict(error: unknown): boolean {
  return isConflict(error) && error.path === "expectedLeaf";
}

/** True if the idempotency key was used with other messages. */
export function isKeyConflict(error: unknown): boolean {
  return isConflict(error) && error.path === "idempotencyKey";
}

function isConflict(error: unknown): error is LedgerError {
  return error instanceof LedgerError && error.code === "conflict";
}

/**
 * The error for a thread in which another writer has already answered. It is internal: the run loop catches it and
 * reads the thread again.
 */
export class ThreadAdvancedError extends Error {
  override readonly name = "ThreadAdvancedError";
}

/**
 * Creates the error for a thread with another active writer. `isInputAppended` is true if the caller's input is already
 * in the thread.
 */
export function busyError(threadId: string, cause?: unknown, isInputAppended = false): AgentError {
  const message =
    `Another process is working on thread ${threadId}, or died a moment ago. ` +
    (isInputAppended ? "Your input is in the thread; do not send it again. " : "") +
    "agent.resume(threadId) waits for the other process and continues the thread.";
  return new AgentError("busy", message, { path: "/threadId", ...(cause !== undefined && { cause }) });
}

/** Creates the error for a thread in which the same agent has an active run. */
export function busyInThisAgentError(threadId: string): AgentError {
  const message =
    `This agent has an active run in thread ${threadId}. Wait for its result(), cancel() it, ` +
    "or add your message to it with steer() or followUp().";
  return new AgentError("busy", message, { path: "/threadId" });
}

export function isBusy(error: unknown): boolean {
  return error instanceof AgentError && error.code === "busy";
}

/**
 * Converts the error of a run for its caller. If another writer took over the lease ("fenced"), the caller receives
 * "busy". A "busy" error after the input was appended is created again, because its message must say so.
 */
export function toRunError(error: unknown, threadId: string, isInputAppended: boolean): unknown {
  const isFenced = error instanceof LedgerError && error.code === "fenced";
  return isFenced || (isInputAppended && isBusy(error)) ? busyError(threadId, error, isInputAppended) : error;
}
