// Drops the deltas of runs that ended long enough ago. Their messages and changes of state stay.
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { threadOf } from "./info.ts";

const RUNS = 64;

/** Compacts everything of the tenant that can be, and gives the number of runs. */
export async function compact(scope: Scope): Promise<number> {
  let all = 0;
  for (;;) {
    const count = await compactSome(scope, RUNS, scope.tenant);
    all += count;
    if (count < RUNS) return all;
  }
}

/** Compacts up to `limit` runs, of every tenant where none is named, and gives their number. */
export async function compactSome(
  { store, now, deltaRetentionMs }: Scope,
  limit: number,
  tenant?: string,
): Promise<number> {
  const runs = await store.reads.compactableRuns(now() - deltaRetentionMs, limit, tenant);
  if (runs.length === 0) return 0;
  return store.write((tx) => dropDeltas(tx, runs));
}

function* dropDeltas(tx: LedgerTransaction, runs: readonly RunRow[]): Steps<number> {
  let count = 0;
  for (const run of runs) {
    // Somebody else may have compacted it meanwhile: both steps can be repeated.
    if (!(yield* got(tx.updateRun(threadOf(run), run.id, run.epoch, { compacted: true })))) continue;
    yield* deleteDeltas(tx, run);
    count++;
  }
  return count;
}

/** Deletes the deltas of a run, which knows where they stand in the log of its thread. */
export function* deleteDeltas(tx: LedgerTransaction, run: RunRow): Steps<void> {
  const { firstDeltaId: first, lastDeltaId: last } = run;
  if (first === null || last === null) return;
  yield* got(tx.deleteDeltas(threadOf(run), run.id, { first, last }));
}
