// The end of a thread in one read: as a rule the message that a history was last known to end with is among the newest, and
// both what follows it and what stands above it are needed.
import type { MessageHeader, MessageRow } from "../rows.ts";
import type { LedgerReads } from "../store.ts";

/** The fewest and the most rows that are read. */
const LEAST = 8;
const MOST = 256;

/** What lies around a message; empty where it is not among the newest of its thread. */
export interface Around {
  /** All that came after it, newest first. */
  after?: MessageRow[];
  /** The message, and what came before it, newest first. */
  from?: MessageRow[];
}

/** `length` is that of the history: about as much is stored of it. */
export async function readAround(reads: LedgerReads, header: MessageHeader, length: number): Promise<Around> {
  const { tenant, threadId, id } = header;
  const limit = Math.min(length + LEAST, MOST);
  const rows = await reads.messages({ tenant, threadId }, { order: "down", limit });
  const at = rows.findIndex((row) => row.id === id);
  return at === -1 ? {} : { after: rows.slice(0, at), from: rows.slice(at) };
}
