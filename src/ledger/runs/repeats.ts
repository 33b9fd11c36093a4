// Deltas that a writer is given a second time, because nobody could say whether the first time was written.
import type { Delta, MessageDelta } from "../../model/index.ts";
import type { RunRow } from "../rows.ts";
import type { LedgerReads } from "../store.ts";
import { threadOf } from "./info.ts";
import { readBatch, writeDelta } from "./log.ts";
import { isStamped } from "./stamp.ts";

const ROWS = 16;

/**
 * The deltas without those that are in the log as they are. `since` is the last `seq` that was known to be written;
 * deltas up to it, and others than those in the log, are left for the writer to refuse.
 */
export async function withoutRepeats(
  reads: LedgerReads,
  row: RunRow,
  since: number,
  deltas: readonly (Delta | MessageDelta)[],
): Promise<readonly (Delta | MessageDelta)[]> {
  const doubtful = deltas.filter((delta) => seqOf(delta) > since && seqOf(delta) <= row.lastSeq);
  if (doubtful.length === 0) return deltas;
  const written = await writtenSince(reads, row, since);
  return deltas.filter((delta) => {
    const seq = seqOf(delta);
    const before = seq > since ? written.get(seq) : undefined;
    return before === undefined || before !== textOf(delta as MessageDelta); // it has a seq
  });
}

function seqOf(delta: Delta | MessageDelta): number {
  const isOne = typeof delta === "object" && delta !== null && isStamped(delta);
  return isOne && Number.isSafeInteger(delta.seq) ? delta.seq : -1;
}

function textOf(delta: MessageDelta): string {
  const { timestamp, json } = writeDelta(delta);
  return JSON.stringify([delta.runId, timestamp, json]);
}

/** The texts of the deltas after a `seq`, from the end of the log back to it. */
async function writtenSince(reads: LedgerReads, row: RunRow, since: number): Promise<Map<number, string>> {
  const written = new Map<number, string>();
  for (let upTo = row.lastDeltaId; upTo !== null;) {
    const rows = await reads.log(threadOf(row), { runId: row.id, after: row.id, upTo, order: "down", limit: ROWS });
    const deltas = rows.flatMap(({ kind, body }) => (kind === "delta" ? readBatch(row.id, body) : []));
    for (const delta of deltas) if (delta.seq > since) written.set(delta.seq, textOf(delta));
    const last = rows.at(-1);
    const isEnough = deltas.some(({ seq }) => seq <= since + 1);
    // That row is read once more: there is no key right before it.
    upTo = isEnough || last === undefined || rows.length < ROWS ? null : last.id;
  }
  return written;
}
