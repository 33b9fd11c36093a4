// Reads the messages of a path in batches, and the complete tree of a thread.
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { StoredMessage } from "../../model/message.ts";
import type { BlobMode } from "../blobs/index.ts";
import { readMessages } from "./message-body.ts";
import { requireCount, requireName } from "../check-arguments.ts";
import { unknownMessage } from "./insert-chain.ts";
import { activeLeaf } from "./active-leaf.ts";
import { followParents, findOnPath, firstReadSize, findHeader, nextReadSize } from "./paths.ts";
import type { LedgerScope } from "../scope.ts";
import { runAsync } from "../store/steps.ts";
import type { ThreadKey } from "../store/contract.ts";
import { requireThreadHead, toThreadKey } from "../threads/threads.ts";
import type { TranscriptOptions, Tree } from "../types.ts";

/** The maximum number of rows per read. After a full read, the code yields to the event loop. */
const READ_SIZE = 1000;

export async function readTranscript(
  scope: LedgerScope,
  threadId: string,
  options: TranscriptOptions = {},
): Promise<StoredMessage[]> {
  const key = toThreadKey(scope, threadId);
  const limit = options.limit === undefined ? Number.POSITIVE_INFINITY : requireCount(options.limit, "limit");
  const leaf = await findBranchLeaf(scope, key, options.branch);
  const from = options.before === undefined ? leaf : await requireParentOnPath(scope, key, leaf, options.before);
  const messages: StoredMessage[] = [];
  if (limit === 0) return messages;
  for await (const chunk of readPathUp(scope, key, from, { limit, blobs: options.blobs ?? "inline" })) {
    for (const message of chunk) if (messages.length < limit) messages.push(message);
    if (messages.length === limit) break;
  }
  return messages.reverse();
}

/**
 * Returns the id of the last message of a branch: the active leaf for "active", otherwise the message whose id is
 * `branch`. Throws "unknown-message" if that message does not exist.
 */
export async function findBranchLeaf(scope: LedgerScope, key: ThreadKey, branch = "active"): Promise<string | null> {
  const head = await requireThreadHead(scope, key);
  if (branch === "active") return activeLeaf(head);
  const header = await runAsync(findHeader(scope.store.reads, key, requireName(branch, "branch")));
  if (header === undefined) throw unknownMessage(branch, "branch");
  return header.id;
}

async function requireParentOnPath(
  scope: LedgerScope,
  key: ThreadKey,
  leaf: string | null,
  before: string,
): Promise<string | null> {
  const header = await runAsync(findOnPath(scope.store.reads, key, leaf, requireName(before, "before")));
  if (header === undefined) throw unknownMessage(before, "before");
  return header.parentId;
}

/** The options of `readPathUp`. */
export interface PathReadOptions {
  /** The number of messages that the caller needs; the first read is not larger. Default: all. */
  limit?: number;
  /** The way contents in blobs are returned. Default "inline". */
  blobs?: BlobMode;
}

/** Yields the messages of a path from its leaf up to the root, newest first, in batches. */
export async function* readPathUp(
  scope: LedgerScope,
  key: ThreadKey,
  from: string | null,
  { limit = Number.POSITIVE_INFINITY, blobs = "inline" }: PathReadOptions = {},
): AsyncGenerator<StoredMessage[], void, void> {
  let nextId = from;
  let size = firstReadSize(limit);
  while (nextId !== null) {
    const read = await scope.store.reads.messages(key, { upTo: nextId, order: "desc", limit: size });
    const { rows, next, missing } = followParents(read, nextId);
    if (rows.length > 0) yield await readMessages(scope, rows, blobs);
    if (missing) return reportMissingParent(scope, key, next);
    if (read.length >= READ_SIZE) await yieldToEventLoop();
    size = nextReadSize(size, rows.length, read.length);
    nextId = next;
  }
}

/** Reports a missing parent; the messages above it cannot be reached (B91). */
async function reportMissingParent(scope: LedgerScope, key: ThreadKey, messageId: string | null): Promise<void> {
  // If the thread was deleted during the read, this throws "unknown-thread" and no problem is reported.
  await requireThreadHead(scope, key);
  const reason = "The message is missing; the messages before it cannot be reached.";
  scope.report({ threadId: key.threadId, messageId: messageId ?? "", reason });
}

export async function readTree(scope: LedgerScope, threadId: string): Promise<Tree> {
  const key = toThreadKey(scope, threadId);
  const head = await requireThreadHead(scope, key);
  const messages: StoredMessage[] = [];
  // Messages that are written during the read are excluded, so that the messages match the active leaf of `head`.
  const upTo = head.newestMessageId ?? "";
  for (let after = ""; after < upTo;) {
    const rows = await scope.store.reads.messages(key, { after, upTo, limit: READ_SIZE });
    for (const message of await readMessages(scope, rows)) messages.push(message);
    const last = rows.at(-1);
    // If there are no more rows, the remaining messages up to `upTo` were deleted during the read.
    if (last === undefined) break;
    if (rows.length === READ_SIZE) await yieldToEventLoop();
    after = last.id;
  }
  return { messages, activeLeafId: activeLeaf(head) };
}
