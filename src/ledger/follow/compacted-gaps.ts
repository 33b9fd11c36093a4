// Detects gaps for a reader whose cursor lies within a run: deltas after the cursor that were compacted. A reader that
// has not started a run misses nothing, because the run's messages contain the same content.
import { LedgerError } from "../errors.ts";
import type { LogRow, RunRow } from "../store/rows.ts";
import type { RunEventBody } from "../runs/log-bodies.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadKey } from "../store/contract.ts";
import { type Cursor, toKeyBefore } from "./cursor.ts";

export function createCursorGoneError(runId: string): LedgerError {
  return new LedgerError(
    "cursor-gone",
    `Deltas of run ${runId} after the cursor were compacted; read the transcript, and follow from "now".`,
    { path: "after" },
  );
}

/**
 * Throws "cursor-gone" before the first event if the cursor lies within compacted deltas: later cursors would hide the
 * gap.
 */
export async function assertNoGap({ store }: LedgerScope, key: ThreadKey, start: Cursor, run?: RunRow): Promise<void> {
  if (start.id === "") return;
  // A cursor within a row: the rest of the row is unread.
  const after = start.delta === undefined ? start.id : toKeyBefore(start.id);
  const compacted =
    run === undefined
      ? await store.reads.compactedRun(key, { after, upTo: start.id })
      : run.compacted && (run.firstDeltaId ?? "~") <= start.id && (run.lastDeltaId ?? "") > after && run;
  if (compacted) throw createCursorGoneError(compacted.id);
}

/** Throws "cursor-invalid" if the cursor belongs to no row of the thread and to no compacted deltas. */
export async function assertKnownCursor(
  { store: { reads } }: LedgerScope,
  key: ThreadKey,
  { id }: Cursor,
): Promise<void> {
  const range = { after: toKeyBefore(id), upTo: id };
  const exists =
    (await reads.message(key, id)) !== undefined ||
    (await reads.log(key, { ...range, limit: 1 })).length > 0 ||
    (await reads.compactedRun(key, range)) !== undefined;
  if (exists) return;
  const message = "The thread has no event with this cursor; omit it to start from the beginning.";
  throw new LedgerError("cursor-invalid", message, { path: "after" });
}

/** Finds compacted deltas between the rows that a reader has read. */
export class GapDetector {
  readonly #start: Cursor;
  /** The last delta row that was read, by run. */
  readonly #last = new Map<string, string>();

  constructor(start: Cursor) {
    this.#start = start;
  }

  addDeltaRow({ runId, id }: LogRow): void {
    this.#last.set(runId, id);
  }

  /** True if some deltas of an ended run are missing. */
  hasGap(runId: string, { firstDeltaId, lastDeltaId }: RunEventBody): boolean {
    const last = this.#last.get(runId);
    this.#last.delete(runId);
    if (firstDeltaId === undefined || lastDeltaId === undefined) return false;
    if (last !== undefined) return last < lastDeltaId;
    const { id, delta } = this.#start;
    return firstDeltaId <= id && (id < lastDeltaId || (id === lastDeltaId && delta !== undefined));
  }
}
