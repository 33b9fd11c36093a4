// Reads of a thread's messages: the path that ends somewhere, page by page, and the whole tree.
import { setImmediate as otherWork } from "node:timers/promises";
import type { StoredMessage } from "../model/message.ts";
import type { BlobMode } from "./blobs/index.ts";
import { readRows } from "./body.ts";
import { checkCount, checkName } from "./check.ts";
import { unknownMessage } from "./insert.ts";
import { activeLeaf } from "./leaf.ts";
import { climb, findOnPath, firstSize, headerOf, nextSize } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { runLater } from "./steps.ts";
import type { ThreadKey } from "./store.ts";
import { threadHead, threadKey } from "./threads.ts";
import type { TranscriptOptions, Tree } from "./types.ts";

/** Rows that are read at a time, at most: after so many the rest of the process gets its turn. */
const CHUNK = 1000;

export async function transcript(
  scope: Scope,
  threadId: string,
  options: TranscriptOptions = {},
): Promise<StoredMessage[]> {
  const key = threadKey(scope, threadId);
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : checkCount(options.limit, "limit");
  const leaf = await branchLeaf(scope, key, options.branch);
  const from = options.before === undefined ? leaf : await parentOnPath(scope, key, leaf, options.before);
  const messages: StoredMessage[] = [];
  if (limit === 0) return messages;
  for await (const chunk of messagesUp(scope, key, from, { limit, blobs: options.blobs ?? "inline" })) {
    for (const message of chunk) if (messages.length < limit) messages.push(message);
    if (messages.length === limit) break;
  }
  return messages.reverse();
}

/** Where a branch ends: the active leaf, or the message that names it. */
export async function branchLeaf(scope: Scope, key: ThreadKey, branch = "active"): Promise<string | null> {
  const head = await threadHead(scope, key);
  if (branch === "active") return activeLeaf(head);
  const header = await runLater(headerOf(scope.store.reads, key, checkName(branch, "branch")));
  if (header === undefined) throw unknownMessage(branch, "branch");
  return header.id;
}

async function parentOnPath(scope: Scope, key: ThreadKey, leaf: string | null, before: string): Promise<string | null> {
  const header = await runLater(findOnPath(scope.store.reads, key, leaf, checkName(before, "before")));
  if (header === undefined) throw unknownMessage(before, "before");
  return header.parentId;
}

/** How much of a path will be read, so that no more is asked for, and what becomes of blobs. */
export interface PathRead {
  limit?: number;
  blobs?: BlobMode;
}

/** The messages of a path from its end up to the root, newest first, some at a time. */
export async function* messagesUp(
  scope: Scope,
  key: ThreadKey,
  from: string | null,
  { limit = Number.POSITIVE_INFINITY, blobs = "inline" }: PathRead = {},
): AsyncGenerator<StoredMessage[], void, void> {
  let wanted = from;
  let size = firstSize(limit);
  while (wanted !== null) {
    const read = await scope.store.reads.messages(key, { upTo: wanted, order: "down", limit: size });
    const { rows, next, missing } = climb(read, wanted);
    if (rows.length > 0) yield await readRows(scope, rows, blobs);
    if (missing) return reportMissing(scope, key, next);
    if (read.length >= CHUNK) await otherWork();
    size = nextSize(size, rows.length, read.length);
    wanted = next;
  }
}

/** A message names a parent that is not there: what stood above it cannot be reached, and is said to be missing (B91). */
async function reportMissing(scope: Scope, key: ThreadKey, messageId: string | null): Promise<void> {
  // Unless the whole thread went away while it was read.
  await threadHead(scope, key);
  const reason = "The message is missing, and what stood before it cannot be reached.";
  scope.report({ threadId: key.threadId, messageId: messageId ?? "", reason });
}

export async function tree(scope: Scope, threadId: string): Promise<Tree> {
  const key = threadKey(scope, threadId);
  const head = await threadHead(scope, key);
  const messages: StoredMessage[] = [];
  // Messages that come while this is read are no part of it: the leaf is of this moment too.
  const upTo = head.newestMessageId ?? "";
  for (let after = ""; after < upTo;) {
    const rows = await scope.store.reads.messages(key, { after, upTo, limit: CHUNK });
    for (const message of await readRows(scope, rows)) messages.push(message);
    const last = rows.at(-1);
    // Some may be deleted while this is read.
    if (last === undefined) break;
    if (rows.length === CHUNK) await otherWork();
    after = last.id;
  }
  return { messages, activeLeafId: activeLeaf(head) };
}
