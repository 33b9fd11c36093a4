// Stamps deltas: adds run id, sequence number and time to them.
import type { Delta, MessageDelta } from "../model/delta.ts";

/** Returns the current time as milliseconds since 1970, a Date, or ISO 8601. `Date.now` is a Clock. */
export type Clock = () => number | Date | string;

/**
 * Returns a function that adds to a delta the run id, a `seq` that counts from 0, and the time.
 *
 * @example
 * ```ts
 * import { stampDeltas } from "koine";
 *
 * const stamp = stampDeltas("run-1", () => 0);
 * console.log(stamp({ kind: "text", payload: { textDelta: "Hello" } }).timestamp); // 1970-01-01T00:00:00.000Z
 * console.log(stamp({ kind: "text", payload: { textDelta: "." } }).seq); // 1
 * ```
 */
export function stampDeltas(runId: string, clock: Clock): (delta: Delta) => MessageDelta {
  let next = 0;
  let last: ReturnType<Clock> | undefined;
  let timestamp = "";
  return (delta) => {
    const now = clock();
    // The timestamp is cached, because many deltas share a millisecond and toISOString takes most of the time here. It
    // is not cached for a Date, because the clock may change the same Date object.
    if (now !== last || typeof now === "object") {
      last = now;
      timestamp = new Date(now).toISOString();
    }
    return { ...delta, runId, seq: next++, timestamp };
  };
}
