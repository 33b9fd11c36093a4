// Writes the deltas of a run to the log, in rows of a bounded size, and renews the lease in the same write.
import type { LogRow, RunChanges, RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import { lockThread } from "../threads/threads.ts";
import { toThreadKeyOfRun } from "./run-info.ts";
import { createFencedError } from "./lock-run.ts";
import { createRunEventRow, encodeBatch, type EncodedDelta } from "./log-bodies.ts";
import { requireTransition } from "./transitions.ts";

/** The maximum number of deltas in one row of the log. */
const MAX_DELTAS_PER_ROW = 256;
/** The maximum number of characters of the deltas in one row, unless a single delta is longer. */
const MAX_ROW_LENGTH = 65_536;

/**
 * Encodes deltas as the bodies of log rows. This is done before the transaction, so that a repeated transaction need
 * not encode them again.
 */
export function encodeBodies(deltas: Iterable<EncodedDelta>): string[] {
  const bodies: string[] = [];
  let batch: EncodedDelta[] = [];
  let size = 0;
  for (const delta of deltas) {
    if (batch.length >= MAX_DELTAS_PER_ROW || (batch.length > 0 && size + delta.json.length > MAX_ROW_LENGTH)) {
      bodies.push(encodeBatch(batch));
      batch = [];
      size = 0;
    }
    batch.push(delta);
    size += delta.json.length;
  }
  if (batch.length > 0) bodies.push(encodeBatch(batch));
  return bodies;
}

/** The deltas of one write. */
interface DeltaFlush {
  bodies: readonly string[];
  lastSeq: number;
  /** True if an earlier attempt of this write may have succeeded. */
  isRetry: boolean;
}

/** Writes the deltas and returns the updated row of the run. */
export function* writeDeltas(
  scope: LedgerScope,
  tx: LedgerTransaction,
  known: RunRow,
  flush: DeltaFlush,
): Steps<RunRow> {
  const head = yield* lockThread(tx, toThreadKeyOfRun(known));
  if (flush.isRetry) {
    const row = yield* wait(tx.run(known.tenant, known.id));
    if (row?.epoch === known.epoch && row.lastSeq >= flush.lastSeq) return row;
  }
  const rows: LogRow[] = [];
  let id = head.lastId;
  const next = requireTransition(known, "append");
  const state = next === "same" ? known.state : next;
  if (state !== known.state) rows.push(createRunEventRow(scope, (id = scope.nextId(id)), { ...known, state }));
  let first = known.firstDeltaId;
  for (const body of flush.bodies) {
    id = scope.nextId(id);
    first ??= id;
    rows.push({ ...toThreadKeyOfRun(known), id, runId: known.id, kind: "delta", body });
  }
  const leaseUntil = scope.now() + scope.leaseMs;
  const changes: RunChanges = { leaseUntil, lastDeltaId: id, lastSeq: flush.lastSeq };
  if (state !== known.state) Object.assign(changes, { state, firstDeltaId: first });
  if (!(yield* wait(tx.updateRun(toThreadKeyOfRun(known), known.id, known.epoch, changes))))
    throw createFencedError(known.id);
  yield* wait(tx.insertLog(rows));
  return { ...known, ...changes };
}
