// Takes over a run: with the new epoch, writes of the former writer are rejected, and the new writer continues at the
// end of the log.
import { requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import { lockThread } from "../threads/threads.ts";
import type { Run } from "../types.ts";
import { toThreadKeyOfRun } from "./run-info.ts";
import type { LiveRuns } from "./live-runs.ts";
import { createUnknownRunError } from "./lock-run.ts";
import { requireUndamaged, replayTurn } from "./replay.ts";
import { requireTransition } from "./transitions.ts";
import type { RunTurn } from "./run-turn.ts";
import { RunWriter } from "./run-writer.ts";

export async function resumeRun(
  scope: LedgerScope,
  live: LiveRuns,
  runId: string,
  { force = false }: { force?: boolean | undefined } = {},
): Promise<Run> {
  const id = requireName(runId, "runId");
  const known = await scope.store.reads.run(scope.tenant, id);
  if (known === undefined) throw createUnknownRunError(id);
  const { row, turn } = await scope.store.write((tx) => takeOverRun(scope, tx, known, force));
  return new RunWriter(scope, live, row, turn);
}

/**
 * Takes over a run and rebuilds its turn in one transaction, so that a run whose log cannot be read stays unchanged.
 */
function* takeOverRun(
  scope: LedgerScope,
  tx: LedgerTransaction,
  known: RunRow,
  force: boolean,
): Steps<{ row: RunRow; turn: RunTurn }> {
  const key = toThreadKeyOfRun(known);
  yield* lockThread(tx, key);
  const row = yield* wait(tx.run(known.tenant, known.id));
  if (row === undefined) throw createUnknownRunError(known.id);
  requireTransition(row, "resume");
  const now = scope.now();
  if (!force && row.leaseUntil >= now) {
    const until = new Date(row.leaseUntil).toISOString();
    throw new LedgerError("conflict", `Run ${row.id} has a live writer until ${until}; wait for it, or use \`force\`.`);
  }
  const turn = requireUndamaged(yield* replayTurn(tx, row));
  const changes = { epoch: row.epoch + 1, leaseUntil: now + scope.leaseMs };
  yield* wait(tx.updateRun(key, row.id, row.epoch, changes));
  return { row: { ...row, ...changes }, turn };
}
