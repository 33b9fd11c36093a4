// Makes bare deltas part of a run.
import type { Delta, MessageDelta } from "../model/delta.ts";

/** Tells the time: milliseconds since 1970, a date, or ISO 8601. `Date.now` is one. */
export type Clock = () => number | Date | string;

/** A function that stamps deltas with the run, a `seq` that counts from 0, and the time. */
export function stampDeltas(runId: string, clock: Clock): (delta: Delta) => MessageDelta {
  let next = 0;
  let last: ReturnType<Clock> | undefined;
  let timestamp = "";
  return (delta) => {
    const now = clock();
    // Many deltas share a millisecond, and writing a date costs more than everything else here.
    if (now !== last || typeof now === "object") {
      last = now;
      timestamp = new Date(now).toISOString();
    }
    return { ...delta, runId, seq: next++, timestamp };
  };
}
