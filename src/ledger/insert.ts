// Writes messages one after the other under a parent: the one way in for messages, whether appended, committed or saved
// from a broken run.
import { copyObject } from "../model/json.ts";
import type { Message, Metadata, StoredMessage } from "../model/message.ts";
import { SCHEMA_VERSION } from "../model/version.ts";
import { needsBlobs, storeBlobs } from "./blobs/index.ts";
import { encodeBody } from "./body.ts";
import { chainDigests } from "./digests.ts";
import { LedgerError } from "./errors.ts";
import { headerOf } from "./paths.ts";
import type { MessageRow, ThreadHead } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { got, type Steps } from "./steps.ts";
import type { LedgerTransaction } from "./store.ts";
import { isoTime } from "./times.ts";

/** Messages that follow each other. */
export interface Chain {
  /** null: the first becomes a root. */
  parentId: string | null;
  messages: readonly Message[];
  /** The run that made them. */
  runId?: string;
}

/**
 * Stores a chain and gives it back as it was stored. The thread must be locked; the head is brought up to date in place,
 * and the active leaf is for the caller to move. An unknown parent is refused.
 */
export function* insertChain(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  { parentId, messages, runId }: Chain,
): Steps<StoredMessage[]> {
  if (messages.length === 0) return [];
  const key = { tenant: head.tenant, threadId: head.id };
  const parent = parentId === null ? undefined : yield* headerOf(tx, key, parentId);
  if (parentId !== null && parent === undefined) throw unknownMessage(parentId, "parentMessageId");
  const digests = yield* chainDigests(tx, key, parent, messages);
  const createdAt = isoTime(scope.now());
  const chain: StoredMessage[] = [];
  const rows: MessageRow[] = [];
  let last = head.lastId;
  let above = parentId;
  for (const [index, message] of messages.entries()) {
    const id = scope.nextId(last);
    const stored = stamped(message, id, above, createdAt, runId);
    let body = encodeBody(stored);
    if (needsBlobs(body, scope.blobThreshold)) body = encodeBody(yield* storeBlobs(scope, tx, key, id, stored));
    const { role } = message;
    rows.push({ ...key, id, parentId: above, runId: runId ?? null, role, digest: digests[index] ?? "", body });
    chain.push(stored);
    above = last = id;
  }
  yield* got(tx.insertMessages(rows));
  head.lastId = last;
  head.newestMessageId = above;
  return chain;
}

/** The error for a message that the thread does not have. */
export function unknownMessage(id: string, path: string): LedgerError {
  return new LedgerError("unknown-message", `The thread has no message "${id}".`, { path });
}

/** The message with the ledger's facts. Copies only what changes; the id it came with is kept as `metadata.sourceId`. */
function stamped(
  message: Message,
  id: string,
  parentMessageId: string | null,
  createdAt: string,
  runId: string | undefined,
): StoredMessage {
  const metadata: Metadata & { schemaVersion: number } = Object.assign(
    message.metadata === undefined ? {} : copyObject(message.metadata),
    { schemaVersion: SCHEMA_VERSION },
  );
  // One from another ledger has its source on record already.
  const isCopy = "parentMessageId" in message && metadata["sourceId"] !== undefined;
  if (message.id !== undefined && !isCopy) metadata["sourceId"] = message.id;
  if (runId !== undefined) metadata.runId = runId;
  return Object.assign(copyObject(message), { id, parentMessageId, createdAt, metadata });
}
