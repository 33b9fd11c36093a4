// The beginning of every step that ends a run: the thread is locked, the run is still the writer's own, and the step is
// possible.
import { LedgerError } from "../errors.ts";
import type { RunRow, RunState, ThreadHead } from "../rows.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { lockedThread } from "../threads.ts";
import { threadOf } from "./info.ts";
import { type RunStep, transition } from "./transitions.ts";

export function fenced(id: string): LedgerError {
  return new LedgerError("fenced", `Another writer has taken over run ${id}; this one must stop.`);
}

export function unknownRun(id: string): LedgerError {
  return new LedgerError("unknown-run", `There is no run "${id}".`, { path: "runId" });
}

/** A run whose thread is locked, as it is now. */
export interface LockedRun {
  head: ThreadHead;
  row: RunRow;
  /** The state after the step; "same": it was taken before. */
  next: RunState | "same";
}

/** Reads the run anew under the lock: a step whose answer was lost on the way may have been taken all the same. */
export function* lockRun(tx: LedgerTransaction, known: RunRow, step: RunStep): Steps<LockedRun> {
  const head = yield* lockedThread(tx, threadOf(known));
  const row = yield* got(tx.run(known.tenant, known.id));
  if (row === undefined) throw unknownRun(known.id);
  if (row.epoch !== known.epoch) throw fenced(known.id);
  return { head, row, next: transition(row, step) };
}
