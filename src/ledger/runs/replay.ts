// A run's turn, rebuilt from the log: by a writer that takes over, and by whoever saves what a lost writer had streamed.
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerReads } from "../store.ts";
import { threadOf } from "./info.ts";
import { readBatch } from "./log.ts";
import { type Stored, Turn } from "./turn.ts";

const ROWS = 64;

export interface Replayed {
  /** What could be read, up to the first damage. */
  turn: Turn;
  damage?: { id: string; reason: string };
}

/** Reads the deltas of a run in bounded pieces. The run's id is the place in the thread where it was begun. */
export function* replay(reads: LedgerReads, row: RunRow): Steps<Replayed> {
  const turn = new Turn();
  if (row.lastDeltaId === null) return { turn };
  const stretch = { runId: row.id, upTo: row.lastDeltaId, limit: ROWS };
  let after = row.id;
  while (after < row.lastDeltaId) {
    const rows = yield* got(reads.log(threadOf(row), { ...stretch, after }));
    for (const { id, kind, body } of rows) {
      if (kind !== "delta") continue;
      try {
        for (const delta of readBatch(row.id, body)) turn.take(delta);
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

/** Tells of damage, where there is some. */
export function reportDamage(scope: Scope, { threadId }: RunRow, { damage }: Replayed): void {
  if (damage !== undefined) scope.report({ threadId, messageId: damage.id, reason: damage.reason });
}

/** Tells of what an interrupted turn had to go without. */
export function reportLeft(scope: Scope, { id, threadId }: RunRow, { left = [] }: Stored): void {
  if (left.length === 0) return;
  const reason = `Of the interrupted turn of this run, what could not be read back was left out: ${left.join(", ")}.`;
  scope.report({ threadId, messageId: id, reason });
}

/** A turn that is whole: nobody goes on after a gap. */
export function demandWhole({ turn, damage }: Replayed): Turn {
  if (damage === undefined) return turn;
  throw new LedgerError("corrupt", `${damage.reason} End the run with fail() or recover(): what can be read is kept.`);
}
