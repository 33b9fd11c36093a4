// Ends the runs whose writers died. Their partial output is stored as an interrupted turn (B90).
import type { ProviderError, StoredMessage } from "../../model/index.ts";
import type { RunRow } from "../store/rows.ts";
import { type LedgerScope, scopeForTenant } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import type { RecoveredRun } from "../types.ts";
import { writeInterruptedTurn } from "./end.ts";
import { readProvider, toThreadKeyOfRun } from "./run-info.ts";
import type { EndedRun } from "./run-outcome.ts";
import { replayTurn, reportDamage, reportDropped, type ReplayResult } from "./replay.ts";
import { requireTransition } from "./transitions.ts";
import type { TurnContent } from "./run-turn.ts";

const RUNS_PER_READ = 64;

const WRITER_LOST: ProviderError = { kind: "truncated", message: "writer lost" };

/**
 * Recovers all runs with an expired lease. Concurrent calls recover each run once. If a run cannot be recovered, it is
 * reported, and the next run is tried; if no run can be recovered, the first error is thrown.
 */
export async function recoverRuns(
  ledgerScope: LedgerScope,
  { everyTenant = false }: { everyTenant?: boolean | undefined } = {},
): Promise<RecoveredRun[]> {
  const recovered: RecoveredRun[] = [];
  let failure: { error: unknown } | undefined;
  const seen = new Set<string>();
  for (;;) {
    // Runs that cannot be recovered stay expired, and every read returns them again. The limit is increased by the
    // number of tried runs, so that a read also returns further runs.
    const limit = RUNS_PER_READ + seen.size;
    const expired = await ledgerScope.store.reads.expiredRuns(
      ledgerScope.now(),
      limit,
      everyTenant ? undefined : ledgerScope.tenant,
    );
    const untried = expired.filter((run) => !seen.has(toRunMapKey(run)));
    if (untried.length === 0) break;
    for (const run of untried) {
      const { tenant, threadId, id: runId } = run;
      seen.add(toRunMapKey(run));
      const scope = scopeForTenant(ledgerScope, tenant);
      try {
        const messages = await recoverRun(scope, run);
        if (messages !== undefined) recovered.push({ tenant, runId, threadId, messages });
      } catch (error) {
        failure ??= { error };
        const reason = `The run could not be recovered: ${error instanceof Error ? error.message : String(error)}`;
        scope.report({ threadId, messageId: runId, reason });
      }
    }
  }
  if (failure !== undefined && recovered.length === 0) throw failure.error;
  return recovered;
}

function toRunMapKey({ tenant, id }: RunRow): string {
  return JSON.stringify([tenant, id]);
}

/** Recovers one run and returns its messages; undefined if the run is no longer expired. */
async function recoverRun(scope: LedgerScope, run: RunRow): Promise<StoredMessage[] | undefined> {
  const salvaged = await scope.store.write((tx) => salvageRun(scope, tx, run));
  if (salvaged === undefined) return undefined;
  reportDamage(scope, run, salvaged.replayed);
  reportDropped(scope, run, salvaged.partial);
  return salvaged.finished.outcome?.messages ?? [];
}

interface SalvagedRun {
  finished: EndedRun;
  replayed: ReplayResult;
  partial: TurnContent;
}

/** Ends an expired run in one transaction; returns undefined if the run is no longer expired. */
function* salvageRun(scope: LedgerScope, tx: LedgerTransaction, expired: RunRow): Steps<SalvagedRun | undefined> {
  const head = yield* wait(tx.lockThread(toThreadKeyOfRun(expired)));
  const row = yield* wait(tx.run(expired.tenant, expired.id));
  // Since the expired runs were read, the thread may have been deleted, the writer may have renewed its lease, or
  // another writer may have taken over the run.
  if (head === undefined || row === undefined || row.leaseUntil >= scope.now()) return undefined;
  const state = requireTransition(row, "recover");
  if (state === "same") return undefined;
  const replayed = yield* replayTurn(tx, row);
  const partial = replayed.turn.interrupt(readProvider(row, scope.report));
  const end = { state, partial, error: WRITER_LOST, epoch: row.epoch + 1 };
  const finished = yield* writeInterruptedTurn(scope, tx, { head, row }, end);
  return { finished, replayed, partial };
}
