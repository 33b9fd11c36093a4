// The end of a path as whole messages, read within a transaction: what a new message's identity builds on. Blobs are put
// back in steps, because a store that answers at once cannot wait for promises.
import type { Message, StoredMessage } from "../model/message.ts";
import { markerOf, placeOf, type TakenString, textOf } from "./blobs/index.ts";
import { decodeRow } from "./body.ts";
import { isSilentMark } from "./identity/marks.ts";
import { climb, type Climb, nextSize } from "./paths.ts";
import type { MessageHeader, MessageRow } from "./rows.ts";
import { got, type Steps } from "./steps.ts";
import type { LedgerReads, ThreadKey } from "./store.ts";

/** Turns are short as a rule: most reads need one or two rows. */
const FIRST = 4;

/** The rows from a message up to the first one for which `isEnd` says so. */
export interface TurnsAbove {
  /** Oldest first. */
  messages: Message[];
  /** Where it ended; undefined at the root. */
  end: MessageHeader | undefined;
}

/** Reads up from a message until a row is the end of what is needed, given the next row below it that says something. */
export function* turnsAbove(
  reads: LedgerReads,
  key: ThreadKey,
  from: string,
  isEnd: (row: MessageHeader, below: MessageHeader) => boolean,
): Steps<TurnsAbove> {
  const messages: Message[] = [];
  let below: MessageRow | undefined;
  let wanted: string | null = from;
  let size = FIRST;
  while (wanted !== null) {
    const read: MessageRow[] = yield* got(reads.messages(key, { upTo: wanted, order: "down", limit: size }));
    const { rows, next, missing }: Climb<MessageRow> = climb(read, wanted);
    for (const row of rows) {
      if (below !== undefined && isEnd(row, below)) return { messages: messages.reverse(), end: row };
      const message = yield* wholeMessage(reads, key, row);
      if (message !== undefined) messages.push(message);
      if (!isSilentMark(row.digest)) below = row;
    }
    if (missing) break;
    size = nextSize(size, rows.length, read.length);
    wanted = next;
  }
  return { messages: messages.reverse(), end: undefined };
}

/** Undefined where the row cannot be read: what is lost has no part in an identity, and whoever reads it is told. */
function* wholeMessage(reads: LedgerReads, { tenant }: ThreadKey, row: MessageRow): Steps<Message | undefined> {
  let message: StoredMessage;
  try {
    message = decodeRow(row);
  } catch {
    return undefined;
  }
  for (const taken of markerOf(message)?.strings ?? []) {
    const place = placeOf(message, taken.at);
    const text = yield* blobText(reads, tenant, taken);
    if (place !== undefined && text !== undefined) place.container[place.step] = text;
  }
  return message;
}

function* blobText(reads: LedgerReads, tenant: string, { blob, as }: TakenString): Steps<string | undefined> {
  const row = yield* got(reads.blob(tenant, blob));
  if (row === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for (let position = 0, size = 0; size < row.size; position++) {
    const chunk = yield* got(reads.chunk(tenant, row.blobId, position));
    if (chunk === undefined) return undefined;
    chunks.push(chunk.bytes);
    size += chunk.bytes.length;
  }
  return textOf(Buffer.concat(chunks), as);
}
