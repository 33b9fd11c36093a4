// Compacts runs: deletes the deltas of runs that ended more than `deltaRetentionMs` ago. Their messages and state
// changes are not deleted.
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import { toThreadKeyOfRun } from "./run-info.ts";

const RUNS_PER_WRITE = 64;

/** Compacts all runs of the tenant that ended long enough ago, and returns their number. */
export async function compactTenant(scope: LedgerScope): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await compactRuns(scope, RUNS_PER_WRITE, scope.tenant);
    total += count;
    if (count < RUNS_PER_WRITE) return total;
  }
}

/** Compacts up to `limit` runs, of every tenant if `tenant` is undefined, and returns their number. */
export async function compactRuns(
  { store, now, deltaRetentionMs }: LedgerScope,
  limit: number,
  tenant?: string,
): Promise<number> {
  const runs = await store.reads.compactableRuns(now() - deltaRetentionMs, limit, tenant);
  if (runs.length === 0) return 0;
  return store.write((tx) => markCompacted(tx, runs));
}

function* markCompacted(tx: LedgerTransaction, runs: readonly RunRow[]): Steps<number> {
  let count = 0;
  for (const run of runs) {
    // Another process may have compacted the run meanwhile. This is harmless, because both writes are idempotent.
    if (!(yield* wait(tx.updateRun(toThreadKeyOfRun(run), run.id, run.epoch, { compacted: true })))) continue;
    yield* deleteRunDeltas(tx, run);
    count++;
  }
  return count;
}

/** Deletes the deltas of a run; the run's row contains their range in the log. */
export function* deleteRunDeltas(tx: LedgerTransaction, run: RunRow): Steps<void> {
  const { firstDeltaId: first, lastDeltaId: last } = run;
  if (first === null || last === null) return;
  yield* wait(tx.deleteDeltas(toThreadKeyOfRun(run), run.id, { first, last }));
}
