// Finds the stored message that a history continues. The longest match wins. Of several equally long matches, a match
// in the caller's scope is preferred, then a match on the active path of its thread, then the newest match.
import { activeLeaf } from "../messages/active-leaf.ts";
import { walkUp } from "../messages/paths.ts";
import type { MessageHeader } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { runAsync } from "../store/steps.ts";
import type { HistoryPosition } from "./history-turns.ts";

/** The number of digests in the first lookup. It is 1, because usually the last answer of the history is stored. */
const FIRST_BATCH = 1;
/** The factor by which the number of digests grows with each lookup. */
const GROWTH = 8;
/** The maximum number of digests per lookup. */
const MAX_BATCH = 512;
/** The maximum number of stored messages that a lookup returns, newest first. */
const MAX_CANDIDATES = 64;

/** A position in the history and the stored message that matches it. */
export interface HistoryMatch {
  at: number;
  header: MessageHeader;
}

/** The criteria of a match. */
export interface MatchCriteria {
  /** The caller's scope; matches in this scope are preferred. */
  scope: string | undefined;
  /** True if threads of other scopes are excluded. */
  isScopeRequired: boolean;
  /** If set, only this thread can match. */
  threadId?: string | undefined;
  /** Returns true if the media, which digests do not cover, match too. */
  accepts(match: HistoryMatch): Promise<boolean>;
}

/**
 * Returns the match at the first position up to which the history equals a stored conversation of the tenant; undefined
 * if there is no such position. The positions must be sorted, the longest history first.
 */
export async function findMatch(
  scope: LedgerScope,
  positions: Iterator<HistoryPosition>,
  criteria: MatchCriteria,
): Promise<HistoryMatch | undefined> {
  for (let size = FIRST_BATCH; ; size = Math.min(size * GROWTH, MAX_BATCH)) {
    const batch: HistoryPosition[] = [];
    for (let next = positions.next(); next.done !== true; next = positions.next()) {
      batch.push(next.value);
      if (batch.length === size) break;
    }
    if (batch.length === 0) return undefined;
    const match = await findLongest(scope, batch, criteria);
    if (match !== undefined) return match;
  }
}

async function findLongest(
  scope: LedgerScope,
  batch: readonly HistoryPosition[],
  criteria: MatchCriteria,
): Promise<HistoryMatch | undefined> {
  if (batch.length === 1) return findMatchAt(scope, batch[0] as HistoryPosition, criteria);
  const { scope: ownScope, isScopeRequired } = criteria;
  const { store, tenant } = scope;
  const digests = batch.map(({ digest }) => digest);
  // This lookup finds out which of the digests are stored at all: in the required scope, or else in the whole tenant.
  const headers = await store.reads.findDigests(
    tenant,
    digests,
    MAX_CANDIDATES,
    isScopeRequired ? ownScope : undefined,
  );
  // If the lookup returned the maximum number of headers, stored digests may be missing: short conversations occur more
  // often, and their headers may have displaced those of longer ones. In this case, no position is skipped.
  const isLimited = headers.length === MAX_CANDIDATES;
  for (const position of batch) {
    if (!isLimited && !headers.some(({ digest }) => digest === position.digest)) continue;
    const match = await findMatchAt(scope, position, criteria);
    if (match !== undefined) return match;
  }
  return undefined;
}

/**
 * Finds the match at one position: a message in the caller's scope if there is one, otherwise a message of the tenant
 * unless the scope is required.
 */
