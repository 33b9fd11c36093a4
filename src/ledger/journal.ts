// The journal of a thread: entries of the caller's own, in the one sequence of ids that its messages and runs have. They are
// never compacted, and may be written together with messages and with the wish for work.
import type { JsonObject } from "../model/json.ts";
import { parseJson, stringifyJson } from "../model/json.ts";
import { isObject } from "../model/kind.ts";
import type { Message, StoredMessage } from "../model/message.ts";
import { appendTo, checkExpectedLeaf, checkPlace, formerRows } from "./append.ts";
import { readRows } from "./body.ts";
import { checkCount, checkFacts, assertStorableMessages, checkName } from "./check.ts";
import { LedgerError } from "./errors.ts";
import { parseCursor } from "./follow/cursor.ts";
import { attach, remember, requestHash } from "./keys.ts";
import type { LogRow, MessageRow, ThreadHead } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { got, type Steps } from "./steps.ts";
import type { LedgerTransaction, ThreadKey } from "./store.ts";
import { headerOfRow, keepTail } from "./tails.ts";
import { lockedThread, threadHead, threadKey } from "./threads.ts";
import type { Entry, LogResult, LogOptions } from "./types.ts";
import { wantWork } from "./wanted/want.ts";
import { demandHeld } from "./wanted/held.ts";

/** Entries that a page has where nobody says. */
const PAGE = 100;

/** What is to be written, checked. */
interface Plan {
  key: ThreadKey;
  bodies: readonly string[];
  messages: readonly Message[];
  options: LogOptions;
  /** Of the idempotency key; "" where there is none. */
  request: string;
}

export async function log(
  scope: Scope,
  threadId: string,
  entries: readonly JsonObject[],
  options: LogOptions = {},
): Promise<LogResult> {
  const plan = planLog(scope, threadId, entries, options);
  const written = await scope.store.write((tx) => writeEntries(scope, tx, plan));
  if ("found" in written) return { cursors: written.cursors, messages: await readRows(scope, written.found) };
  const { cursors, messages, last } = written;
  if (last !== undefined) keepTail(scope.store, headerOfRow(last));
  if (messages.length > 0) scope.wrote();
  return { cursors, messages };
}

function planLog(scope: Scope, threadId: string, entries: readonly JsonObject[], options: LogOptions): Plan {
  const key = threadKey(scope, threadId);
  if (!Array.isArray(entries)) throw refusal("entries", "The entries must be a list.");
  const { append, expectedEntry, idempotencyKey: name } = options;
  if (entries.length === 0 && append === undefined && options.want !== true) {
    throw refusal("entries", "There is nothing to write: give an entry, messages to append, or want.");
  }
  const bodies = entryBodies(entries);
  if (append !== undefined) {
    checkPlace(append.parentMessageId, "append/parentMessageId");
    checkExpectedLeaf(append);
  }
  if (expectedEntry === undefined && Object.hasOwn(options, "expectedEntry")) {
    throw refusal("expectedEntry", "expectedEntry is undefined: leave it out, or give null where there must be none.");
  }
  checkPlace(expectedEntry, "expectedEntry");
  const messages = append === undefined ? [] : assertStorableMessages(append.messages, "/append/messages");
  const asked = { entries, expectedEntry, want: options.want === true, append: append && { ...append, messages } };
  const request = name === undefined ? "" : requestHash({ log: asked });
  if (name !== undefined) checkName(name, "idempotencyKey");
  return { key, bodies, messages, options, request };
}

export function entryBodies(entries: readonly JsonObject[]): string[] {
  return entries.map((entry, at) => stringifyJson(checkFacts(entry, `entries/${at}`)));
}

function refusal(path: string, message: string): LedgerError {
  return new LedgerError("invalid-input", message, { path });
}

interface Written {
  cursors: string[];
  messages: StoredMessage[];
  last: MessageRow | undefined;
}
interface Before {
  cursors: string[];
  found: MessageRow[];
}

function* writeEntries(scope: Scope, tx: LedgerTransaction, plan: Plan): Steps<Written | Before> {
  const { key, bodies, messages, options, request } = plan;
  const { append, idempotencyKey: name, holding } = options;
  const head = yield* lockedThread(tx, key);
  const before = name === undefined ? undefined : yield* attach(tx, key, name, request);
  if (before !== undefined) {
    const cursors = isObject(before) && Array.isArray(before["cursors"]) ? before["cursors"] : [];
    const found = yield* formerRows(tx, key, before);
    return { cursors: cursors.filter((cursor) => typeof cursor === "string"), found };
  }
  if (holding !== undefined) yield* demandHeld(tx, key, holding);
  if (options.expectedEntry !== undefined) yield* expectEntry(tx, key, options.expectedEntry);
  const cursors = yield* insertEntries(scope, tx, head, bodies);
  const written = append === undefined ? undefined : yield* appendTo(scope, tx, head, messages, append);
  if (options.want === true) yield* wantWork(scope, tx, key);
  if (name !== undefined) {
    const messageIds = written?.rows.map(({ id }) => id) ?? [];
    yield* remember(scope, tx, key, name, request, { cursors, messageIds });
  }
  return { cursors, messages: written?.messages ?? [], last: written?.rows.at(-1) };
}

export function* insertEntries(
  scope: Scope,
  tx: LedgerTransaction,
  head: ThreadHead,
  bodies: readonly string[],
): Steps<string[]> {
  const rows: LogRow[] = bodies.map((body) => {
    head.lastId = scope.nextId(head.lastId);
    return { tenant: head.tenant, threadId: head.id, id: head.lastId, runId: "", kind: "entry", body };
  });
  if (rows.length > 0) yield* got(tx.insertLog(rows));
  return rows.map(({ id }) => id);
}

/** Refuses work whose caller has seen another end of the journal. */
function* expectEntry(tx: LedgerTransaction, key: ThreadKey, expected: string | null): Steps<void> {
  const [last] = yield* got(tx.log(key, { runId: "", order: "down", limit: 1 }));
  if ((last?.id ?? null) === expected) return;
  const message = `The last entry is ${last?.id ?? "none"}, not ${expected ?? "none"}: read the entries again.`;
  throw new LedgerError("conflict", message, { path: "expectedEntry" });
}

/** Oldest first. Entries that cannot be read are reported, and only their places are given (B91). */
export async function entriesOf(
  scope: Scope,
  threadId: string,
  page: { after?: string | undefined; limit?: number | undefined } = {},
): Promise<Entry[]> {
  const key = threadKey(scope, threadId);
  const limit = page.limit === undefined ? PAGE : checkCount(page.limit, "limit", 1);
  const after = page.after === undefined ? "" : parseCursor(page.after).id;
  const rows = await scope.store.reads.log(key, { runId: "", after, limit });
  if (rows.length === 0) await threadHead(scope, key);
  return rows.map((row) => {
    try {
      return { cursor: row.id, entry: readEntry(row) };
    } catch (error) {
      const reason = `An entry of the journal cannot be read: ${String(error)}`;
      scope.report({ threadId: key.threadId, messageId: row.id, reason });
      return { cursor: row.id, entry: undefined };
    }
  });
}

/** What an entry's row says. Throws where it is damaged. */
export function readEntry({ body }: LogRow): JsonObject {
  const entry = parseJson(body);
  if (!isObject(entry)) throw new TypeError("An entry must be an object.");
  return entry;
}
