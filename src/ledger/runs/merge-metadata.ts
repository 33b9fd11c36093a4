// Merges fields into the metadata of a live run, such as the tools that were started. A process that takes over the run
// needs them, and no delta contains them.
import { assignObject } from "../../model/json/index.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import { encodeColumn, readRunMetadata, toThreadKeyOfRun } from "./run-info.ts";
import { createFencedError, lockRun } from "./lock-run.ts";

/**
 * Merges the fields into the run's metadata, and returns the changed columns of the run's row. The write is idempotent,
 * so it can be repeated if its response was lost.
 */
export function* mergeRunMetadata(
  scope: LedgerScope,
  tx: LedgerTransaction,
  known: RunRow,
  fields: Record<string, unknown>,
): Steps<Pick<RunRow, "metadata" | "leaseUntil">> {
  // Merging is allowed in the same states as an append, but does not change the state.
  const { row } = yield* lockRun(tx, known, "append");
  const changes = {
    metadata: encodeColumn(assignObject(readRunMetadata(row, scope.report), fields)),
    leaseUntil: scope.now() + scope.leaseMs,
  };
  if (!(yield* wait(tx.updateRun(toThreadKeyOfRun(row), row.id, row.epoch, changes)))) throw createFencedError(row.id);
  return changes;
}
