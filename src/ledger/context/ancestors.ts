// Finds facts about the ancestors of a message: the last of the leading instructions and the nearest user message.
// Walks up to the root, or up to a message whose facts are cached: messages never change, and neither do their
// ancestors.
import { setImmediate as otherWork } from "node:timers/promises";
import { followParents, firstReadSize, nextReadSize } from "../messages/paths.ts";
import type { MessageHeader } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { LedgerStore, ThreadKey } from "../store/contract.ts";

/** Facts about a message and all its ancestors. */
export interface AncestorFacts {
  /** The last of the instructions that the path begins with. */
  instructionId: string | null;
  /** True if all of them are instructions. */
  isInstructionsOnly: boolean;
  /** The nearest user message. */
  userId: string | null;
}

export function isInstruction(role: string): boolean {
  return role === "system" || role === "developer";
}

/** The number of rows after which other work of the process may run. */
const READ_SIZE = 1000;

export async function readAncestorFacts(
  { store }: LedgerScope,
  key: ThreadKey,
  from: string | null,
): Promise<AncestorFacts> {
  const facts: AncestorFacts = { instructionId: null, isInstructionsOnly: true, userId: null };
  const cached = findCachedFacts(store, key);
  let steps = 0;
  let size = firstReadSize(Number.POSITIVE_INFINITY);
  for (let nextId = from; nextId !== null;) {
    const read: MessageHeader[] = await store.reads.headers(key, { upTo: nextId, order: "desc", limit: size });
    const { rows, next, missing } = followParents(read, nextId);
    const hit = rows.findIndex(({ id }) => cached.has(id));
    for (const row of hit === -1 ? rows : rows.slice(0, hit)) addMessage(facts, row);
    steps += hit === -1 ? rows.length : hit;
    const cachedFacts = cached.get(rows[hit]?.id ?? "");
    if (cachedFacts !== undefined) {
      addFacts(facts, cachedFacts);
      break;
    }
    // The missing message may be imported again, so the facts are not cached.
    if (missing) return facts;
    if (read.length >= READ_SIZE) await otherWork();
    size = nextReadSize(size, rows.length, read.length);
    nextId = next;
  }
  if (from !== null && steps >= MIN_DISTANCE) cacheFacts(store, key, from, { ...facts });
  return facts;
}

/** Adds the next ancestor. */
function addMessage(facts: AncestorFacts, { id, role }: MessageHeader): void {
  if (isInstruction(role)) facts.instructionId ??= id;
  else [facts.instructionId, facts.isInstructionsOnly] = [null, false];
  if (role === "user") facts.userId ??= id;
}

/** Adds the facts of all further ancestors. */
function addFacts(facts: AncestorFacts, rest: AncestorFacts): void {
  facts.instructionId = rest.isInstructionsOnly ? (facts.instructionId ?? rest.instructionId) : rest.instructionId;
  facts.isInstructionsOnly &&= rest.isInstructionsOnly;
  facts.userId ??= rest.userId;
}

/** The limits of the cache: threads per store, and messages per thread, the most recent ones, for several branches. */
const MAX_CACHED_THREADS = 1000;
const MAX_ENTRIES_PER_THREAD = 8;
/** The minimum distance between cached messages: a shorter walk would hardly be faster. */
const MIN_DISTANCE = 64;

const caches = new WeakMap<LedgerStore, Map<string, Map<string, AncestorFacts>>>();
const EMPTY_CACHE: ReadonlyMap<string, AncestorFacts> = new Map();

function toCacheKey({ tenant, threadId }: ThreadKey): string {
  return JSON.stringify([tenant, threadId]);
}

function findCachedFacts(store: LedgerStore, key: ThreadKey): ReadonlyMap<string, AncestorFacts> {
  return caches.get(store)?.get(toCacheKey(key)) ?? EMPTY_CACHE;
}

function cacheFacts(store: LedgerStore, key: ThreadKey, id: string, facts: AncestorFacts): void {
  let threads = caches.get(store);
  if (threads === undefined) caches.set(store, (threads = new Map()));
  const name = toCacheKey(key);
  const ofThread = threads.get(name) ?? new Map<string, AncestorFacts>();
  // Inserted again, so that the first entry of a map is always the least recently used.
  threads.delete(name);
  ofThread.delete(id);
  dropOldest(threads.set(name, ofThread), MAX_CACHED_THREADS);
  dropOldest(ofThread.set(id, facts), MAX_ENTRIES_PER_THREAD);
}

function dropOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size <= limit) return;
  const [first] = map.keys();
  if (first !== undefined) map.delete(first);
}

/** Drops the cache of a thread from which messages were deleted: an import may reuse their ids with other messages. */
export function forgetAncestors(store: LedgerStore, key: ThreadKey): void {
  caches.get(store)?.delete(toCacheKey(key));
}
