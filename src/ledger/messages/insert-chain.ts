// Inserts a chain of messages under a parent. All messages except imported ones are written here: appended, committed,
// or salvaged from an interrupted run.
import { copyObject, stringifyJson } from "../../model/json/index.ts";
import type { Message, Metadata, StoredMessage } from "../../model/message.ts";
import { SCHEMA_VERSION } from "../../model/schema-version.ts";
import { writeBlobs, type MessageWithBlobs, needsBlobs, findBlobPath, extractBlobs } from "../blobs/index.ts";
import { encodeBody } from "./message-body.ts";
import { computeDigestsFromHeader, computeDigestsFromPath } from "../identity/message-digests.ts";
import { LedgerError } from "../errors.ts";
import { findHeader } from "./paths.ts";
import type { MessageHeader, MessageRow, ThreadHead } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, isPromise, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import { findLastMessage } from "./last-written.ts";
import { isoTime } from "../iso-time.ts";

/** Messages of which each is the parent of the next. */
export interface MessageChain {
  /** The parent of the first message; null if the first message becomes a root. */
  parentId: string | null;
  /** The header of the parent; undefined if the caller has not read it. */
  parent?: MessageHeader | undefined;
  messages: readonly Message[];
  /** The run that produced the messages. */
  runId?: string;
  /** True if references to missing blobs are allowed: an interrupted turn is stored even if its blobs are missing. */
  allowsMissingBlobs?: boolean;
}

/**
 * Stores a chain and returns the stored messages. The thread must be locked. Updates `head` in place; a pinned active
 * leaf is not moved. Throws "unknown-message" if the parent does not exist.
 */
export function* insertChain(
  scope: LedgerScope,
  tx: LedgerTransaction,
  head: ThreadHead,
  chain: MessageChain,
): Steps<StoredMessage[]> {
  return (yield* writeChain(scope, tx, head, chain)).messages;
}

/** The stored messages of a chain and their rows. */
export interface WrittenChain {
  messages: StoredMessage[];
  rows: MessageRow[];
}

/** Stores a chain like `insertChain`, and also returns the rows. */
export function* writeChain(
  scope: LedgerScope,
  tx: LedgerTransaction,
  head: ThreadHead,
  { parentId, parent: knownParent, messages, runId, allowsMissingBlobs: allowsMissing = false }: MessageChain,
): Steps<WrittenChain> {
  const written: WrittenChain = { messages: [], rows: [] };
  if (messages.length === 0) return written;
  const key = { tenant: head.tenant, threadId: head.id };
  // Most appends need no read. `yield*` is used only where a read is necessary, because entering a generator takes
  // time.
  let parent = parentId === null ? undefined : (knownParent ?? findCachedParent(scope, head, parentId));
  if (parentId !== null) parent ??= yield* readParent(tx, key, parentId);
  let digests = computeDigestsFromHeader(parent, messages);
  if (parent !== undefined) digests ??= yield* computeDigestsFromPath(tx, key, parent, messages);
  const createdAt = isoTime(scope.now());
  let last = head.lastId;
  let previousId = parentId;
  let blobs: Map<string, MessageWithBlobs<Message>> | undefined;
  for (const [index, message] of messages.entries()) {
    const id = scope.nextId(last);
    // The body is serialized before the ids are set, because the row has columns for them. One copy of the message is
    // then enough for the body and for the returned message.
    const content = stampMessage(message, createdAt, runId);
    let body = stringifyJson(content);
    const stored: StoredMessage = Object.assign(content, { id, parentMessageId: previousId });
    if (needsBlobs(body, scope.blobThreshold)) {
      const withBlobs = extractBlobs(stored, scope.blobThreshold);
      body = encodeBody(withBlobs.message);
      (blobs ??= new Map()).set(id, withBlobs);
    }
    written.rows.push({
      tenant: head.tenant,
      threadId: head.id,
      id,
      parentId: previousId,
      runId: runId ?? null,
      role: message.role,
      digest: digests?.[index] ?? "",
      body,
    });
    written.messages.push(stored);
    previousId = last = id;
  }
  const missing = blobs === undefined ? undefined : yield* writeBlobs(scope, tx, key, blobs);
  if (missing !== undefined && !allowsMissing) throw unknownBlob(missing, messages);
  const inserted = tx.insertMessages(written.rows);
  if (isPromise(inserted)) yield* wait(inserted);
  head.lastId = last;
  head.newestMessageId = previousId;
  return written;
}

/**
 * Returns the parent's header from the cache, but only if the parent is the newest message of the thread: `head` was
 * read under the lock of the thread, so this message certainly still exists.
 */
function findCachedParent(scope: LedgerScope, head: ThreadHead, id: string): MessageHeader | undefined {
  return id === head.newestMessageId ? findLastMessage(scope.store, head, id) : undefined;
}

function* readParent(tx: LedgerTransaction, key: ThreadKey, id: string): Steps<MessageHeader> {
  const header = yield* findHeader(tx, key, id);
  if (header === undefined) throw unknownMessage(id, "parentMessageId");
  return header;
}

/** Creates the error for a message that the thread does not have. */
export function unknownMessage(id: string, path: string): LedgerError {
  return new LedgerError("unknown-message", `The thread has no message "${id}".`, { path });
}

/** Creates the error for a reference to a blob that does not exist. */
function unknownBlob(blob: string, messages: readonly Message[]): LedgerError {
  const paths = messages.map(({ parts }, index) => [`/messages/${index}/parts`, findBlobPath(parts, blob)]);
  const path = paths.find(([, inside]) => inside !== undefined)?.join("") ?? "/messages";
  return new LedgerError(
    "unknown-blob",
    `At "${path}": the blob ${blob} does not exist; store it with putBlob() first.`,
    { path },
  );
}

/** A stored message before its id and its parent are set. */
interface StampedMessage extends Omit<StoredMessage, "id" | "parentMessageId"> {
  id: undefined;
  parentMessageId: undefined;
}

/**
 * Returns a copy of the message with the ledger's metadata. The id that the message had before is stored as
 * `metadata["sourceId"]`. If the message was copied from another run, that run's id is stored as
 * `metadata["sourceRunId"]`.
 */
function stampMessage(message: Message, createdAt: string, runId: string | undefined): StampedMessage {
  const metadata: Metadata & { schemaVersion: number } = Object.assign(
    message.metadata === undefined ? {} : copyObject(message.metadata),
    { schemaVersion: SCHEMA_VERSION },
  );
  // A message with `parentMessageId` was copied from a ledger. If it has a `sourceId`, it was a copy there, too: the
  // `sourceId` is the id of the first original and is not replaced.
  const isCopy = "parentMessageId" in message && metadata["sourceId"] !== undefined;
  if (message.id !== undefined && !isCopy) metadata["sourceId"] = message.id;
  // A run id other than `runId` belongs to the thread or ledger that the message was copied from.
  if (metadata.runId !== undefined && metadata.runId !== runId) {
    metadata["sourceRunId"] ??= metadata.runId;
    delete metadata.runId;
  }
  if (runId !== undefined) metadata.runId = runId;
  return Object.assign(copyObject(message), { id: undefined, parentMessageId: undefined, createdAt, metadata });
}
