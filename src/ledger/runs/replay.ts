// Rebuilds the turn of a run (the messages assembled from its deltas) from the log, for a writer that takes over the
// run and for the recovery of a run whose writer died.
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerReads } from "../store/contract.ts";
import { toThreadKeyOfRun } from "./run-info.ts";
import { decodeBatch } from "./log-bodies.ts";
import { type TurnContent, RunTurn } from "./run-turn.ts";

const ROWS_PER_READ = 64;

/** The turn of a run, rebuilt from the deltas in the log. */
export interface ReplayResult {
  /** The turn up to the first delta that is damaged or missing. */
  turn: RunTurn;
  damage?: { id: string; reason: string };
}

/**
 * Rebuilds a turn from the deltas of its run, which are read in bounded batches. The read starts at the run's id,
 * because all delta rows of the run have larger ids.
 */
export function* replayTurn(reads: LedgerReads, row: RunRow): Steps<ReplayResult> {
  const turn = new RunTurn();
  if (row.lastDeltaId === null) return { turn };
  const range = { runId: row.id, upTo: row.lastDeltaId, limit: ROWS_PER_READ };
  let after = row.id;
  while (after < row.lastDeltaId) {
    const rows = yield* wait(reads.log(toThreadKeyOfRun(row), { ...range, after }));
    for (const { id, kind, body } of rows) {
      if (kind !== "delta") continue;
      try {
        for (const delta of decodeBatch(row.id, body)) turn.push(delta);
      } catch (error) {
        return { turn, damage: { id, reason: `Deltas of run ${row.id} cannot be read: ${String(error)}` } };
      }
    }
    const last = rows.at(-1);
    if (last === undefined) {
      return { turn, damage: { id: row.lastDeltaId, reason: `Deltas of run ${row.id} are missing from the log.` } };
    }
    after = last.id;
  }
  return { turn };
}

/** Reports damage in the log, if there is any. */
export function reportDamage(scope: LedgerScope, { threadId }: RunRow, { damage }: ReplayResult): void {
  if (damage !== undefined) scope.report({ threadId, messageId: damage.id, reason: damage.reason });
}

/** Reports the values of an interrupted turn that could not be stored. */
export function reportDropped(scope: LedgerScope, { id, threadId }: RunRow, { dropped = [] }: TurnContent): void {
  if (dropped.length === 0) return;
  const reason = `Parts of the interrupted turn of this run cannot be stored and were dropped: ${dropped.join(", ")}.`;
  scope.report({ threadId, messageId: id, reason });
}

/**
 * Returns the rebuilt turn; throws "corrupt" if deltas are damaged or missing, because no writer may continue after a
 * gap.
 */
export function requireUndamaged({ turn, damage }: ReplayResult): RunTurn {
  if (damage === undefined) return turn;
  throw new LedgerError(
    "corrupt",
    `${damage.reason} End the run with fail() or recover(): the readable part is stored.`,
  );
}
