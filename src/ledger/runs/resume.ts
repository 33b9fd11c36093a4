// Takes a run over: the former writer is fenced off by a new epoch, and the new one goes on where the log ends.
import { checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { lockedThread } from "../threads.ts";
import type { Run } from "../types.ts";
import { threadOf } from "./info.ts";
import type { LiveRuns } from "./leases.ts";
import { unknownRun } from "./locked.ts";
import { demandWhole, replay } from "./replay.ts";
import { transition } from "./transitions.ts";
import type { Turn } from "./turn.ts";
import { RunWriter } from "./writer.ts";

export async function resumeRun(
  scope: Scope,
  live: LiveRuns,
  runId: string,
  { force = false }: { force?: boolean | undefined } = {},
): Promise<Run> {
  const id = checkName(runId, "runId");
  const found = await scope.store.reads.run(scope.tenant, id);
  if (found === undefined) throw unknownRun(id);
  const { row, turn } = await scope.store.write((tx) => takeOver(scope, tx, found, force));
  return new RunWriter(scope, live, row, turn);
}

/** One transaction: a run whose log cannot be read stays as it is. */
function* takeOver(
  scope: Scope,
  tx: LedgerTransaction,
  found: RunRow,
  force: boolean,
): Steps<{ row: RunRow; turn: Turn }> {
  const key = threadOf(found);
  yield* lockedThread(tx, key);
  const row = yield* got(tx.run(found.tenant, found.id));
  if (row === undefined) throw unknownRun(found.id);
  transition(row, "resume");
  const now = scope.now();
  if (!force && row.leaseUntil >= now) {
    const until = new Date(row.leaseUntil).toISOString();
    throw new LedgerError("conflict", `Run ${row.id} has a live writer until ${until}; wait for it, or use \`force\`.`);
  }
  const turn = demandWhole(yield* replay(tx, row));
  const changes = { epoch: row.epoch + 1, leaseUntil: now + scope.leaseMs };
  yield* got(tx.updateRun(key, row.id, row.epoch, changes));
  return { row: { ...row, ...changes }, turn };
}
