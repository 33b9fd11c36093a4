// Makes a thread together with what it begins with, in one write; once per idempotency key (B95).
import { isObject } from "../model/kind.ts";
import { appendTo } from "./append.ts";
import { assertStorableMessages, checkName } from "./check.ts";
import { LedgerError } from "./errors.ts";
import { entryBodies, insertEntries } from "./journal.ts";
import { attach, remember, requestHash } from "./keys.ts";
import type { ThreadHead } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { got, type Steps } from "./steps.ts";
import type { ThreadKey } from "./store.ts";
import { demandThread, describe, emptyHead, newThreadRow } from "./threads.ts";
import type { InitialContent, NewThread, Thread } from "./types.ts";
import { wantWork } from "./wanted/want.ts";

/** An id that is taken is a conflict. */
export async function createThread(scope: Scope, thread: NewThread = {}, first: InitialContent = {}): Promise<Thread> {
  const { entries = [], want = false, idempotencyKey } = first;
  const row = newThreadRow(scope, thread);
  const bodies = entryBodies(entries);
  const messages =
    first.messages === undefined || first.messages.length === 0 ? [] : assertStorableMessages(first.messages);
  const name = idempotencyKey === undefined ? undefined : checkName(idempotencyKey, "idempotencyKey");
  const request = name === undefined ? "" : requestHash({ thread, entries, messages, want });
  // Keys of what has no thread yet are kept beside all of them.
  const nowhere: ThreadKey = { tenant: scope.tenant, threadId: "" };
  const write = (): Promise<ThreadHead> =>
    scope.store.write(function* create(tx): Steps<ThreadHead> {
      const before = name === undefined ? undefined : yield* attach(tx, nowhere, name, request);
      if (before !== undefined) {
        const key = { tenant: scope.tenant, threadId: threadIdOf(before) };
        return demandThread(key, yield* got(tx.thread(key)));
      }
      yield* got(tx.insertThread(row));
      const head = emptyHead(row);
      yield* insertEntries(scope, tx, head, bodies);
      if (messages.length > 0) yield* appendTo(scope, tx, head, messages, {});
      if (want) yield* wantWork(scope, tx, { tenant: row.tenant, threadId: row.id });
      if (name !== undefined) yield* remember(scope, tx, nowhere, name, request, { threadId: row.id });
      return head;
    });
  const head = await write().catch((error: unknown) => {
    // Two may use one key at the same time: the second look finds what the other has made.
    if (name === undefined || !isTaken(error)) throw error;
    return write();
  });
  if (messages.length > 0) scope.wrote();
  return describe(scope, head);
}

function isTaken(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "conflict" && error.path === "";
}

function threadIdOf(result: unknown): string {
  return isObject(result) && typeof result["threadId"] === "string" ? result["threadId"] : "";
}
