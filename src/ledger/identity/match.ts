// Finds the stored message that a history was last known to end with: the longest match; of several, the caller's own
// scope, then the active path, then the newest.
import { activeLeaf } from "../leaf.ts";
import { walkUp } from "../paths.ts";
import type { MessageHeader } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { runLater } from "../steps.ts";
import type { Place } from "./history.ts";

/** As a rule the last answer is known: it is asked for alone, and then more and more at a time. */
const FIRST = 1;
const GROWTH = 8;
const MOST = 512;
/** So many messages that end the same conversation are compared, newest first. */
const COMPARED = 64;

export interface Match {
  at: number;
  header: MessageHeader;
}

/** What a match must be. */
export interface Wanted {
  /** The caller's own scope, which is preferred. */
  own: string | undefined;
  /** Whether threads of other scopes do not count at all. */
  ownOnly: boolean;
  /** Where only one thread counts. */
  threadId?: string | undefined;
  /** Whether what a digest does not cover is alike, too. */
  accepts(match: Match): Promise<boolean>;
}

/** The longest of the places, given longest first, that a message of the tenant stands at. */
export async function findMatch(scope: Scope, places: Iterator<Place>, wanted: Wanted): Promise<Match | undefined> {
  for (let size = FIRST; ; size = Math.min(size * GROWTH, MOST)) {
    const asked: Place[] = [];
    for (let next = places.next(); next.done !== true; next = places.next()) {
      asked.push(next.value);
      if (asked.length === size) break;
    }
    if (asked.length === 0) return undefined;
    const match = await longest(scope, asked, wanted);
    if (match !== undefined) return match;
  }
}

async function longest(scope: Scope, asked: readonly Place[], wanted: Wanted): Promise<Match | undefined> {
  if (asked.length === 1) return matchAt(scope, asked[0] as Place, wanted);
  const { own, ownOnly } = wanted;
  const { store, tenant } = scope;
  const digests = asked.map(({ digest }) => digest);
  // Which of them are there at all? Those of the caller's own scope are among the tenant's.
  const found = await store.reads.findDigests(tenant, digests, COMPARED, ownOnly ? own : undefined);
  // Short conversations are alike more often: they may have crowded out the longest.
  const isCrowded = found.length === COMPARED;
  for (const place of asked) {
    if (!isCrowded && !found.some(({ digest }) => digest === place.digest)) continue;
    const match = await matchAt(scope, place, wanted);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** The match at one place: in the caller's own scope, where there are some; else in the tenant. */
async function matchAt(scope: Scope, { at, digest }: Place, wanted: Wanted): Promise<Match | undefined> {
  const { own, ownOnly } = wanted;
  for (const asked of ownOnly || own === undefined ? [own] : [own, undefined]) {
    const found = await scope.store.reads.findDigests(scope.tenant, [digest], COMPARED, asked);
    const accepted: MessageHeader[] = [];
    for (const header of found) {
      if (isWithin(header, wanted) && (await wanted.accepts({ at, header }))) accepted.push(header);
    }
    // The active path may be among those that were too many to be compared.
    const isCrowded = found.length === COMPARED;
    const header = isCrowded
      ? ((await newestActive(scope, accepted)) ?? (await hiddenActive(scope, found, { at, digest }, wanted)))
      : await preferred(scope, accepted);
    if (header !== undefined) return { at, header };
    if (accepted[0] !== undefined) return { at, header: accepted[0] };
  }
  return undefined;
}

function isWithin({ threadId }: MessageHeader, wanted: Wanted): boolean {
  return wanted.threadId === undefined || wanted.threadId === threadId;
}

/** Of messages that end the same conversation, newest first, the one to go on with. */
export async function preferred(scope: Scope, headers: readonly MessageHeader[]): Promise<MessageHeader | undefined> {
  return headers.length < 2 ? headers[0] : ((await newestActive(scope, headers)) ?? headers[0]);
}

/** The newest of the messages, given newest first, that is on the active path of its thread. */
async function newestActive(scope: Scope, headers: readonly MessageHeader[]): Promise<MessageHeader | undefined> {
  const byThread = Map.groupBy(headers, ({ threadId }) => threadId);
  const active = new Map<string, MessageHeader | undefined>();
  for (const { id, threadId } of headers) {
    if (!active.has(threadId)) {
      const ids = byThread.get(threadId)?.map((each) => each.id) ?? [];
      active.set(threadId, await firstActive(scope, threadId, ids));
    }
    const found = active.get(threadId);
    if (found?.id === id) return found;
  }
  return undefined;
}

/** The newest of these messages of a thread, given newest first, that is on its active path. */
async function firstActive(scope: Scope, threadId: string, ids: readonly string[]): Promise<MessageHeader | undefined> {
  const wanted = new Set(ids);
  const oldest = ids.at(-1) ?? "";
  let found: MessageHeader | undefined;
  await alongActive(scope, threadId, (header) => {
    if (wanted.has(header.id)) found = header;
    return found === undefined && header.id > oldest;
  });
  return found;
}

/** A message at the place on the active path of one of the threads in which messages were found. */
async function hiddenActive(
  scope: Scope,
  found: readonly MessageHeader[],
  { at, digest }: Place,
  wanted: Wanted,
): Promise<MessageHeader | undefined> {
  const threads = wanted.threadId === undefined ? found.map((each) => each.threadId) : [wanted.threadId];
  for (const threadId of new Set(threads)) {
    const active: MessageHeader[] = [];
    await alongActive(scope, threadId, (header) => {
      if (header.role === "assistant" && header.digest === digest) active.push(header);
      return true;
    });
    for (const header of active) if (await wanted.accepts({ at, header })) return header;
  }
  return undefined;
}

/** Visits the active path of a thread from its leaf up, until told to stop. */
async function alongActive(
  { store, tenant }: Scope,
  threadId: string,
  visit: (header: MessageHeader) => boolean,
): Promise<void> {
  const key = { tenant, threadId };
  const head = await store.reads.thread(key);
  if (head !== undefined) await runLater(walkUp(store.reads, key, activeLeaf(head), visit));
}
