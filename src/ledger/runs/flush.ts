// Writes deltas of a run to the log, in rows of a bounded size, and renews the lease on the way.
import type { LogRow, RunChanges, RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { lockedThread } from "../threads.ts";
import { threadOf } from "./info.ts";
import { fenced } from "./locked.ts";
import { runEventRow, writeBatch, type WrittenDelta } from "./log.ts";
import { transition } from "./transitions.ts";

/** The most in one row. */
const MANY = 256;
const LONG = 65_536;

/** Cuts deltas into the bodies of rows. Done once, before any transaction. */
export function bodiesOf(deltas: Iterable<WrittenDelta>): string[] {
  const bodies: string[] = [];
  let batch: WrittenDelta[] = [];
  let size = 0;
  for (const delta of deltas) {
    if (batch.length >= MANY || (batch.length > 0 && size + delta.json.length > LONG)) {
      bodies.push(writeBatch(batch));
      batch = [];
      size = 0;
    }
    batch.push(delta);
    size += delta.json.length;
  }
  if (batch.length > 0) bodies.push(writeBatch(batch));
  return bodies;
}

interface Flush {
  bodies: readonly string[];
  lastSeq: number;
  /** Whether an attempt before this one may have been written. */
  again: boolean;
}

/** The run after its deltas were written. */
export function* writeDeltas(scope: Scope, tx: LedgerTransaction, known: RunRow, flush: Flush): Steps<RunRow> {
  const head = yield* lockedThread(tx, threadOf(known));
  if (flush.again) {
    const row = yield* got(tx.run(known.tenant, known.id));
    if (row?.epoch === known.epoch && row.lastSeq >= flush.lastSeq) return row;
  }
  const rows: LogRow[] = [];
  let id = head.lastId;
  const next = transition(known, "append");
  const state = next === "same" ? known.state : next;
  if (state !== known.state) rows.push(runEventRow(scope, (id = scope.nextId(id)), { ...known, state }));
  let first = known.firstDeltaId;
  for (const body of flush.bodies) {
    id = scope.nextId(id);
    first ??= id;
    rows.push({ ...threadOf(known), id, runId: known.id, kind: "delta", body });
  }
  const leaseUntil = scope.now() + scope.leaseMs;
  const changes: RunChanges = { leaseUntil, lastDeltaId: id, lastSeq: flush.lastSeq };
  if (state !== known.state) Object.assign(changes, { state, firstDeltaId: first });
  if (!(yield* got(tx.updateRun(threadOf(known), known.id, known.epoch, changes)))) throw fenced(known.id);
  yield* got(tx.insertLog(rows));
  return { ...known, ...changes };
}
