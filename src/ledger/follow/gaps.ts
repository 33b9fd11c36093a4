// Notices deltas that a reader should have seen and did not, because they were compacted away: those of a run that it
// was in the middle of. Of a run that it had not begun to read, it misses nothing that the messages do not say.
import type { LogRow } from "../rows.ts";
import type { RunEvent } from "../runs/log.ts";
import type { Cursor } from "./cursor.ts";

export class Gaps {
  private readonly start: Cursor;
  /** By run, the last row of deltas that was read. */
  private readonly last = new Map<string, string>();

  constructor(start: Cursor) {
    this.start = start;
  }

  see({ runId, id }: LogRow): void {
    this.last.set(runId, id);
  }

  /** Whether some of a run's deltas are missing, now that it has ended. */
  has(runId: string, { firstDeltaId, lastDeltaId }: RunEvent): boolean {
    const last = this.last.get(runId);
    this.last.delete(runId);
    if (firstDeltaId === undefined || lastDeltaId === undefined) return false;
    if (last !== undefined) return last < lastDeltaId;
    const { id, delta } = this.start;
    return firstDeltaId <= id && (id < lastDeltaId || (id === lastDeltaId && delta !== undefined));
  }
}
