// Reads and updates threads, and creates their rows.
import { parseJson, stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { requireJsonObject, requireName, requireText } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { activeLeaf } from "../messages/active-leaf.ts";
import type { ThreadHead, ThreadRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import { isoTime } from "../iso-time.ts";
import type { NewThread, Thread, ThreadChanges } from "../types.ts";

/** Returns the key of a thread of the scope's tenant. */
export function toThreadKey(scope: LedgerScope, threadId: string): ThreadKey {
  return { tenant: scope.tenant, threadId: requireName(threadId, "threadId") };
}

/** Reads the head of a thread; throws "unknown-thread" if the thread does not exist. */
export async function requireThreadHead(scope: LedgerScope, key: ThreadKey): Promise<ThreadHead> {
  return requireThread(key, await scope.store.reads.thread(key));
}

/**
 * Locks a thread until the transaction ends, and returns its head. Throws "unknown-thread" if the thread does not
 * exist.
 */
export function* lockThread(tx: LedgerTransaction, key: ThreadKey): Steps<ThreadHead> {
  return requireThread(key, yield* wait(tx.lockThread(key)));
}

/** Returns `head`; throws "unknown-thread" if it is undefined. */
export function requireThread({ threadId }: ThreadKey, head: ThreadHead | undefined): ThreadHead {
  if (head !== undefined) return head;
  throw new LedgerError("unknown-thread", `There is no thread "${threadId}".`, { path: "threadId" });
}

/** Converts the head of a thread to the public type `Thread`. */
export function toThread(ledger: LedgerScope, head: ThreadHead): Thread {
  const { id, title, scope, kind, createdAt } = head;
  return { id, title, scope, kind, metadata: readMetadata(ledger, head), createdAt, activeLeafId: activeLeaf(head) };
}

/**
 * Returns the metadata of a thread. Unreadable metadata is reported and replaced by an empty object, so that the thread
 * stays readable (B91).
 */
function readMetadata(scope: LedgerScope, { id, metadata }: ThreadHead): Record<string, unknown> {
  if (metadata === null) return {};
  try {
    const value = parseJson(metadata);
    if (isObject(value)) return value;
  } catch {
    // Metadata that cannot be parsed is reported below, like a value that is not an object.
  }
  scope.report({ threadId: id, messageId: "", reason: "The thread's metadata cannot be read." });
  return {};
}

/** Encodes metadata for its column; returns null if the metadata is undefined or null. */
function encodeMetadata(metadata: unknown): string | null {
  return metadata === undefined || metadata === null ? null : stringifyJson(requireJsonObject(metadata, "metadata"));
}

/** Checks the fields of a new thread and returns its row. `at` is the prefix of the paths in errors. */
export function newThreadRow(scope: LedgerScope, thread: NewThread, at = ""): ThreadRow {
  return {
    tenant: scope.tenant,
    id: thread.id === undefined ? scope.nextId("") : requireName(thread.id, `${at}id`),
    title: thread.title === undefined ? null : requireText(thread.title, `${at}title`),
    scope: thread.scope === undefined ? null : requireName(thread.scope, `${at}scope`),
    kind: thread.kind === undefined ? null : requireName(thread.kind, `${at}kind`),
    metadata: encodeMetadata(thread.metadata),
    createdAt: isoTime(scope.now()),
    pinned: false,
    leafId: null,
  };
}

/** Returns the head of a new thread, which has no messages yet. */
export function toEmptyHead(row: ThreadRow): ThreadHead {
  return { ...row, newestMessageId: null, lastId: "" };
}

export async function getThread(scope: LedgerScope, threadId: string): Promise<Thread> {
  return toThread(scope, await requireThreadHead(scope, toThreadKey(scope, threadId)));
}

export async function updateThread(scope: LedgerScope, threadId: string, changes: ThreadChanges): Promise<Thread> {
  const key = toThreadKey(scope, threadId);
  const row: Partial<Pick<ThreadRow, "title" | "metadata">> = {};
  if (changes.title !== undefined) row.title = changes.title === null ? null : requireText(changes.title, "title");
  if (changes.metadata !== undefined) row.metadata = encodeMetadata(changes.metadata);
  return scope.store.write(function* update(tx) {
    const head = yield* lockThread(tx, key);
    yield* wait(tx.updateThread(key, row));
    return toThread(scope, { ...head, ...row });
  });
}
