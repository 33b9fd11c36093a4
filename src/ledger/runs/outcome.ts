// What a run came to: written with the change of state that ends it, and read again by whoever ends it once more.
import type { StoredMessage } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { readRows } from "../body.ts";
import { LedgerError } from "../errors.ts";
import type { LogRow, MessageRow, RunChanges, RunRow, ThreadHead } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import type { CommitResult } from "../types.ts";
import { deleteDeltas } from "./compact.ts";
import { threadOf } from "./info.ts";
import { fenced } from "./locked.ts";
import { readRunEvent, runEventRow, type RunFacts, type RunOutcome } from "./log.ts";

/** A run that has ended. */
export interface Finished {
  row: RunRow;
  /** Absent where it had ended before. */
  outcome?: CommitResult;
}

interface Closing {
  changes: RunChanges;
  outcome: RunOutcome;
  messages: StoredMessage[];
  /** As the changes have them. */
  facts?: RunFacts;
}

/** Ends a run of a locked thread. The head is brought up to date in place. */
export function* closeRun(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  row: RunRow,
  { changes, outcome, messages, facts }: Closing,
): Steps<Finished> {
  // A run without deltas has nothing to compact; where deltas are not kept at all, they go with the run's end.
  const compacted = row.lastDeltaId === null || scope.deltaRetentionMs === 0;
  const all = { finishedAt: scope.now(), compacted, ...changes };
  const closed: RunRow = { ...row, ...all };
  if (!(yield* got(tx.updateRun(threadOf(row), row.id, row.epoch, all)))) throw fenced(row.id);
  head.lastId = scope.nextId(head.lastId);
  yield* got(tx.insertLog([runEventRow(scope, head.lastId, closed, outcome, facts)]));
  if (compacted) yield* deleteDeltas(tx, row);
  return { row: closed, outcome: { messages, supersededRunIds: outcome.supersededRunIds ?? [] } };
}

/** After its last delta a run has few rows in the log: how it ended, and whether it was superseded. */
const ROWS = 4;

/** What a finished run came to, from the log. Messages that were deleted since are left out. */
export async function readOutcome(scope: Scope, row: RunRow): Promise<CommitResult> {
  const { reads } = scope.store;
  const key = threadOf(row);
  const rows = await reads.log(key, { runId: row.id, after: row.lastDeltaId ?? row.id, limit: ROWS });
  for (const each of rows) {
    const outcome = outcomeOf(each);
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

/** What a change of state says the run came to. One that is damaged must not pass for a run that left nothing. */
function outcomeOf(row: LogRow): RunOutcome | undefined {
  try {
    const { outcome } = readRunEvent(row);
    if (outcome === undefined || isOutcome(outcome)) return outcome;
  } catch (error) {
    throw damaged(row, error);
  }
  throw damaged(row);
}

function isIds(ids: unknown): boolean {
  return Array.isArray(ids) && ids.every((id) => typeof id === "string");
}

/** Of a row that can be read, yet may have been damaged. */
function isOutcome(outcome: Partial<RunOutcome> | null): boolean {
  if (!isObject(outcome)) return false;
  const { messageIds, supersededRunIds = [] } = outcome;
  return isIds(messageIds) && isIds(supersededRunIds);
}

function damaged({ id, runId }: LogRow, cause?: unknown): LedgerError {
  const message = `What run ${runId} came to cannot be read, because the row ${id} of the log is damaged; read the transcript.`;
  return new LedgerError("corrupt", message, { cause });
}
