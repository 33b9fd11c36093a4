// Writes messages one after the other under a parent: the one way in for messages, whether appended, committed or saved
// from a broken run.
import { copyObject, stringifyJson } from "../model/json.ts";
import type { Message, Metadata, StoredMessage } from "../model/message.ts";
import { SCHEMA_VERSION } from "../model/version.ts";
import { holdBlobs, type LightMessage, needsBlobs, pathOfBlob, takeBlobs } from "./blobs/index.ts";
import { encodeBody } from "./body.ts";
import { quickDigests, readDigests } from "./digests.ts";
import { LedgerError } from "./errors.ts";
import { headerOf } from "./paths.ts";
import type { MessageHeader, MessageRow, ThreadHead } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { got, isPromise, type Steps } from "./steps.ts";
import type { LedgerTransaction, ThreadKey } from "./store.ts";
import { keptTail } from "./tails.ts";
import { isoTime } from "./times.ts";

/** Messages that follow each other. */
export interface Chain {
  /** null: the first becomes a root. */
  parentId: string | null;
  /** The parent, where the caller knows it. */
  parent?: MessageHeader | undefined;
  messages: readonly Message[];
  /** The run that made them. */
  runId?: string;
  /** Whether they may name blobs that are not there: what is saved from a broken run is not refused for it. */
  isRest?: boolean;
}

/**
 * Stores a chain and gives it back as it was stored. The thread must be locked; the head is brought up to date in place,
 * and the active leaf is for the caller to move. An unknown parent is refused.
 */
export function* insertChain(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  chain: Chain,
): Steps<StoredMessage[]> {
  return (yield* writeChain(scope, tx, head, chain)).messages;
}

export interface WrittenChain {
  messages: StoredMessage[];
  rows: MessageRow[];
}

/** `insertChain`, with the rows. */
export function* writeChain(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  { parentId, parent: known, messages, runId, isRest = false }: Chain,
): Steps<WrittenChain> {
  const written: WrittenChain = { messages: [], rows: [] };
  if (messages.length === 0) return written;
  const key = { tenant: head.tenant, threadId: head.id };
  // Generators are entered only where there is something to wait for: most appends have all they need.
  let parent = parentId === null ? undefined : (known ?? keptParent(scope, head, parentId));
  if (parentId !== null) parent ??= yield* readParent(tx, key, parentId);
  let digests = quickDigests(parent, messages);
  if (parent !== undefined) digests ??= yield* readDigests(tx, key, parent, messages);
  const createdAt = isoTime(scope.now());
  let last = head.lastId;
  let above = parentId;
  let blobs: Map<string, LightMessage<Message>> | undefined;
  for (const [index, message] of messages.entries()) {
    const id = scope.nextId(last);
    // Written before it has its id, which stands in a column: one copy of the message serves both.
    const content = stamped(message, createdAt, runId);
    let body = stringifyJson(content);
    const stored: StoredMessage = Object.assign(content, { id, parentMessageId: above });
    if (needsBlobs(body, scope.blobThreshold)) {
      const light = takeBlobs(stored, scope.blobThreshold);
      body = encodeBody(light.message);
      (blobs ??= new Map()).set(id, light);
    }
    written.rows.push({
      tenant: head.tenant,
      threadId: head.id,
      id,
      parentId: above,
      runId: runId ?? null,
      role: message.role,
      digest: digests?.[index] ?? "",
      body,
    });
    written.messages.push(stored);
    above = last = id;
  }
  const missing = blobs === undefined ? undefined : yield* holdBlobs(scope, tx, key, blobs);
  if (missing !== undefined && !isRest) throw unknownBlob(missing, messages);
  const inserted = tx.insertMessages(written.rows);
  if (isPromise(inserted)) yield* got(inserted);
  head.lastId = last;
  head.newestMessageId = above;
  return written;
}

/** The parent's header, where it is known without reading. That the newest message is there, the head says. */
function keptParent(scope: Scope, head: ThreadHead, id: string): MessageHeader | undefined {
  return id === head.newestMessageId ? keptTail(scope.store, head, id) : undefined;
}

function* readParent(tx: LedgerTransaction, key: ThreadKey, id: string): Steps<MessageHeader> {
  const header = yield* headerOf(tx, key, id);
  if (header === undefined) throw unknownMessage(id, "parentMessageId");
  return header;
}

/** The error for a message that the thread does not have. */
export function unknownMessage(id: string, path: string): LedgerError {
  return new LedgerError("unknown-message", `The thread has no message "${id}".`, { path });
}

/** The error for a blob that messages name and nobody has put. */
function unknownBlob(blob: string, messages: readonly Message[]): LedgerError {
  const paths = messages.map(({ parts }, index) => [`/messages/${index}/parts`, pathOfBlob(parts, blob)]);
  const path = paths.find(([, inside]) => inside !== undefined)?.join("") ?? "/messages";
  return new LedgerError("unknown-blob", `At "${path}": there is no blob ${blob}; put it first.`, { path });
}

/** A message as it is stored, but for its place in the tree. */
interface Content extends Omit<StoredMessage, "id" | "parentMessageId"> {
  id: undefined;
  parentMessageId: undefined;
}

/**
 * The message with the ledger's facts. Copies only what changes; the id it came with is kept as `metadata["sourceId"]`,
 * a run that did not make it here as `metadata["sourceRunId"]`.
 */
function stamped(message: Message, createdAt: string, runId: string | undefined): Content {
  const metadata: Metadata & { schemaVersion: number } = Object.assign(
    message.metadata === undefined ? {} : copyObject(message.metadata),
    { schemaVersion: SCHEMA_VERSION },
  );
  // One from another ledger has its source on record already.
  const isCopy = "parentMessageId" in message && metadata["sourceId"] !== undefined;
  if (message.id !== undefined && !isCopy) metadata["sourceId"] = message.id;
  // A run of the thread or ledger that the message was copied from did not make it here.
  if (metadata.runId !== undefined && metadata.runId !== runId) {
    metadata["sourceRunId"] ??= metadata.runId;
    delete metadata.runId;
  }
  if (runId !== undefined) metadata.runId = runId;
  return Object.assign(copyObject(message), { id: undefined, parentMessageId: undefined, createdAt, metadata });
}
