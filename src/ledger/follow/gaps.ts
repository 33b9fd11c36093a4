// Notices deltas that a reader should have seen and did not, because they were compacted away: those of a run that it
// was in the middle of. Of a run that it had not begun to read, it misses nothing that the messages do not say.
import { LedgerError } from "../errors.ts";
import type { LogRow, RunRow } from "../rows.ts";
import type { RunEvent } from "../runs/log.ts";
import type { Scope } from "../scope.ts";
import type { ThreadKey } from "../store.ts";
import { type Cursor, keyBefore } from "./cursor.ts";

export function cursorGone(runId: string): LedgerError {
  return new LedgerError(
    "cursor-gone",
    `Deltas of run ${runId} after the cursor were compacted away; read the transcript, and follow from "now".`,
    { path: "after" },
  );
}

/** Throws where a cursor stands among deltas that are gone, before anything is given: later cursors would hide it. */
export async function demandNoGap({ store }: Scope, key: ThreadKey, start: Cursor, run?: RunRow): Promise<void> {
  if (start.id === "") return;
  // Within a row, the rest of it is to come.
  const after = start.delta === undefined ? start.id : keyBefore(start.id);
  const gone =
    run === undefined
      ? await store.reads.compactedRun(key, { after, upTo: start.id })
      : run.compacted && (run.firstDeltaId ?? "~") <= start.id && (run.lastDeltaId ?? "") > after && run;
  if (gone) throw cursorGone(gone.id);
}

/** Throws where a cursor is that of no row of the thread, nor of deltas that it had. */
export async function demandPlace({ store: { reads } }: Scope, key: ThreadKey, { id }: Cursor): Promise<void> {
  const around = { after: keyBefore(id), upTo: id };
  const isThere =
    (await reads.message(key, id)) !== undefined ||
    (await reads.log(key, { ...around, limit: 1 })).length > 0 ||
    (await reads.compactedRun(key, around)) !== undefined;
  if (isThere) return;
  const message = "The thread has no event of this cursor; leave it out to begin at the beginning.";
  throw new LedgerError("cursor-invalid", message, { path: "after" });
}

export class Gaps {
  readonly #start: Cursor;
  /** By run, the last row of deltas that was read. */
  readonly #last = new Map<string, string>();

  constructor(start: Cursor) {
    this.#start = start;
  }

  see({ runId, id }: LogRow): void {
    this.#last.set(runId, id);
  }

  /** Whether some of a run's deltas are missing, now that it has ended. */
  has(runId: string, { firstDeltaId, lastDeltaId }: RunEvent): boolean {
    const last = this.#last.get(runId);
    this.#last.delete(runId);
    if (firstDeltaId === undefined || lastDeltaId === undefined) return false;
    if (last !== undefined) return last < lastDeltaId;
    const { id, delta } = this.#start;
    return firstDeltaId <= id && (id < lastDeltaId || (id === lastDeltaId && delta !== undefined));
  }
}
