// One writer per thread: a run of the ledger is begun only where nobody else is at work, and who comes second is told.
import { LedgerError } from "../ledger/index.ts";
import type { Ledger, NewRun, Run } from "../ledger/index.ts";
import { AgentError } from "./errors.ts";

/** Begins a run that nobody works beside. Throws "busy" where somebody does, a conflict where the leaf is another one. */
export async function beginExclusiveRun(ledger: Ledger, run: NewRun): Promise<Run> {
  try {
    return await ledger.beginRun({ ...run, alone: true });
  } catch (error) {
    if (!isConflict(error) || error.path !== "alone") throw error;
    throw busy(run.threadId, error);
  }
}

/** Whether somebody else has written into the thread since it was read. */
export function isLeafConflict(error: unknown): boolean {
  return isConflict(error) && error.path === "expectedLeaf";
}

/** Whether something else was said with the same key. */
export function isKeyConflict(error: unknown): boolean {
  return isConflict(error) && error.path === "idempotencyKey";
}

function isConflict(error: unknown): error is LedgerError {
  return error instanceof LedgerError && error.code === "conflict";
}

/** Somebody else has brought the thread to where nothing is to be asked any more. Not for callers: the loop looks again. */
export class ThreadAdvancedError extends Error {
  override readonly name = "Overtaken";
}

/** Somebody else works on the thread, or did a moment ago. `isSaid`: the caller's words are in the thread nevertheless. */
export function busy(threadId: string, cause?: unknown, isSaid = false): AgentError {
  const message =
    `Somebody else is at work on thread ${threadId}, or stopped a moment ago without a word. ` +
    (isSaid ? "What you said is in the thread; do not say it again. " : "") +
    "agent.resume(threadId) waits for that and goes on with what is in the thread.";
  return new AgentError("busy", message, { path: "/threadId", ...(cause !== undefined && { cause }) });
}

/** The agent itself has a run in the thread. */
export function busyHere(threadId: string): AgentError {
  const message =
    `This agent has a run under way in thread ${threadId}. Wait for its result(), cancel() it, ` +
    "or say this to it with steer() or followUp().";
  return new AgentError("busy", message, { path: "/threadId" });
}

export function isBusy(error: unknown): boolean {
  return error instanceof AgentError && error.code === "busy";
}

/** What a run ends by, as its caller is told: who was driven out of a step by another writer finds the thread busy, too. */
export function endingOf(error: unknown, threadId: string, isSaid: boolean): unknown {
  const isDrivenOut = error instanceof LedgerError && error.code === "fenced";
  return isDrivenOut || (isSaid && isBusy(error)) ? busy(threadId, error, isSaid) : error;
}
