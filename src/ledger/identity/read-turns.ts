// Reads the last turns of a path as complete messages within a transaction, for the digests of new messages. Blobs are
// read with `Steps` instead of promises, because a synchronous store cannot wait for promises.
import type { Message, StoredMessage } from "../../model/message.ts";
import { readMarker, findStringPosition, type ExtractedString, decodeText } from "../blobs/index.ts";
import { decodeRow } from "../messages/message-body.ts";
import { isBlankMarker } from "./digest-markers.ts";
import { followParents, type PathRows, nextReadSize } from "../messages/paths.ts";
import type { MessageHeader, MessageRow } from "../store/rows.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerReads, ThreadKey } from "../store/contract.ts";

/**
 * The number of rows of the first read. It is small, because turns are usually short: most reads need one or two rows.
 */
const FIRST_READ_SIZE = 4;

/** The messages between the start of the read and the row at which it ended. */
export interface ReadTurns {
  /** The messages, oldest first. */
  messages: Message[];
  /** The row at which the read ended, which is not included; undefined if the read reached the root. */
  end: MessageHeader | undefined;
}

/**
 * Reads messages from `from` upwards until `isEnd` returns true. `isEnd` is called with a row and the nearest row below
 * it that is not blank.
 */
export function* readTurnsAbove(
  reads: LedgerReads,
  key: ThreadKey,
  from: string,
  isEnd: (row: MessageHeader, below: MessageHeader) => boolean,
): Steps<ReadTurns> {
  const messages: Message[] = [];
  let below: MessageRow | undefined;
  let nextId: string | null = from;
  let size = FIRST_READ_SIZE;
  while (nextId !== null) {
    const read: MessageRow[] = yield* wait(reads.messages(key, { upTo: nextId, order: "desc", limit: size }));
    const { rows, next, missing }: PathRows<MessageRow> = followParents(read, nextId);
    for (const row of rows) {
      if (below !== undefined && isEnd(row, below)) return { messages: messages.reverse(), end: row };
      const message = yield* readWholeMessage(reads, key, row);
      if (message !== undefined) messages.push(message);
      if (!isBlankMarker(row.digest)) below = row;
    }
    if (missing) break;
    size = nextReadSize(size, rows.length, read.length);
    nextId = next;
  }
  return { messages: messages.reverse(), end: undefined };
}

/**
 * Returns the message of a row with its blobs restored; undefined if the row cannot be read. A digest does not cover
 * unreadable messages; they are reported when a transcript is read.
 */
function* readWholeMessage(reads: LedgerReads, { tenant }: ThreadKey, row: MessageRow): Steps<Message | undefined> {
  let message: StoredMessage;
  try {
    message = decodeRow(row);
  } catch {
    return undefined;
  }
  for (const extracted of readMarker(message)?.strings ?? []) {
    const position = findStringPosition(message, extracted.at);
    const text = yield* readBlobText(reads, tenant, extracted);
    if (position !== undefined && text !== undefined) position.container[position.step] = text;
  }
  return message;
}

function* readBlobText(reads: LedgerReads, tenant: string, { blob, as }: ExtractedString): Steps<string | undefined> {
  const row = yield* wait(reads.blob(tenant, blob));
  if (row === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for (let position = 0, size = 0; size < row.size; position++) {
    const chunk = yield* wait(reads.chunk(tenant, row.blobId, position));
    if (chunk === undefined) return undefined;
    chunks.push(chunk.bytes);
    size += chunk.bytes.length;
  }
  return decodeText(Buffer.concat(chunks), as);
}
