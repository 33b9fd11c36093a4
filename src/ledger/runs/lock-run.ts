// Begins every write that ends a live run or changes its metadata: locks the thread, checks the epoch, and checks that
// the step is allowed.
import { LedgerError } from "../errors.ts";
import type { RunRow, RunState, ThreadHead } from "../store/rows.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import { lockThread } from "../threads/threads.ts";
import { toThreadKeyOfRun } from "./run-info.ts";
import { type RunStep, requireTransition } from "./transitions.ts";

export function createFencedError(id: string): LedgerError {
  return new LedgerError("fenced", `Another writer has taken over run ${id}; this writer must stop.`);
}

export function createUnknownRunError(id: string): LedgerError {
  return new LedgerError("unknown-run", `There is no run "${id}".`, { path: "runId" });
}

/** A run of a locked thread, read after the lock. */
export interface LockedRun {
  head: ThreadHead;
  row: RunRow;
  /** The state after the step; "same" if the run had ended with this step before. */
  next: RunState | "same";
}

/**
 * Locks the thread of a run, and reads the run again: an earlier attempt of the step may have succeeded although its
 * response was lost. Throws "fenced" if another writer has taken over the run.
 */
export function* lockRun(tx: LedgerTransaction, known: RunRow, step: RunStep): Steps<LockedRun> {
  const head = yield* lockThread(tx, toThreadKeyOfRun(known));
  const row = yield* wait(tx.run(known.tenant, known.id));
  if (row === undefined) throw createUnknownRunError(known.id);
  if (row.epoch !== known.epoch) throw createFencedError(known.id);
  return { head, row, next: requireTransition(row, step) };
}
