// Finds facts about a message and its ancestors: the last of the leading instructions and the nearest user message. The
// walk ends at the root or at a message whose facts are cached. Cached facts stay valid, because neither a message nor
// its ancestors ever change.
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { isInstruction } from "../identity/normal-form.ts";
import { followParents, firstReadSize, nextReadSize } from "../messages/paths.ts";
import type { MessageHeader } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { LedgerStore, ThreadKey } from "../store/contract.ts";

/** Facts about a message and all its ancestors. */
export interface AncestorFacts {
  /**
   * The id of the last of the instructions (system or developer messages) with which the path begins; null if the root
   * is not an instruction.
   */
  instructionId: string | null;
  /** True if the message and all its ancestors are instructions. */
  isInstructionsOnly: boolean;
  /** The id of the nearest user message; null if there is none. */
  userId: string | null;
}

/** If a read returned at least this many rows, the walk yields to the event loop before the next read. */
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
    // The facts are incomplete. They are not cached, because the missing message may be imported again.
    if (missing) return facts;
    if (read.length >= READ_SIZE) await yieldToEventLoop();
    size = nextReadSize(size, rows.length, read.length);
    nextId = next;
  }
  if (from !== null && steps >= MIN_DISTANCE) cacheFacts(store, key, from, { ...facts });
  return facts;
}

/**
 * Adds an ancestor to the facts of a message. The ancestors are added upwards, the nearest one first. An ancestor that
 * is not an instruction resets `instructionId`, because the instructions below it are not leading instructions.
 */
function addMessage(facts: AncestorFacts, { id, role }: MessageHeader): void {
  if (isInstruction(role)) facts.instructionId ??= id;
  else [facts.instructionId, facts.isInstructionsOnly] = [null, false];
  if (role === "user") facts.userId ??= id;
}

/** Adds the facts about an ancestor and everything above it, which were cached, to the facts of a message. */
function addFacts(facts: AncestorFacts, rest: AncestorFacts): void {
  facts.instructionId = rest.isInstructionsOnly ? (facts.instructionId ?? rest.instructionId) : rest.instructionId;
  facts.isInstructionsOnly &&= rest.isInstructionsOnly;
  facts.userId ??= rest.userId;
}

/** The maximum number of threads in the cache of a store. */
const MAX_CACHED_THREADS = 1000;
/**
 * The maximum number of cached facts per thread. There is one entry for each message from which a walk started; there
 * can be several such messages, because several branches may be read.
 */
const MAX_ENTRIES_PER_THREAD = 8;
/**
 * Facts are cached only after a walk over at least this many messages, because the cache hardly shortens a shorter
 * walk.
 */
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
  // Both entries are deleted before they are set, so that the first entry of each map is the one that was cached
  // earliest.
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

/**
 * Deletes the cached facts of a thread from which messages were deleted: an import may create different messages with
 * the same ids.
 */
export function forgetAncestors(store: LedgerStore, key: ThreadKey): void {
  caches.get(store)?.delete(toCacheKey(key));
}
