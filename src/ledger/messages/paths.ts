// Reads paths in the tree of messages. The id of a parent is always smaller than the ids of its children, so a path up
// to the root is one descending read by id. This read needs no recursion and no parent index, and takes time linear in
// the number of rows.
import type { MessageHeader } from "../store/rows.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerReads, ThreadKey } from "../store/contract.ts";

/** The number of rows of the first read of a walk. */
const FIRST_READ_SIZE = 16;
/** The maximum number of rows of any read of a walk. */
const MAX_READ_SIZE = 1000;

/** The rows of one read that lie on the path, without the rows of other branches. */
export interface PathRows<Row> {
  /** The rows on the path, newest first. */
  rows: Row[];
  /** The id of the next message on the path; null if the root was reached. */
  next: string | null;
  /** True if the message `next` does not exist, although it is the start of the walk or the parent of a message. */
  missing: boolean;
}

/**
 * Selects the rows on the path from `startId` up to the root. `read` contains rows in descending order, beginning at
 * `startId`.
 */
export function followParents<Row extends MessageHeader>(read: readonly Row[], startId: string): PathRows<Row> {
  const rows: Row[] = [];
  let next: string | null = startId;
  for (const row of read) {
    // A row with a larger id than the next message of the path belongs to another branch.
    if (row.id > next) continue;
    if (row.id < next) return { rows, next, missing: true };
    rows.push(row);
    next = row.parentId;
    if (next === null) break;
  }
  return { rows, next, missing: rows.length === 0 };
}

/**
 * Returns the size of the next read: larger if most of the `read` rows were `useful`, that is, on the path; smaller if
 * most belonged to other branches.
 */
export function nextReadSize(size: number, useful: number, read: number): number {
  if (useful * 2 >= read) return Math.min(size * 4, MAX_READ_SIZE);
  return useful * 8 < read ? Math.max(Math.ceil(size / 4), FIRST_READ_SIZE) : size;
}

/** Returns the size of the first read of a walk that needs at most `limit` rows. */
export function firstReadSize(limit: number): number {
  return Math.min(limit, FIRST_READ_SIZE);
}

/** Finds the header of a message; returns undefined if the thread has no message with this id. */
export function* findHeader(reads: LedgerReads, key: ThreadKey, id: string): Steps<MessageHeader | undefined> {
  const [header] = yield* wait(reads.headers(key, { upTo: id, order: "desc", limit: 1 }));
  return header?.id === id ? header : undefined;
}

/** Walks up from a message and calls `visit` with each header, until `visit` returns false or the root is reached. */
export function* walkUp(
  reads: LedgerReads,
  key: ThreadKey,
  from: string | null,
  visit: (header: MessageHeader) => boolean,
): Steps<void> {
  let nextId = from;
  let size = FIRST_READ_SIZE;
  while (nextId !== null) {
    const read: MessageHeader[] = yield* wait(reads.headers(key, { upTo: nextId, order: "desc", limit: size }));
    const { rows, next, missing } = followParents(read, nextId);
    for (const row of rows) if (!visit(row)) return;
    if (missing) return;
    size = nextReadSize(size, rows.length, read.length);
    nextId = next;
  }
}

/** Reads the headers of the path that ends with a message, from that message up to the root. */
export function* readPath(reads: LedgerReads, key: ThreadKey, leaf: string | null): Steps<MessageHeader[]> {
  const path: MessageHeader[] = [];
  yield* walkUp(reads, key, leaf, (header) => path.push(header) > 0);
  return path;
}

/** Finds the header of the message `id`; returns undefined if the message is not on the path that ends with `leaf`. */
export function* findOnPath(
  reads: LedgerReads,
  key: ThreadKey,
  leaf: string | null,
  id: string,
): Steps<MessageHeader | undefined> {
  let match: MessageHeader | undefined;
  yield* walkUp(reads, key, leaf, (header) => {
    if (header.id === id) match = header;
    return header.id > id;
  });
  return match;
}

/**
 * Returns the messages that leave the active path when the leaf moves: the path of the old leaf without the path of the
 * new leaf, newest first.
 */
export function* findLeavingMessages(
  reads: LedgerReads,
  key: ThreadKey,
  oldLeaf: string | null,
  newLeaf: string | null,
): Steps<MessageHeader[]> {
  const leavingHeaders: MessageHeader[] = [];
  let [old, fresh] = [oldLeaf, newLeaf];
  let size = FIRST_READ_SIZE;
  // The larger of the two ids is replaced by its parent until both are equal. From that message up, the two paths are
  // identical.
  while (old !== null && old !== fresh) {
    const from: string = fresh !== null && fresh > old ? fresh : old;
    const read: MessageHeader[] = yield* wait(reads.headers(key, { upTo: from, order: "desc", limit: size }));
    let useful = 0;
    for (const row of read) {
      if (old === fresh) break;
      if (row.id === fresh) fresh = row.parentId;
      else if (row.id === old) {
        leavingHeaders.push(row);
        old = row.parentId;
      } else continue;
      useful++;
    }
    // No row of the read is on either path, so the message `from` is missing and its ancestors cannot be found.
    if (useful === 0) break;
    size = nextReadSize(size, useful, read.length);
  }
  return leavingHeaders;
}
