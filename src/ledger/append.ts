// Messages without a run: appended under the active leaf or under any message, compared and swapped (B94), once per
// idempotency key (B95); and the choice of another active leaf.
import { isObject } from "../model/kind.ts";
import type { JsonValue } from "../model/json.ts";
import type { Message, StoredMessage } from "../model/message.ts";
import { readRows } from "./body.ts";
import { assertStorableMessages, checkName } from "./check.ts";
import { LedgerError } from "./errors.ts";
import { unknownMessage, writeChain, type WrittenChain } from "./insert.ts";
import { attach, remember, requestHash } from "./keys.ts";
import { activeLeaf, moveLeaf } from "./leaf.ts";
import { headerOf } from "./paths.ts";
import type { MessageRow, ThreadHead } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { got, isPromise, type Steps } from "./steps.ts";
import type { LedgerReads, LedgerTransaction, ThreadKey } from "./store.ts";
import { headerOfRow, keepTail } from "./tails.ts";
import { demandThread, lockedThread, threadKey } from "./threads.ts";
import type { AppendOptions } from "./types.ts";

/** What an append came to: what it wrote, or the rows that an earlier one with its key did. */
type Outcome = { written: WrittenChain } | { found: MessageRow[] };

export async function append(
  scope: Scope,
  threadId: string,
  messages: readonly Message[],
  options: AppendOptions = {},
): Promise<StoredMessage[]> {
  const key = threadKey(scope, threadId);
  const sound = assertStorableMessages(messages);
  const { parentMessageId, expectedLeaf, idempotencyKey } = options;
  checkPlace(parentMessageId, "parentMessageId");
  checkExpectedLeaf(options);
  const name = idempotencyKey === undefined ? undefined : checkName(idempotencyKey, "idempotencyKey");
  const request = name === undefined ? "" : requestHash({ append: sound, parentMessageId, expectedLeaf });
  const outcome = await scope.store.write(function* appendWork(tx): Steps<Outcome> {
    const locked = tx.lockThread(key);
    const head = demandThread(key, isPromise(locked) ? yield* got(locked) : locked);
    const before = name === undefined ? undefined : yield* attach(tx, key, name, request);
    if (before !== undefined) return { found: yield* formerRows(tx, key, before) };
    const written = yield* appendTo(scope, tx, head, sound, options);
    if (name !== undefined) {
      yield* remember(scope, tx, key, name, request, { messageIds: written.rows.map(({ id }) => id) });
    }
    return { written };
  });
  if ("found" in outcome) return readRows(scope, outcome.found);
  const last = outcome.written.rows.at(-1);
  if (last !== undefined) keepTail(scope.store, headerOfRow(last));
  scope.wrote();
  return outcome.written.messages;
}

/** Appends to a thread that is locked. */
export function* appendTo(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  messages: readonly Message[],
  { parentMessageId, expectedLeaf }: Omit<AppendOptions, "idempotencyKey">,
): Steps<WrittenChain> {
  expectLeaf(head, expectedLeaf);
  const parentId = parentMessageId === undefined ? activeLeaf(head) : parentMessageId;
  const written = yield* writeChain(scope, tx, head, { parentId, messages });
  if (head.pinned) yield* moveLeaf(tx, head, head.newestMessageId);
  return written;
}

/** Refuses work whose caller saw another leaf than the one that is active; undefined expects nothing. */
export function expectLeaf(head: ThreadHead, expected: string | null | undefined): void {
  const leaf = activeLeaf(head);
  if (expected === undefined || expected === leaf) return;
  throw new LedgerError(
    "conflict",
    `The active leaf is ${leaf ?? "none"}, not ${expected ?? "none"}: read the thread again, or name a parent to branch.`,
    { path: "expectedLeaf" },
  );
}

/** An expectation that is undefined was most likely meant to be one: taking it for none would drop the caller's guard (B94). */
export function checkExpectedLeaf(options: { expectedLeaf?: string | null }): void {
  if (options.expectedLeaf === undefined && Object.hasOwn(options, "expectedLeaf")) {
    throw new LedgerError(
      "invalid-input",
      "expectedLeaf is undefined: leave it out, or give null for an empty thread.",
      {
        path: "expectedLeaf",
      },
    );
  }
  checkPlace(options.expectedLeaf, "expectedLeaf");
}

/** A message id, null for the root, or nothing. */
export function checkPlace(value: unknown, path: string): void {
  if (value !== undefined && value !== null) checkName(value, path);
}

/** The rows that an earlier call with the same key wrote. */
export function* formerRows(reads: LedgerReads, key: ThreadKey, result: JsonValue): Steps<MessageRow[]> {
  const listed = isObject(result) ? result["messageIds"] : undefined;
  const ids = Array.isArray(listed) ? listed.filter((id) => typeof id === "string") : [];
  const rows: MessageRow[] = [];
  for (const id of ids) {
    const row = yield* got(reads.message(key, id));
    if (row === undefined) {
      throw new LedgerError("unknown-message", "What was appended with this idempotency key was deleted since.", {
        path: "idempotencyKey",
      });
    }
    rows.push(row);
  }
  return rows;
}

/** Makes exactly this message the active leaf; null empties the active path. */
export async function select(scope: Scope, threadId: string, messageId: string | null): Promise<void> {
  const key = threadKey(scope, threadId);
  if (messageId !== null) checkName(messageId, "messageId");
  await scope.store.write(function* selectWork(tx) {
    const head = yield* lockedThread(tx, key);
    const header = messageId === null ? undefined : yield* headerOf(tx, key, messageId);
    if (messageId !== null && header === undefined) throw unknownMessage(messageId, "messageId");
    yield* moveLeaf(tx, head, messageId);
  });
}
