// Stamps the deltas of a batch, that is, adds the run id, `seq` and timestamp. Deltas that are stamped already must
// belong to the run and be in order.
import { AssemblyError } from "../../assembly/index.ts";
import type { Delta, MessageDelta } from "../../model/index.ts";
import { LedgerError } from "../errors.ts";
import { isoTime } from "../iso-time.ts";
import { encodeDelta, type EncodedDelta } from "./log-bodies.ts";
import { copyDelta } from "./copy-delta.ts";

/** A batch of stamped deltas and their JSON. */
interface StampedBatch {
  deltas: MessageDelta[];
  encoded: EncodedDelta[];
  /** The number of characters of `encoded`. */
  size: number;
  lastSeq: number;
}

/** Creates the error for a batch with an illegal delta; `cause` is the reason. */
export function createBatchError(index: number, cause: unknown): unknown {
  const path = `/deltas/${index}`;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new LedgerError("invalid-input", `At "${path}": ${reason} The whole batch was rejected.`, { path, cause });
}

/** Stamps and encodes a batch. Throws if a delta cannot be appended to the run. The given deltas are not changed. */
export function stampBatch(
  deltas: readonly (Delta | MessageDelta)[],
  { runId, lastSeq, now }: { runId: string; lastSeq: number; now: number },
): StampedBatch {
  if (!Array.isArray(deltas)) throw new LedgerError("invalid-input", "The deltas must be a list.", { path: "/deltas" });
  const batch: StampedBatch = { deltas: [], encoded: [], size: 0, lastSeq };
  for (const [index, delta] of deltas.entries()) {
    try {
      const stamped = stampDelta(delta, runId, batch.lastSeq, now);
      const encoded = encodeDelta(stamped);
      batch.deltas.push(copyDelta(stamped, encoded.json));
      batch.encoded.push(encoded);
      batch.size += encoded.json.length;
      batch.lastSeq = stamped.seq;
    } catch (error) {
      throw createBatchError(index, error);
    }
  }
  return batch;
}

function stampDelta(delta: Delta | MessageDelta, runId: string, lastSeq: number, now: number): MessageDelta {
  if (typeof delta !== "object" || delta === null) throw new TypeError("A delta must be an object.");
  if (!isStamped(delta)) return { ...delta, runId, seq: lastSeq + 1, timestamp: isoTime(now) };
  if (delta.runId !== runId)
    throw new AssemblyError("same-run", delta.seq, `This delta does not belong to run "${runId}".`);
  if (!Number.isSafeInteger(delta.seq) || delta.seq <= lastSeq || delta.seq < 0) {
    throw new AssemblyError("seq-increasing", delta.seq, `\`seq\` ${delta.seq} must be larger than ${lastSeq}.`);
  }
  if (typeof delta.timestamp !== "string") throw new TypeError("The `timestamp` of a delta must be a string.");
  return delta;
}

/** True if the delta has a `seq` or a `runId`. It must then have all fields of a stamped delta. */
export function isStamped(delta: Delta | MessageDelta): delta is MessageDelta {
  return ("seq" in delta && delta.seq !== undefined) || ("runId" in delta && delta.runId !== undefined);
}
