// Writes and reads the journal of a thread: entries of the caller whose ids come from the same sequence as the ids of
// messages and runs. Entries are not deleted with the deltas of runs, and can be written together with messages and a
// work request.
import type { JsonObject } from "../../model/json/index.ts";
import { parseJson, stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Message, StoredMessage } from "../../model/message.ts";
import {
  appendToLockedThread,
  assertExpectedLeafOption,
  assertMessageIdOrNull,
  readKeyedMessages,
} from "../messages/append.ts";
import { readMessages } from "../messages/message-body.ts";
import { requireCount, requireJsonObject, assertStorableMessages, requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { parseCursor } from "../follow/cursor.ts";
import { findKeyResult, storeKeyResult, hashRequest } from "../idempotency-keys.ts";
import type { LogRow, MessageRow, ThreadHead } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import { toHeader, cacheLastMessage } from "../messages/last-written.ts";
import { lockThread, requireThreadHead, toThreadKey } from "./threads.ts";
import type { JournalEntry, LogResult, LogOptions } from "../types.ts";
import { insertWorkRequest } from "../work-queue/request-work.ts";
import { assertLeased } from "../work-queue/work-lease.ts";

const DEFAULT_PAGE_SIZE = 100;

/** The checked arguments of `logEntries`. */
interface LogPlan {
  key: ThreadKey;
  bodies: readonly string[];
  messages: readonly Message[];
  options: LogOptions;
  /**
   * The hash of the request; "" if the call has no idempotency key. With the hash, a different request with the same
   * key is detected.
   */
  request: string;
}

export async function logEntries(
  scope: LedgerScope,
  threadId: string,
  entries: readonly JsonObject[],
  options: LogOptions = {},
): Promise<LogResult> {
  const plan = planLog(scope, threadId, entries, options);
  const written = await scope.store.write((tx) => writeEntries(scope, tx, plan));
  if ("rows" in written) return { cursors: written.cursors, messages: await readMessages(scope, written.rows) };
  const { cursors, messages, last } = written;
  if (last !== undefined) cacheLastMessage(scope.store, toHeader(last));
  if (messages.length > 0) scope.onMessagesWritten();
  return { cursors, messages };
}

function planLog(scope: LedgerScope, threadId: string, entries: readonly JsonObject[], options: LogOptions): LogPlan {
  const key = toThreadKey(scope, threadId);
  if (!Array.isArray(entries)) throw invalidInput("entries", "The entries must be a list.");
  const { append, expectedEntry, idempotencyKey: name } = options;
  if (entries.length === 0 && append === undefined && options.requestWork !== true) {
    throw invalidInput("entries", "There is nothing to write: pass an entry, messages to append, or requestWork.");
  }
  const bodies = encodeEntries(entries);
  if (append !== undefined) {
    assertMessageIdOrNull(append.parentMessageId, "append/parentMessageId");
    assertExpectedLeafOption(append);
  }
  if (expectedEntry === undefined && Object.hasOwn(options, "expectedEntry")) {
    throw invalidInput(
      "expectedEntry",
      '"expectedEntry" must not be undefined; omit it, or pass null if there must be no entry.',
    );
  }
  assertMessageIdOrNull(expectedEntry, "expectedEntry");
  const messages = append === undefined ? [] : assertStorableMessages(append.messages, "/append/messages");
  const hashed = {
    entries,
    expectedEntry,
    want: options.requestWork === true,
    append: append && { ...append, messages },
  };
  const request = name === undefined ? "" : hashRequest({ log: hashed });
  if (name !== undefined) requireName(name, "idempotencyKey");
  return { key, bodies, messages, options, request };
}

export function encodeEntries(entries: readonly JsonObject[]): string[] {
  return entries.map((entry, at) => stringifyJson(requireJsonObject(entry, `entries/${at}`)));
}

function invalidInput(path: string, message: string): LedgerError {
  return new LedgerError("invalid-input", message, { path });
}

interface WrittenEntries {
  cursors: string[];
  messages: StoredMessage[];
  last: MessageRow | undefined;
}
interface EarlierEntries {
  cursors: string[];
  rows: MessageRow[];
}

function* writeEntries(
  scope: LedgerScope,
  tx: LedgerTransaction,
  plan: LogPlan,
): Steps<WrittenEntries | EarlierEntries> {
  const { key, bodies, messages, options, request } = plan;
  const { append, idempotencyKey: name, workLease } = options;
  const head = yield* lockThread(tx, key);
  const before = name === undefined ? undefined : yield* findKeyResult(tx, key, name, request);
  if (before !== undefined) {
    const cursors = isObject(before) && Array.isArray(before["cursors"]) ? before["cursors"] : [];
    const rows = yield* readKeyedMessages(tx, key, before);
    return { cursors: cursors.filter((cursor) => typeof cursor === "string"), rows };
  }
  if (workLease !== undefined) yield* assertLeased(tx, key, workLease);
  if (options.expectedEntry !== undefined) yield* assertLastEntry(tx, key, options.expectedEntry);
  const cursors = yield* insertEntries(scope, tx, head, bodies);
  const written = append === undefined ? undefined : yield* appendToLockedThread(scope, tx, head, messages, append);
  if (options.requestWork === true) yield* insertWorkRequest(scope, tx, key);
  if (name !== undefined) {
    const messageIds = written?.rows.map(({ id }) => id) ?? [];
    yield* storeKeyResult(scope, tx, key, name, request, { cursors, messageIds });
  }
  return { cursors, messages: written?.messages ?? [], last: written?.rows.at(-1) };
}

export function* insertEntries(
  scope: LedgerScope,
  tx: LedgerTransaction,
  head: ThreadHead,
  bodies: readonly string[],
): Steps<string[]> {
  const rows: LogRow[] = bodies.map((body) => {
    head.lastId = scope.nextId(head.lastId);
    return { tenant: head.tenant, threadId: head.id, id: head.lastId, runId: "", kind: "entry", body };
  });
  if (rows.length > 0) yield* wait(tx.insertLog(rows));
  return rows.map(({ id }) => id);
}

/** Throws "conflict" if the id of the last journal entry is not `expected`; null means that there is no entry. */
function* assertLastEntry(tx: LedgerTransaction, key: ThreadKey, expected: string | null): Steps<void> {
  const [last] = yield* wait(tx.log(key, { runId: "", order: "desc", limit: 1 }));
  if ((last?.id ?? null) === expected) return;
  const message = `The last entry is ${last?.id ?? "none"}, not ${expected ?? "none"}; read the entries again.`;
  throw new LedgerError("conflict", message, { path: "expectedEntry" });
}

/**
 * Lists journal entries, oldest first. For an unreadable entry only the cursor is returned, and the entry is reported
 * (B91).
 */
export async function listEntries(
  scope: LedgerScope,
  threadId: string,
  page: { after?: string | undefined; limit?: number | undefined } = {},
): Promise<JournalEntry[]> {
  const key = toThreadKey(scope, threadId);
  const limit = page.limit === undefined ? DEFAULT_PAGE_SIZE : requireCount(page.limit, "limit", 1);
  const after = page.after === undefined ? "" : parseCursor(page.after).id;
  const rows = await scope.store.reads.log(key, { runId: "", after, limit });
  if (rows.length === 0) await requireThreadHead(scope, key);
  return rows.map((row) => {
    try {
      return { cursor: row.id, entry: decodeEntry(row) };
    } catch (error) {
      const reason = `An entry of the journal cannot be read: ${String(error)}`;
      scope.report({ threadId: key.threadId, messageId: row.id, reason });
      return { cursor: row.id, entry: undefined };
    }
  });
}

/** Decodes the journal entry of a row. Throws if the body is damaged. */
export function decodeEntry({ body }: LogRow): JsonObject {
  const entry = parseJson(body);
  if (!isObject(entry)) throw new TypeError("An entry must be an object.");
  return entry;
}
