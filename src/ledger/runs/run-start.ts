// Resolves the start of a run: its thread, which may be created in the same write, its fork point and its id.
import type { StoredMessage } from "../../model/message.ts";
import { isObject } from "../../model/value-kind.ts";
import { assertMessageIdOrNull } from "../messages/append.ts";
import { assertStorableMessages, requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { consumeIssuedId, toIdPrefix, isUlid } from "../ids.ts";
import { unknownMessage, writeChain } from "../messages/insert-chain.ts";
import { activeLeaf, moveLeaf } from "../messages/active-leaf.ts";
import { findHeader } from "../messages/paths.ts";
import type { MessageHeader, MessageRow, ThreadHead, ThreadRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, isPromise, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import { requireThread, toEmptyHead, newThreadRow, toThreadKey } from "../threads/threads.ts";
import type { NewThread, RunInput } from "../types.ts";

/** The thread of a run. */
export interface RunThread {
  key: ThreadKey;
  /** The row to insert if the thread does not exist; undefined if a missing thread is an error. */
  row: ThreadRow | undefined;
  /** True if the thread cannot exist yet, so no lookup is needed. */
  isFresh: boolean;
}

/** Resolves the thread of a run from its id or from the fields of a new thread. */
export function resolveRunThread(
  scope: LedgerScope,
  { threadId, thread }: { threadId?: string | undefined; thread?: NewThread | undefined },
): RunThread {
  if (thread === undefined) {
    // The cast is harmless, because `toThreadKey` rejects an undefined id.
    return { key: toThreadKey(scope, threadId as string), row: undefined, isFresh: false };
  }
  if (typeof thread !== "object" || thread === null) {
    throw new LedgerError("invalid-input", "A thread must be an object.", { path: "thread" });
  }
  if (threadId !== undefined && thread.id !== undefined && thread.id !== threadId) {
    throw new LedgerError("invalid-input", '"threadId" and "thread.id" name different threads; omit one of them.', {
      path: "thread/id",
    });
  }
  const id = thread.id ?? threadId;
  const row = newThreadRow(scope, { ...thread, id }, "thread/");
  const isFresh = id === undefined || consumeIssuedId(scope.store, id);
  return { key: { tenant: row.tenant, threadId: row.id }, row, isFresh };
}

/** Locks the thread until the transaction ends, and creates it if necessary. */
export function* lockOrCreateThread(tx: LedgerTransaction, { key, row, isFresh }: RunThread): Steps<ThreadHead> {
  const locked = isFresh ? undefined : tx.lockThread(key);
  const head = isPromise(locked) ? yield* wait(locked) : locked;
  if (head !== undefined || row === undefined) return requireThread(key, head);
  const inserted = tx.insertThread(row);
  if (isPromise(inserted)) yield* wait(inserted);
  return toEmptyHead(row);
}

/**
 * Runs a write that creates a thread or a run. If another writer creates the same thread or run at the same time, the
 * write fails with a conflict and is repeated; the second attempt finds the existing thread or run.
 */
export async function writeWithRaceRetry<T>(
  scope: LedgerScope,
  target: RunThread,
  callerId: CallerRunId | undefined,
  work: (tx: LedgerTransaction) => Steps<T>,
): Promise<T> {
  try {
    return await scope.store.write(work);
  } catch (error) {
    // A conflict without a path comes from the store and means that an id exists already; conflicts of the ledger have
    // a path.
    const isRace = error instanceof LedgerError && error.code === "conflict" && error.path === "";
    if (!isRace || (target.row === undefined && callerId?.isFresh !== true)) throw error;
    // The first attempt did not look up ids from newId() (`isFresh`). Another process may have used such an id, so the
    // second attempt looks up the thread id and the run id.
    target.isFresh = false;
    if (callerId !== undefined) callerId.isFresh = false;
    return scope.store.write(work);
  }
}

/**
 * Returns the checked input of a run. Throws "invalid-input" if its messages cannot be stored, or if `fork`, the fork
 * point of the run, is also given.
 */
export function requireRunInput(input: RunInput | undefined, fork: unknown): RunInput | undefined {
  if (input === undefined) return undefined;
  if (!isObject(input)) {
    throw new LedgerError("invalid-input", "The input of a run must be an object with messages.", { path: "input" });
  }
  if (fork !== undefined) {
    const message = "A run with input forks from the last message of the input; omit forkFromMessageId.";
    throw new LedgerError("invalid-input", message, { path: "forkFromMessageId" });
  }
  assertMessageIdOrNull(input.parentMessageId, "input/parentMessageId");
  return { ...input, messages: assertStorableMessages(input.messages, "/input/messages") };
}

/** The position at which a run starts. */
export interface ForkPoint {
  forks: boolean;
  /** The id of the fork point or, without a fork point, of the active leaf. */
  parentId: string | null;
  /** The header of the message `parentId`, if it is known without a read. */
  parent?: MessageHeader | undefined;
  /** The messages of the run's input, as they were stored; empty if there is no input. */
  input: StoredMessage[];
}

/**
 * Returns the position at which a run starts. If there is input, appends it; its last message becomes the active leaf
 * and the fork point.
 */
export function* resolveForkPoint(
  scope: LedgerScope,
  tx: LedgerTransaction,
  head: ThreadHead,
  input: RunInput | undefined,
  forkFromMessageId: string | null | undefined,
): Steps<ForkPoint> {
  if (input === undefined) {
    if (forkFromMessageId === undefined) return { forks: false, parentId: activeLeaf(head), input: [] };
    if (forkFromMessageId === null) return { forks: true, parentId: null, input: [] };
    const parent = yield* findHeader(tx, { tenant: head.tenant, threadId: head.id }, forkFromMessageId);
    if (parent === undefined) throw unknownMessage(forkFromMessageId, "forkFromMessageId");
    return { forks: true, parentId: forkFromMessageId, parent, input: [] };
  }
  const { messages, parentMessageId } = input;
  const parentId = parentMessageId === undefined ? activeLeaf(head) : parentMessageId;
  const { rows, messages: stored } = yield* writeChain(scope, tx, head, { parentId, messages });
  if (head.pinned) yield* moveLeaf(tx, head, head.newestMessageId);
  // The cast is safe, because `requireRunInput` rejects an input without messages.
  const last = rows.at(-1) as MessageRow;
  return { forks: true, parentId: last.id, parent: last, input: stored };
}

/**
 * The maximum time in milliseconds by which the clock of the process that created an id may be ahead of this process's
 * clock.
 */
const MAX_CLOCK_SKEW_MS = 24 * 60 * 60 * 1000;

/** A run id that the caller chose. */
export interface CallerRunId {
  id: string;
  /** True if no run can have this id yet, so no lookup is needed. */
  isFresh: boolean;
}

/**
 * Returns a run id that the caller chose; undefined if the caller chose none. Throws "invalid-input" unless the id is a
 * ULID whose time is at most `MAX_CLOCK_SKEW_MS` in the future, because all later ids of the thread must be larger.
 */
export function requireRunId(scope: LedgerScope, id: unknown, path: string): CallerRunId | undefined {
  if (id === undefined) return undefined;
  const name = requireName(id, path);
  if (!isUlid(name) || name.slice(0, 10) > toIdPrefix(scope.now() + MAX_CLOCK_SKEW_MS)) {
    throw new LedgerError("invalid-input", `"${path}" must be a ULID of the current time, such as newId() returns.`, {
      path,
    });
  }
  return { id: name, isFresh: consumeIssuedId(scope.store, name) };
}

/**
 * Returns the id of a new run, and sets `head.lastId` to the run's position in the log. Throws "conflict" if a run with
 * the caller's id exists.
 */
export function* resolveRunId(
  scope: LedgerScope,
  tx: LedgerTransaction,
  head: ThreadHead,
  callerId: CallerRunId | undefined,
): Steps<string> {
  const nextId = scope.nextId(head.lastId);
  if (callerId === undefined) {
    head.lastId = nextId;
    return nextId;
  }
  const { id } = callerId;
  const existing = callerId.isFresh ? undefined : yield* wait(tx.run(head.tenant, id));
  if (existing !== undefined) {
    throw new LedgerError("conflict", `The run "${id}" exists already, in thread ${existing.threadId}.`, {
      path: "runId",
    });
  }
  // The run's position in the log is its id; if other rows were written to the thread after the id was created, it is
  // the next id after them.
  head.lastId = id > head.lastId ? id : nextId;
  return id;
}
