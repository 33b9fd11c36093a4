// What a run came to: written with the change of state that ends it, and read again by whoever ends it once more.
import type { StoredMessage } from "../../model/index.ts";
import { readRows } from "../body.ts";
import type { MessageRow, RunChanges, RunRow, ThreadHead } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import type { Committed } from "../types.ts";
import { threadOf } from "./info.ts";
import { fenced } from "./locked.ts";
import { readRunEvent, runEventRow, type RunOutcome } from "./log.ts";

/** A run that has ended. */
export interface Finished {
  row: RunRow;
  /** Absent where it had ended before. */
  outcome?: Committed;
}

interface Closing {
  changes: RunChanges;
  outcome: RunOutcome;
  messages: StoredMessage[];
}

/** Ends a run of a locked thread. The head is brought up to date in place. */
export function* closeRun(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  row: RunRow,
  { changes, outcome, messages }: Closing,
): Steps<Finished> {
  // A run without deltas has nothing to compact.
  const all = { finishedAt: scope.now(), compacted: row.lastDeltaId === null, ...changes };
  const closed: RunRow = { ...row, ...all };
  if (!(yield* got(tx.updateRun(threadOf(row), row.id, row.epoch, all)))) throw fenced(row.id);
  head.lastId = scope.nextId(head.lastId);
  yield* got(tx.insertLog([runEventRow(scope, head.lastId, closed, outcome)]));
  return { row: closed, outcome: { messages, supersededRunIds: outcome.supersededRunIds ?? [] } };
}

/** After its last delta a run has few rows in the log: how it ended, and whether it was superseded. */
const ROWS = 4;

/** What a finished run came to, from the log. Messages that were deleted since are left out. */
export async function readOutcome(scope: Scope, row: RunRow): Promise<Committed> {
  const { reads } = scope.store;
  const key = threadOf(row);
  const rows = await reads.log(key, { runId: row.id, after: row.lastDeltaId ?? row.id, limit: ROWS });
  for (const each of rows) {
    const { outcome } = readRunEvent(each);
    if (outcome === undefined) continue;
    const found: MessageRow[] = [];
    for (const id of outcome.messageIds) {
      const message = await reads.message(key, id);
      if (message !== undefined) found.push(message);
    }
    return { messages: await readRows(scope, found), supersededRunIds: outcome.supersededRunIds ?? [] };
  }
  return { messages: [], supersededRunIds: [] };
}
