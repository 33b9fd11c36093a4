// Writes the result of a run together with the state change that ends the run, and reads the result again when the step
// that ended the run is repeated.
import type { StoredMessage } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { readMessages } from "../messages/message-body.ts";
import { LedgerError } from "../errors.ts";
import type { LogRow, MessageRow, RunChanges, RunRow, ThreadHead } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import type { CommitResult } from "../types.ts";
import { deleteRunDeltas } from "./compact.ts";
import { toThreadKeyOfRun } from "./run-info.ts";
import { createFencedError } from "./lock-run.ts";
import { decodeRunEvent, createRunEventRow, type RunUsageAndError, type RunOutcomeIds } from "./log-bodies.ts";

/** A run that has ended. */
export interface EndedRun {
  row: RunRow;
  /** The result of the run; absent if the run had ended before this call. */
  outcome?: CommitResult;
}

/** The changes that end a run. */
interface RunClosing {
  changes: RunChanges;
  outcome: RunOutcomeIds;
  messages: StoredMessage[];
  /** The decoded usage and error, which `changes` contains as JSON. If absent, they are decoded from that JSON. */
  facts?: RunUsageAndError;
}

/** Ends a run whose thread is locked. Sets `head.lastId` to the id of the log row that records the end. */
export function* closeRun(
  scope: LedgerScope,
  tx: LedgerTransaction,
  head: ThreadHead,
  row: RunRow,
  { changes, outcome, messages, facts }: RunClosing,
): Steps<EndedRun> {
  // A run without deltas has nothing to compact; with a retention of 0, the deltas are deleted at the end of the run.
  const compacted = row.lastDeltaId === null || scope.deltaRetentionMs === 0;
  const allChanges = { finishedAt: scope.now(), compacted, ...changes };
  const closed: RunRow = { ...row, ...allChanges };
  if (!(yield* wait(tx.updateRun(toThreadKeyOfRun(row), row.id, row.epoch, allChanges))))
    throw createFencedError(row.id);
  head.lastId = scope.nextId(head.lastId);
  yield* wait(tx.insertLog([createRunEventRow(scope, head.lastId, closed, outcome, facts)]));
  if (compacted) yield* deleteRunDeltas(tx, row);
  return { row: closed, outcome: { messages, supersededRunIds: outcome.supersededRunIds ?? [] } };
}

/**
 * The number of log rows that are read after the last delta of a run. A run has few rows there: the row of its end and,
 * if the run was superseded, the row of that change.
 */
const ROWS_PER_READ = 4;

/** Reads the result of an ended run from the log. Messages that were deleted since are omitted. */
export async function readOutcome(scope: LedgerScope, row: RunRow): Promise<CommitResult> {
  const { reads } = scope.store;
  const key = toThreadKeyOfRun(row);
  const rows = await reads.log(key, { runId: row.id, after: row.lastDeltaId ?? row.id, limit: ROWS_PER_READ });
  for (const each of rows) {
    const outcome = decodeOutcome(each);
    if (outcome === undefined) continue;
    const messageRows: MessageRow[] = [];
    for (const id of outcome.messageIds) {
      const message = await reads.message(key, id);
      if (message !== undefined) messageRows.push(message);
    }
    return { messages: await readMessages(scope, messageRows), supersededRunIds: outcome.supersededRunIds ?? [] };
  }
  return { messages: [], supersededRunIds: [] };
}

/**
 * Decodes the outcome of a run event; undefined if the event did not end the run. Throws "corrupt" if the row is
 * damaged, because a damaged row must not look like the end of a run without messages.
 */
function decodeOutcome(row: LogRow): RunOutcomeIds | undefined {
  try {
    const { outcome } = decodeRunEvent(row);
    if (outcome === undefined || isOutcome(outcome)) return outcome;
  } catch (error) {
    throw createDamageError(row, error);
  }
  throw createDamageError(row);
}

function isIdList(ids: unknown): boolean {
  return Array.isArray(ids) && ids.every((id) => typeof id === "string");
}

/** True if a decoded value has the fields of an outcome; a damaged row may contain any value. */
function isOutcome(outcome: Partial<RunOutcomeIds> | null): boolean {
  if (!isObject(outcome)) return false;
  const { messageIds, supersededRunIds = [] } = outcome;
  return isIdList(messageIds) && isIdList(supersededRunIds);
}

function createDamageError({ id, runId }: LogRow, cause?: unknown): LedgerError {
  const message = `The result of run ${runId} cannot be read, because the log row ${id} is damaged; read the transcript.`;
  return new LedgerError("corrupt", message, { cause });
}
