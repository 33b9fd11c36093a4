// Reads the end of a thread in one read: the message that a history continues is usually among the newest, and both its
// successors and its ancestors are needed.
import type { MessageHeader, MessageRow } from "../store/rows.ts";
import type { LedgerReads } from "../store/contract.ts";

/** The additional rows beyond the history's length, and the maximum number of rows. */
const MARGIN = 8;
const MAX_ROWS = 256;

/** The rows around a message; empty if it is not among the newest of its thread. */
export interface TailWindow {
  /** The rows after it, newest first. */
  after?: MessageRow[];
  /** The message and the rows before it, newest first. */
  from?: MessageRow[];
}

/** Reads the rows around a message. `length` is that of the history: about as many messages are stored. */
export async function readTailWindow(reads: LedgerReads, header: MessageHeader, length: number): Promise<TailWindow> {
  const { tenant, threadId, id } = header;
  const limit = Math.min(length + MARGIN, MAX_ROWS);
  const rows = await reads.messages({ tenant, threadId }, { order: "desc", limit });
  const at = rows.findIndex((row) => row.id === id);
  return at === -1 ? {} : { after: rows.slice(0, at), from: rows.slice(at) };
}
