// Makes deltas that a writer is given part of its run: bare ones get their place and time, stamped ones must be in order.
import { AssemblyError } from "../../assembly/index.ts";
import type { Delta, MessageDelta } from "../../model/index.ts";
import { LedgerError } from "../errors.ts";
import { isoTime } from "../times.ts";
import { writeDelta, type WrittenDelta } from "./log.ts";
import { ownDelta } from "./own.ts";

/** A batch that was looked at, and its text. */
interface StampedBatch {
  deltas: MessageDelta[];
  written: WrittenDelta[];
  /** Characters. */
  size: number;
  lastSeq: number;
}

/** The refusal of a whole batch, for the sake of one delta. */
export function refusal(index: number, cause: unknown): unknown {
  const path = `/deltas/${index}`;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new LedgerError("invalid-input", `At "${path}": ${reason} Nothing of this batch was taken.`, { path, cause });
}

/** Stamps and writes down a batch; nothing is changed by it. Throws where one of them cannot be part of the run. */
export function stampBatch(
  deltas: readonly (Delta | MessageDelta)[],
  { runId, lastSeq, now }: { runId: string; lastSeq: number; now: number },
): StampedBatch {
  if (!Array.isArray(deltas)) throw new LedgerError("invalid-input", "The deltas must be a list.", { path: "/deltas" });
  const batch: StampedBatch = { deltas: [], written: [], size: 0, lastSeq };
  for (const [index, delta] of deltas.entries()) {
    try {
      const stamped = stampDelta(delta, runId, batch.lastSeq, now);
      const written = writeDelta(stamped);
      batch.deltas.push(ownDelta(stamped, written.json));
      batch.written.push(written);
      batch.size += written.json.length;
      batch.lastSeq = stamped.seq;
    } catch (error) {
      throw refusal(index, error);
    }
  }
  return batch;
}

function stampDelta(delta: Delta | MessageDelta, runId: string, lastSeq: number, now: number): MessageDelta {
  if (typeof delta !== "object" || delta === null) throw new TypeError("A delta must be an object.");
  if (!isStamped(delta)) return { ...delta, runId, seq: lastSeq + 1, timestamp: isoTime(now) };
  if (delta.runId !== runId) throw new AssemblyError("same-run", delta.seq, `This delta is not of run "${runId}".`);
  if (!Number.isSafeInteger(delta.seq) || delta.seq <= lastSeq || delta.seq < 0) {
    throw new AssemblyError("seq-increasing", delta.seq, `\`seq\` ${delta.seq} comes after ${lastSeq}.`);
  }
  if (typeof delta.timestamp !== "string") throw new TypeError("The `timestamp` of a delta must be a string.");
  return delta;
}

/** Either of the two makes it one; then it must have all. */
export function isStamped(delta: Delta | MessageDelta): delta is MessageDelta {
  return ("seq" in delta && delta.seq !== undefined) || ("runId" in delta && delta.runId !== undefined);
}
