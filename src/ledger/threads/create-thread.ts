// Creates a thread with its first journal entries and messages in one transaction, once per idempotency key (B95).
import { isObject } from "../../model/value-kind.ts";
import { appendToLockedThread } from "../messages/append.ts";
import { assertStorableMessages, requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { encodeEntries, insertEntries } from "./journal.ts";
import { findKeyResult, storeKeyResult, hashRequest } from "../idempotency-keys.ts";
import type { ThreadHead } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { ThreadKey } from "../store/contract.ts";
import { requireThread, toThread, toEmptyHead, newThreadRow } from "./threads.ts";
import type { InitialContent, NewThread, Thread } from "../types.ts";
import { insertWorkRequest } from "../work-queue/request-work.ts";

/** Creates a thread. Throws "conflict" if the id exists already. */
export async function createThread(
  scope: LedgerScope,
  thread: NewThread = {},
  first: InitialContent = {},
): Promise<Thread> {
  const { entries = [], requestWork = false, idempotencyKey } = first;
  const row = newThreadRow(scope, thread);
  const bodies = encodeEntries(entries);
  const messages =
    first.messages === undefined || first.messages.length === 0 ? [] : assertStorableMessages(first.messages);
  const name = idempotencyKey === undefined ? undefined : requireName(idempotencyKey, "idempotencyKey");
  const request = name === undefined ? "" : hashRequest({ thread, entries, messages, want: requestWork });
  // The thread does not exist yet, so the idempotency key is stored under an empty thread id.
  const noThread: ThreadKey = { tenant: scope.tenant, threadId: "" };
  const write = (): Promise<ThreadHead> =>
    scope.store.write(function* create(tx): Steps<ThreadHead> {
      const before = name === undefined ? undefined : yield* findKeyResult(tx, noThread, name, request);
      if (before !== undefined) {
        const key = { tenant: scope.tenant, threadId: readThreadId(before) };
        return requireThread(key, yield* wait(tx.thread(key)));
      }
      yield* wait(tx.insertThread(row));
      const head = toEmptyHead(row);
      yield* insertEntries(scope, tx, head, bodies);
      if (messages.length > 0) yield* appendToLockedThread(scope, tx, head, messages, {});
      if (requestWork) yield* insertWorkRequest(scope, tx, { tenant: row.tenant, threadId: row.id });
      if (name !== undefined) yield* storeKeyResult(scope, tx, noThread, name, request, { threadId: row.id });
      return head;
    });
  const head = await write().catch((error: unknown) => {
    // Another call with the same idempotency key may have created the thread at the same time. The second attempt then
    // finds the result that the other call stored under the key.
    if (name === undefined || !isIdConflict(error)) throw error;
    return write();
  });
  if (messages.length > 0) scope.onMessagesWritten();
  return toThread(scope, head);
}

function isIdConflict(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "conflict" && error.path === "";
}

function readThreadId(result: unknown): string {
  return isObject(result) && typeof result["threadId"] === "string" ? result["threadId"] : "";
}