async function findMatchAt(
  scope: LedgerScope,
  { at, digest }: HistoryPosition,
  criteria: MatchCriteria,
): Promise<HistoryMatch | undefined> {
  const { scope: ownScope, isScopeRequired } = criteria;
  for (const searchedScope of isScopeRequired || ownScope === undefined ? [ownScope] : [ownScope, undefined]) {
    const headers = await scope.store.reads.findDigests(scope.tenant, [digest], MAX_CANDIDATES, searchedScope);
    const accepted: MessageHeader[] = [];
    for (const header of headers) {
      if (isInThread(header, criteria) && (await criteria.accepts({ at, header }))) accepted.push(header);
    }
    // If the lookup returned the maximum number of headers, a message on an active path may be missing from them. If
    // none of the accepted headers is on an active path, the active paths of the threads are searched for the digest.
    const isLimited = headers.length === MAX_CANDIDATES;
    const header = isLimited
      ? ((await findNewestActive(scope, accepted)) ??
        (await findActiveByDigest(scope, headers, { at, digest }, criteria)))
      : await choosePreferred(scope, accepted);
    if (header !== undefined) return { at, header };
    if (accepted[0] !== undefined) return { at, header: accepted[0] };
  }
  return undefined;
}

function isInThread({ threadId }: MessageHeader, criteria: MatchCriteria): boolean {
  return criteria.threadId === undefined || criteria.threadId === threadId;
}

/**
 * Chooses one of several messages that end the same conversation: a message on the active path of its thread if there
 * is one, otherwise the newest message. The headers must be in order, newest first.
 */
export async function choosePreferred(
  scope: LedgerScope,
  headers: readonly MessageHeader[],
): Promise<MessageHeader | undefined> {
  return headers.length < 2 ? headers[0] : ((await findNewestActive(scope, headers)) ?? headers[0]);
}

/**
 * Returns the newest of the messages that are on the active path of their thread; undefined if there is none. The
 * headers must be in order, newest first.
 */
async function findNewestActive(
  scope: LedgerScope,
  headers: readonly MessageHeader[],
): Promise<MessageHeader | undefined> {
  const byThread = Map.groupBy(headers, ({ threadId }) => threadId);
  const active = new Map<string, MessageHeader | undefined>();
  for (const { id, threadId } of headers) {
    if (!active.has(threadId)) {
      const ids = byThread.get(threadId)?.map((each) => each.id) ?? [];
      active.set(threadId, await findActiveInThread(scope, threadId, ids));
    }
    const header = active.get(threadId);
    if (header?.id === id) return header;
  }
  return undefined;
}

/**
 * Returns the newest of the messages of one thread that are on its active path; undefined if there is none. The ids
 * must be in order, newest first.
 */
async function findActiveInThread(
  scope: LedgerScope,
  threadId: string,
  ids: readonly string[],
): Promise<MessageHeader | undefined> {
  const candidates = new Set(ids);
  const oldest = ids.at(-1) ?? "";
  let match: MessageHeader | undefined;
  await walkActivePath(scope, threadId, (header) => {
    if (candidates.has(header.id)) match = header;
    return match === undefined && header.id > oldest;
  });
  return match;
}

/**
 * Finds a message with this digest on an active path for which `criteria.accepts` is true. Searches the active path of
 * the thread that the criteria require, or else of every thread that has one of the headers.
 */
async function findActiveByDigest(
  scope: LedgerScope,
  headers: readonly MessageHeader[],
  { at, digest }: HistoryPosition,
  criteria: MatchCriteria,
): Promise<MessageHeader | undefined> {
  const threads = criteria.threadId === undefined ? headers.map((each) => each.threadId) : [criteria.threadId];
  for (const threadId of new Set(threads)) {
    const active: MessageHeader[] = [];
    await walkActivePath(scope, threadId, (header) => {
      if (header.role === "assistant" && header.digest === digest) active.push(header);
      return true;
    });
    for (const header of active) if (await criteria.accepts({ at, header })) return header;
  }
  return undefined;
}

/** Calls `visit` with the headers of a thread's active path, from the leaf up, until `visit` returns false. */
async function walkActivePath(
  { store, tenant }: LedgerScope,
  threadId: string,
  visit: (header: MessageHeader) => boolean,
): Promise<void> {
  const key = { tenant, threadId };
  const head = await store.reads.thread(key);
  if (head !== undefined) await runAsync(walkUp(store.reads, key, activeLeaf(head), visit));
}
