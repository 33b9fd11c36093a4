// Adds facts to a live run, such as "this tool was started": what a successor must know that no delta says.
import { assignObject } from "../../model/json.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { column, factsOf, threadOf } from "./info.ts";
import { fenced, lockRun } from "./locked.ts";

/** What changed in the run. Merging is idempotent: where the answer is lost on the way, it may be done again. */
export function* noteRun(
  scope: Scope,
  tx: LedgerTransaction,
  known: RunRow,
  facts: Record<string, unknown>,
): Steps<Pick<RunRow, "metadata" | "leaseUntil">> {
  // Possible as long as deltas are; unlike them it leaves the state as it is.
  const { row } = yield* lockRun(tx, known, "append");
  const changes = {
    metadata: column(assignObject(factsOf(row, scope.report), facts)),
    leaseUntil: scope.now() + scope.leaseMs,
  };
  if (!(yield* got(tx.updateRun(threadOf(row), row.id, row.epoch, changes)))) throw fenced(row.id);
  return changes;
}
