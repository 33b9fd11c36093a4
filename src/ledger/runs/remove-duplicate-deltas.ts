// Removes deltas that a caller appends again after a write with an unknown outcome, if the log already contains them.
import type { Delta, MessageDelta } from "../../model/index.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerReads } from "../store/contract.ts";
import { toThreadKeyOfRun } from "./run-info.ts";
import { decodeBatch, encodeDelta } from "./log-bodies.ts";
import { isStamped } from "./stamp-deltas.ts";

const ROWS_PER_READ = 16;

/**
 * Returns the deltas without the deltas that the log already contains unchanged. `since` is the last `seq` that was
 * known to be written. Deltas up to `since`, and deltas that differ from the logged delta with the same `seq`, are
 * returned; the writer rejects them.
 */
export async function removeDuplicateDeltas(
  reads: LedgerReads,
  row: RunRow,
  since: number,
  deltas: readonly (Delta | MessageDelta)[],
): Promise<readonly (Delta | MessageDelta)[]> {
  const candidates = deltas.filter((delta) => readSeq(delta) > since && readSeq(delta) <= row.lastSeq);
  if (candidates.length === 0) return deltas;
  const logged = await readDeltasSince(reads, row, since);
  return deltas.filter((delta) => {
    const seq = readSeq(delta);
    const loggedText = seq > since ? logged.get(seq) : undefined;
    // The cast is safe, because a delta with a logged text has a `seq`.
    return loggedText === undefined || loggedText !== toComparableText(delta as MessageDelta);
  });
}

function readSeq(delta: Delta | MessageDelta): number {
  const hasSeq = typeof delta === "object" && delta !== null && isStamped(delta);
  return hasSeq && Number.isSafeInteger(delta.seq) ? delta.seq : -1;
}

function toComparableText(delta: MessageDelta): string {
  const { timestamp, json } = encodeDelta(delta);
  return JSON.stringify([delta.runId, timestamp, json]);
}

/**
 * Returns the text of each logged delta after `since` (from `toComparableText`), by `seq`. Reads the log backwards from
 * its end.
 */
async function readDeltasSince(reads: LedgerReads, row: RunRow, since: number): Promise<Map<number, string>> {
  const written = new Map<number, string>();
  for (let upTo = row.lastDeltaId; upTo !== null;) {
    const rows = await reads.log(toThreadKeyOfRun(row), {
      runId: row.id,
      after: row.id,
      upTo,
      order: "desc",
      limit: ROWS_PER_READ,
    });
    const deltas = rows.flatMap(({ kind, body }) => (kind === "delta" ? decodeBatch(row.id, body) : []));
    for (const delta of deltas) if (delta.seq > since) written.set(delta.seq, toComparableText(delta));
    const last = rows.at(-1);
    const isEnough = deltas.some(({ seq }) => seq <= since + 1);
    // `upTo` is inclusive, so the next read returns the last row again: the id directly before that row is unknown.
    upTo = isEnough || last === undefined || rows.length < ROWS_PER_READ ? null : last.id;
  }
  return written;
}
