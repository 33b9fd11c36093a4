// Where a run begins: its thread, which may be made on the way, the messages that it answers, and its name.
import type { StoredMessage } from "../../model/message.ts";
import { isObject } from "../../model/kind.ts";
import { checkPlace } from "../append.ts";
import { assertStorableMessages, checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import { claimId, idTime, isId } from "../ids.ts";
import { unknownMessage, writeChain } from "../insert.ts";
import { activeLeaf, moveLeaf } from "../leaf.ts";
import { headerOf } from "../paths.ts";
import type { MessageHeader, MessageRow, ThreadHead, ThreadRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, isPromise, type Steps } from "../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store.ts";
import { demandThread, emptyHead, newThreadRow, threadKey } from "../threads.ts";
import type { NewThread, RunInput } from "../types.ts";

/** The thread of a run. */
export interface Target {
  key: ThreadKey;
  /** What is written where there is no such thread; undefined: then it is an error. */
  row: ThreadRow | undefined;
  /** Whether there can be none. */
  isFresh: boolean;
}

/** The thread that a caller means: by its id, or by how it is made. */
export function targetOf(
  scope: Scope,
  { threadId, thread }: { threadId?: string | undefined; thread?: NewThread | undefined },
): Target {
  if (thread === undefined) {
    // It is refused where it is no name.
    return { key: threadKey(scope, threadId as string), row: undefined, isFresh: false };
  }
  if (typeof thread !== "object" || thread === null) {
    throw new LedgerError("invalid-input", "A thread must be an object.", { path: "thread" });
  }
  if (threadId !== undefined && thread.id !== undefined && thread.id !== threadId) {
    throw new LedgerError("invalid-input", "threadId and thread.id name two threads; leave one out.", {
      path: "thread/id",
    });
  }
  const id = thread.id ?? threadId;
  const row = newThreadRow(scope, { ...thread, id }, "thread/");
  const isFresh = id === undefined || claimId(scope.store, id);
  return { key: { tenant: row.tenant, threadId: row.id }, row, isFresh };
}

/** The thread, which nobody else writes to until the work is over; made where need be. */
export function* enterThread(tx: LedgerTransaction, { key, row, isFresh }: Target): Steps<ThreadHead> {
  const locked = isFresh ? undefined : tx.lockThread(key);
  const head = isPromise(locked) ? yield* got(locked) : locked;
  if (head !== undefined || row === undefined) return demandThread(key, head);
  const inserted = tx.insertThread(row);
  if (isPromise(inserted)) yield* got(inserted);
  return emptyHead(row);
}

/** Writes to a thread, or a run, that another writer may be making at the same time: the second look finds it. */
export async function writeInto<T>(
  scope: Scope,
  target: Target,
  given: GivenId | undefined,
  work: (tx: LedgerTransaction) => Steps<T>,
): Promise<T> {
  try {
    return await scope.store.write(work);
  } catch (error) {
    // The ledger's own conflicts say what they are about; those of a store are about an id that was taken.
    const isRace = error instanceof LedgerError && error.code === "conflict" && error.path === "";
    if (!isRace || (target.row === undefined && given?.isFresh !== true)) throw error;
    // An id that was made here may have been used elsewhere by whoever was told of it: both are looked for now.
    target.isFresh = false;
    if (given !== undefined) given.isFresh = false;
    return scope.store.write(work);
  }
}

/** Input whose messages can be written, or none. */
export function checkInput(input: RunInput | undefined, fork: unknown): RunInput | undefined {
  if (input === undefined) return undefined;
  if (!isObject(input)) {
    throw new LedgerError("invalid-input", "The input of a run must be an object with messages.", { path: "input" });
  }
  if (fork !== undefined) {
    const message = "A run with input forks from the last message of it; leave forkFromMessageId out.";
    throw new LedgerError("invalid-input", message, { path: "forkFromMessageId" });
  }
  checkPlace(input.parentMessageId, "input/parentMessageId");
  return { ...input, messages: assertStorableMessages(input.messages, "/input/messages") };
}

/** Where a run goes on. */
export interface Fork {
  forks: boolean;
  /** Where it forks; else the active leaf. */
  parentId: string | null;
  /** The message of that id, where it is known without reading. */
  parent?: MessageHeader | undefined;
  /** The input as it was stored. */
  input: StoredMessage[];
}

/** Appends the input, which makes its last message the active leaf; or finds the fork point. */
export function* enterFork(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  input: RunInput | undefined,
  forkFromMessageId: string | null | undefined,
): Steps<Fork> {
  if (input === undefined) {
    if (forkFromMessageId === undefined) return { forks: false, parentId: activeLeaf(head), input: [] };
    if (forkFromMessageId === null) return { forks: true, parentId: null, input: [] };
    const parent = yield* headerOf(tx, { tenant: head.tenant, threadId: head.id }, forkFromMessageId);
    if (parent === undefined) throw unknownMessage(forkFromMessageId, "forkFromMessageId");
    return { forks: true, parentId: forkFromMessageId, parent, input: [] };
  }
  const { messages, parentMessageId } = input;
  const parentId = parentMessageId === undefined ? activeLeaf(head) : parentMessageId;
  const { rows, messages: stored } = yield* writeChain(scope, tx, head, { parentId, messages });
  if (head.pinned) yield* moveLeaf(tx, head, head.newestMessageId);
  // There is at least one, as was checked.
  const last = rows.at(-1) as MessageRow;
  return { forks: true, parentId: last.id, parent: last, input: stored };
}

/** How far the clock of whoever made an id may be ahead. */
const AHEAD_MS = 24 * 60 * 60 * 1000;

/** A run's id that a caller gives. */
export interface GivenId {
  id: string;
  /** Whether no run can have it yet. */
  isFresh: boolean;
}

/** New ids of the thread follow that of its run, whatever the clock says: it must be of this time. */
export function checkRunId(scope: Scope, id: unknown, path: string): GivenId | undefined {
  if (id === undefined) return undefined;
  const name = checkName(id, path);
  if (!isId(name) || name.slice(0, 10) > idTime(scope.now() + AHEAD_MS)) {
    throw new LedgerError("invalid-input", `"${path}" must be a ULID of this time, as newId() makes them.`, { path });
  }
  return { id: name, isFresh: claimId(scope.store, name) };
}

/** The id of a new run, and that of the row that says so: the run's events come after it. */
export function* nameRun(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  given: GivenId | undefined,
): Steps<string> {
  const place = scope.nextId(head.lastId);
  if (given === undefined) {
    head.lastId = place;
    return place;
  }
  const { id } = given;
  const taken = given.isFresh ? undefined : yield* got(tx.run(head.tenant, id));
  if (taken !== undefined) {
    throw new LedgerError("conflict", `There is a run "${id}" already, in thread ${taken.threadId}.`, {
      path: "runId",
    });
  }
  // A run that was named before others wrote to the thread begins after what they wrote.
  head.lastId = id > head.lastId ? id : place;
  return id;
}
