// Ways through the tree. A parent's id is always smaller than its child's, so that the way up to the root is one read
// downwards by id: no recursion, no index of parents, linear in the length of the path.
import type { MessageHeader } from "./rows.ts";
import { got, type Steps } from "./steps.ts";
import type { LedgerReads, ThreadKey } from "./store.ts";

/** How many rows the first read of a walk asks for, and the most that any does. */
const FIRST = 16;
const MOST = 1000;

/** What one read gave for the way up. */
export interface Climb<Row> {
  /** The rows that lie on the way, newest first. */
  rows: Row[];
  /** Where it goes on; null: the root was reached. */
  next: string | null;
  /** Whether `next` is not in the store although a message names it. */
  missing: boolean;
}

/** Follows the parents from `wanted` through rows that were read downwards from it. */
export function climb<Row extends MessageHeader>(read: readonly Row[], wanted: string): Climb<Row> {
  const rows: Row[] = [];
  let next: string | null = wanted;
  for (const row of read) {
    // Larger ones are of other branches.
    if (row.id > next) continue;
    if (row.id < next) return { rows, next, missing: true };
    rows.push(row);
    next = row.parentId;
    if (next === null) break;
  }
  return { rows, next, missing: rows.length === 0 };
}

/** How many rows to read next: more while they lie on the path, fewer while most belong to other branches. */
export function nextSize(size: number, useful: number, read: number): number {
  if (useful * 2 >= read) return Math.min(size * 4, MOST);
  return useful * 8 < read ? Math.max(Math.ceil(size / 4), FIRST) : size;
}

/** How many rows a walk that will need up to `limit` reads first. */
export function firstSize(limit: number): number {
  return Math.min(limit, FIRST);
}

/** The header of a message of the thread. */
export function* headerOf(reads: LedgerReads, key: ThreadKey, id: string): Steps<MessageHeader | undefined> {
  const [header] = yield* got(reads.headers(key, { upTo: id, order: "down", limit: 1 }));
  return header?.id === id ? header : undefined;
}

/** Walks up from a message, calling `visit` with each header until it says false or the root is reached. */
export function* walkUp(
  reads: LedgerReads,
  key: ThreadKey,
  from: string | null,
  visit: (header: MessageHeader) => boolean,
): Steps<void> {
  let wanted = from;
  let size = FIRST;
  while (wanted !== null) {
    const read: MessageHeader[] = yield* got(reads.headers(key, { upTo: wanted, order: "down", limit: size }));
    const { rows, next, missing } = climb(read, wanted);
    for (const row of rows) if (!visit(row)) return;
    if (missing) return;
    size = nextSize(size, rows.length, read.length);
    wanted = next;
  }
}

/** The headers of the path that ends with a message, from that message up to the root. */
export function* pathUp(reads: LedgerReads, key: ThreadKey, leaf: string | null): Steps<MessageHeader[]> {
  const path: MessageHeader[] = [];
  yield* walkUp(reads, key, leaf, (header) => path.push(header) > 0);
  return path;
}

/** The header of `id` where it lies on the path that ends with `leaf`. */
export function* findOnPath(
  reads: LedgerReads,
  key: ThreadKey,
  leaf: string | null,
  id: string,
): Steps<MessageHeader | undefined> {
  let found: MessageHeader | undefined;
  yield* walkUp(reads, key, leaf, (header) => {
    if (header.id === id) found = header;
    return header.id > id;
  });
  return found;
}

/** What leaves the active path when the leaf moves: the path of the old leaf without that of the new one, newest first. */
export function* leaving(
  reads: LedgerReads,
  key: ThreadKey,
  oldLeaf: string | null,
  newLeaf: string | null,
): Steps<MessageHeader[]> {
  const left: MessageHeader[] = [];
  let [old, fresh] = [oldLeaf, newLeaf];
  let size = FIRST;
  // Of the two the larger id goes up, until they meet: from there on the paths are one.
  while (old !== null && old !== fresh) {
    const from: string = fresh !== null && fresh > old ? fresh : old;
    const read: MessageHeader[] = yield* got(reads.headers(key, { upTo: from, order: "down", limit: size }));
    let useful = 0;
    for (const row of read) {
      if (old === fresh) break;
      if (row.id === fresh) fresh = row.parentId;
      else if (row.id === old) {
        left.push(row);
        old = row.parentId;
      } else continue;
      useful++;
    }
    // Nothing where at least `from` should be: the tree is torn here, and what lies beyond cannot be known.
    if (useful === 0) break;
    size = nextSize(size, useful, read.length);
  }
  return left;
}
