// Reads the newest messages of a thread in one read. The message that a history continues is usually among them, and
// both its successors and its ancestors are needed.
import type { MessageHeader, MessageRow } from "../store/rows.ts";
import type { LedgerReads } from "../store/contract.ts";

/** The number of rows that are read in addition to the history's length. */
const MARGIN = 8;
/** The maximum number of rows that are read. */
const MAX_ROWS = 256;

/** The rows around a message; both fields are missing if the message is not among the newest of its thread. */
export interface TailWindow {
  /** The rows after the message, newest first. */
  after?: MessageRow[];
  /** The message and the rows before it, newest first. */
  from?: MessageRow[];
}

/**
 * Reads the rows around a message. `length` is the length of the history, which is about the number of messages that
 * are needed.
 */
export async function readTailWindow(reads: LedgerReads, header: MessageHeader, length: number): Promise<TailWindow> {
  const { tenant, threadId, id } = header;
  const limit = Math.min(length + MARGIN, MAX_ROWS);
  const rows = await reads.messages({ tenant, threadId }, { order: "desc", limit });
  const at = rows.findIndex((row) => row.id === id);
  return at === -1 ? {} : { after: rows.slice(0, at), from: rows.slice(at) };
}
