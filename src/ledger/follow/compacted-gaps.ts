// Detects gaps: deltas after a reader's cursor that were compacted, which means deleted some time after the end of
// their run. Only a reader whose cursor lies within a run can miss content. A reader that has read no delta of the run
// receives the same content with the run's messages.
import { LedgerError } from "../errors.ts";
import type { LogRow, RunRow } from "../store/rows.ts";
import type { RunEventBody } from "../runs/log-bodies.ts";
import type { LedgerScope } from "../scope.ts";
import type { ThreadKey } from "../store/contract.ts";
import { type Cursor, toPreviousId } from "./cursor.ts";

export function createCursorGoneError(runId: string): LedgerError {
  return new LedgerError(
    "cursor-gone",
    `Deltas of run ${runId} after the cursor were compacted; read the transcript, and follow from "now".`,
    { path: "after" },
  );
}

/**
 * Throws "cursor-gone" if the cursor lies within compacted deltas. This is checked before the first event: the cursor
 * of that event is after the gap, so a reader that continued from it would not notice the gap.
 */
export async function assertNoGap({ store }: LedgerScope, key: ThreadKey, start: Cursor, run?: RunRow): Promise<void> {
  if (start.id === "") return;
  // A cursor with a delta index lies within a row, and the rest of that row is unread. The range then includes the row.
  const after = start.delta === undefined ? start.id : toPreviousId(start.id);
  const compacted =
    run === undefined
      ? await store.reads.compactedRun(key, { after, upTo: start.id })
      : run.compacted && (run.firstDeltaId ?? "~") <= start.id && (run.lastDeltaId ?? "") > after && run;
  if (compacted) throw createCursorGoneError(compacted.id);
}

/** Throws "cursor-invalid" if the cursor is neither the position of a row of the thread nor within compacted deltas. */
export async function assertKnownCursor(
  { store: { reads } }: LedgerScope,
  key: ThreadKey,
  { id }: Cursor,
): Promise<void> {
  const range = { after: toPreviousId(id), upTo: id };
  const exists =
    (await reads.message(key, id)) !== undefined ||
    (await reads.log(key, { ...range, limit: 1 })).length > 0 ||
    (await reads.compactedRun(key, range)) !== undefined;
  if (exists) return;
  const message = "The thread has no event with this cursor; omit it to start from the beginning.";
  throw new LedgerError("cursor-invalid", message, { path: "after" });
}

/** Detects compacted deltas between the rows that a reader has read. */
export class GapDetector {
  readonly #start: Cursor;
  /** The id of the last delta row that was read, by run id. */
  readonly #last = new Map<string, string>();

  constructor(start: Cursor) {
    this.#start = start;
  }

  addDeltaRow({ runId, id }: LogRow): void {
    this.#last.set(runId, id);
  }

  /** True if the reader has read some deltas of an ended run, but later deltas of the run were compacted. */
  hasGap(runId: string, { firstDeltaId, lastDeltaId }: RunEventBody): boolean {
    const last = this.#last.get(runId);
    this.#last.delete(runId);
    if (firstDeltaId === undefined || lastDeltaId === undefined) return false;
    if (last !== undefined) return last < lastDeltaId;
    const { id, delta } = this.#start;
    return firstDeltaId <= id && (id < lastDeltaId || (id === lastDeltaId && delta !== undefined));
  }
}
