// Finds the stored message that a history continues: the longest match; of several, one in the caller's scope, then on
// the active path, then the newest.
import { activeLeaf } from "../messages/active-leaf.ts";
import { walkUp } from "../messages/paths.ts";
import type { MessageHeader } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { runAsync } from "../store/steps.ts";
import type { HistoryPosition } from "./history-turns.ts";

/** The numbers of digests per lookup: usually the last answer is known, so it is tried alone first. */
const FIRST_BATCH = 1;
const GROWTH = 8;
const MAX_BATCH = 512;
/** The number of messages with the same digest that are compared, newest first. */
const MAX_CANDIDATES = 64;

/** A position in the history and the stored message that matches it. */
export interface HistoryMatch {
  at: number;
  header: MessageHeader;
}

/** The criteria of a match. */
export interface MatchCriteria {
  /** The caller's scope, which is preferred. */
  scope: string | undefined;
  /** True if threads of other scopes are excluded. */
  isScopeRequired: boolean;
  /** If set, only this thread can match. */
  threadId?: string | undefined;
  /** Returns true if the data that a digest does not cover matches too. */
  accepts(match: HistoryMatch): Promise<boolean>;
}

/** Returns the longest of the positions, given longest first, that a message of the tenant matches. */
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
  // Checks which of the digests exist at all. Messages of the caller's scope are among those of the tenant.
  const headers = await store.reads.findDigests(
    tenant,
    digests,
    MAX_CANDIDATES,
    isScopeRequired ? ownScope : undefined,
  );
  // Short conversations are equal more often: they may have displaced the longest in the limited result.
  const isLimited = headers.length === MAX_CANDIDATES;
  for (const position of batch) {
    if (!isLimited && !headers.some(({ digest }) => digest === position.digest)) continue;
    const match = await findMatchAt(scope, position, criteria);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Finds the match at one position: in the caller's scope if there is one, otherwise in the tenant. */
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
    // The message on the active path may be among those beyond the limit.
    const isLimited = headers.length === MAX_CANDIDATES;
    const header = isLimited
      ? ((await findNewestActive(scope, accepted)) ??
        (await findUncomparedActive(scope, headers, { at, digest }, criteria)))
      : await choosePreferred(scope, accepted);
    if (header !== undefined) return { at, header };
    if (accepted[0] !== undefined) return { at, header: accepted[0] };
  }
  return undefined;
}

function isInThread({ threadId }: MessageHeader, criteria: MatchCriteria): boolean {
  return criteria.threadId === undefined || criteria.threadId === threadId;
}

/** Chooses one of several messages that end the same conversation, given newest first. */
export async function choosePreferred(
  scope: LedgerScope,
  headers: readonly MessageHeader[],
): Promise<MessageHeader | undefined> {
  return headers.length < 2 ? headers[0] : ((await findNewestActive(scope, headers)) ?? headers[0]);
}

/** Finds the newest of the messages, given newest first, that is on the active path of its thread. */
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

/** Finds the newest of these messages of a thread, given newest first, that is on its active path. */
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

/** Finds a matching message on the active path of one of the threads of these headers. */
async function findUncomparedActive(
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

/** Visits the active path of a thread from its leaf up, until `visit` returns false. */
async function walkActivePath(
  { store, tenant }: LedgerScope,
  threadId: string,
  visit: (header: MessageHeader) => boolean,
): Promise<void> {
  const key = { tenant, threadId };
  const head = await store.reads.thread(key);
  if (head !== undefined) await runAsync(walkUp(store.reads, key, activeLeaf(head), visit));
}
