// Threads: made, changed, and found again by everything else.
import { parseJson, stringifyJson } from "../model/json.ts";
import { isObject } from "../model/kind.ts";
import { checkFacts, checkName, checkText } from "./check.ts";
import { LedgerError } from "./errors.ts";
import { activeLeaf } from "./leaf.ts";
import type { ThreadHead, ThreadRow } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { got, type Steps } from "./steps.ts";
import type { LedgerTransaction, ThreadKey } from "./store.ts";
import { isoTime } from "./times.ts";
import type { NewThread, Thread, ThreadChanges } from "./types.ts";

/** Names a thread of the scope's tenant. */
export function threadKey(scope: Scope, threadId: string): ThreadKey {
  return { tenant: scope.tenant, threadId: checkName(threadId, "threadId") };
}

/** The thread as it is now. */
export async function threadHead(scope: Scope, key: ThreadKey): Promise<ThreadHead> {
  return demandThread(key, await scope.store.reads.thread(key));
}

/** The thread, which nobody else writes to until the work is over. */
export function* lockedThread(tx: LedgerTransaction, key: ThreadKey): Steps<ThreadHead> {
  return demandThread(key, yield* got(tx.lockThread(key)));
}

/** The thread that a store was asked for; an error where there is none. */
export function demandThread({ threadId }: ThreadKey, head: ThreadHead | undefined): ThreadHead {
  if (head !== undefined) return head;
  throw new LedgerError("unknown-thread", `There is no thread "${threadId}".`, { path: "threadId" });
}

/** A thread as callers see it. */
export function describe(ledger: Scope, head: ThreadHead): Thread {
  const { id, title, scope, kind, createdAt } = head;
  return { id, title, scope, kind, metadata: readFacts(ledger, head), createdAt, activeLeafId: activeLeaf(head) };
}

/** The caller's own facts. What cannot be read is reported, and does not hide the thread (B91). */
function readFacts(scope: Scope, { id, metadata }: ThreadHead): Record<string, unknown> {
  if (metadata === null) return {};
  try {
    const facts = parseJson(metadata);
    if (isObject(facts)) return facts;
  } catch {
    // Reported below, like a value of another kind.
  }
  scope.report({ threadId: id, messageId: "", reason: "The thread's metadata cannot be read." });
  return {};
}

/** A column for facts: null where there are none. */
function writeFacts(facts: unknown): string | null {
  return facts === undefined || facts === null ? null : stringifyJson(checkFacts(facts, "metadata"));
}

/** The row of a new thread, checked. Paths of what is refused begin with `at`. */
export function newThreadRow(scope: Scope, thread: NewThread, at = ""): ThreadRow {
  return {
    tenant: scope.tenant,
    id: thread.id === undefined ? scope.nextId("") : checkName(thread.id, `${at}id`),
    title: thread.title === undefined ? null : checkText(thread.title, `${at}title`),
    scope: thread.scope === undefined ? null : checkName(thread.scope, `${at}scope`),
    kind: thread.kind === undefined ? null : checkName(thread.kind, `${at}kind`),
    metadata: writeFacts(thread.metadata),
    createdAt: isoTime(scope.now()),
    pinned: false,
    leafId: null,
  };
}

/** A thread that was just made. */
export function emptyHead(row: ThreadRow): ThreadHead {
  return { ...row, newestMessageId: null, lastId: "" };
}

export async function getThread(scope: Scope, threadId: string): Promise<Thread> {
  return describe(scope, await threadHead(scope, threadKey(scope, threadId)));
}

export async function updateThread(scope: Scope, threadId: string, changes: ThreadChanges): Promise<Thread> {
  const key = threadKey(scope, threadId);
  const row: Partial<Pick<ThreadRow, "title" | "metadata">> = {};
  if (changes.title !== undefined) row.title = changes.title === null ? null : checkText(changes.title, "title");
  if (changes.metadata !== undefined) row.metadata = writeFacts(changes.metadata);
  return scope.store.write(function* update(tx) {
    const head = yield* lockedThread(tx, key);
    yield* got(tx.updateThread(key, row));
    return describe(scope, { ...head, ...row });
  });
}
