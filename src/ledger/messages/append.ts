// Appends messages without a run, under the active leaf or any other message, with compare-and-swap (B94) and
// idempotency keys (B95). Also selects the active leaf.
import { isObject } from "../../model/value-kind.ts";
import type { JsonValue } from "../../model/json/index.ts";
import type { Message, StoredMessage } from "../../model/message.ts";
import { readMessages } from "./message-body.ts";
import { assertStorableMessages, requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { unknownMessage, writeChain, type WrittenChain } from "./insert-chain.ts";
import { findKeyResult, storeKeyResult, hashRequest } from "../idempotency-keys.ts";
import { activeLeaf, moveLeaf } from "./active-leaf.ts";
import { findHeader } from "./paths.ts";
import type { MessageRow, ThreadHead } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, isPromise, type Steps } from "../store/steps.ts";
import type { LedgerReads, LedgerTransaction, ThreadKey } from "../store/contract.ts";
import { toHeader, cacheLastMessage } from "./last-written.ts";
import { requireThread, lockThread, toThreadKey } from "../threads/threads.ts";
import type { AppendOptions } from "../types.ts";

/** The result of an append: the written chain, or the rows of an earlier append with the same idempotency key. */
type AppendOutcome = { written: WrittenChain } | { earlierRows: MessageRow[] };

export async function appendMessages(
  scope: LedgerScope,
  threadId: string,
  messages: readonly Message[],
  options: AppendOptions = {},
): Promise<StoredMessage[]> {
  const key = toThreadKey(scope, threadId);
  const storable = assertStorableMessages(messages);
  const { parentMessageId, expectedLeaf, idempotencyKey } = options;
  assertMessageIdOrNull(parentMessageId, "parentMessageId");
  assertExpectedLeafOption(options);
  const name = idempotencyKey === undefined ? undefined : requireName(idempotencyKey, "idempotencyKey");
  const request = name === undefined ? "" : hashRequest({ append: storable, parentMessageId, expectedLeaf });
  const outcome = await scope.store.write(function* appendWork(tx): Steps<AppendOutcome> {
    const locked = tx.lockThread(key);
    const head = requireThread(key, isPromise(locked) ? yield* wait(locked) : locked);
    const before = name === undefined ? undefined : yield* findKeyResult(tx, key, name, request);
    if (before !== undefined) return { earlierRows: yield* readKeyedMessages(tx, key, before) };
    const written = yield* appendToLockedThread(scope, tx, head, storable, options);
    if (name !== undefined) {
      yield* storeKeyResult(scope, tx, key, name, request, { messageIds: written.rows.map(({ id }) => id) });
    }
    return { written };
  });
  if ("earlierRows" in outcome) return readMessages(scope, outcome.earlierRows);
  const last = outcome.written.rows.at(-1);
  if (last !== undefined) cacheLastMessage(scope.store, toHeader(last));
  scope.onMessagesWritten();
  return outcome.written.messages;
}

/** Appends messages to a thread that the transaction has locked. */
export function* appendToLockedThread(
  scope: LedgerScope,
  tx: LedgerTransaction,
  head: ThreadHead,
  messages: readonly Message[],
  { parentMessageId, expectedLeaf }: Omit<AppendOptions, "idempotencyKey">,
): Steps<WrittenChain> {
  assertExpectedLeaf(head, expectedLeaf);
  const parentId = parentMessageId === undefined ? activeLeaf(head) : parentMessageId;
  const written = yield* writeChain(scope, tx, head, { parentId, messages });
  if (head.pinned) yield* moveLeaf(tx, head, head.newestMessageId);
  return written;
}

/** Throws "conflict" if the active leaf differs from `expected`; undefined accepts any leaf. */
export function assertExpectedLeaf(head: ThreadHead, expected: string | null | undefined): void {
  const leaf = activeLeaf(head);
  if (expected === undefined || expected === leaf) return;
  throw new LedgerError(
    "conflict",
    `The active leaf is ${leaf ?? "none"}, not ${expected ?? "none"}; read the thread again, or set parentMessageId to branch.`,
    { path: "expectedLeaf" },
  );
}

/**
 * Throws "invalid-input" if `expectedLeaf` is invalid. An explicit undefined is invalid, too: it is most likely a
 * mistake, and ignoring it would skip the check that the caller wants (B94).
 */
export function assertExpectedLeafOption(options: { expectedLeaf?: string | null }): void {
  if (options.expectedLeaf === undefined && Object.hasOwn(options, "expectedLeaf")) {
    throw new LedgerError(
      "invalid-input",
      '"expectedLeaf" must not be undefined; omit it, or pass null for an empty thread.',
      {
        path: "expectedLeaf",
      },
    );
  }
  assertMessageIdOrNull(options.expectedLeaf, "expectedLeaf");
}

/** Throws "invalid-input" unless the value is a message id, null (the root) or undefined. */
export function assertMessageIdOrNull(value: unknown, path: string): void {
  if (value !== undefined && value !== null) requireName(value, path);
}

/**
 * Returns the rows that an earlier call with the same idempotency key wrote. `result`, the stored result of that call,
 * contains the ids of the rows. Throws "unknown-message" if a row was deleted.
 */
export function* readKeyedMessages(reads: LedgerReads, key: ThreadKey, result: JsonValue): Steps<MessageRow[]> {
  const messageIds = isObject(result) ? result["messageIds"] : undefined;
  const ids = Array.isArray(messageIds) ? messageIds.filter((id) => typeof id === "string") : [];
  const rows: MessageRow[] = [];
  for (const id of ids) {
    const row = yield* wait(reads.message(key, id));
    if (row === undefined) {
      throw new LedgerError("unknown-message", "The messages of this idempotency key were deleted; use a new key.", {
        path: "idempotencyKey",
      });
    }
    rows.push(row);
  }
  return rows;
}

/** Makes a message the active leaf; null empties the active path. */
export async function selectLeaf(scope: LedgerScope, threadId: string, messageId: string | null): Promise<void> {
  const key = toThreadKey(scope, threadId);
  if (messageId !== null) requireName(messageId, "messageId");
  await scope.store.write(function* selectWork(tx) {
    const head = yield* lockThread(tx, key);
    const header = messageId === null ? undefined : yield* findHeader(tx, key, messageId);
    if (messageId !== null && header === undefined) throw unknownMessage(messageId, "messageId");
    yield* moveLeaf(tx, head, messageId);
  });
}
