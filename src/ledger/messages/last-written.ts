// Caches the header of the last message that this process wrote to each thread, because the next append needs its role
// and digest. Messages never change, so a cached header stays valid.
import type { MessageHeader, ThreadHead } from "../store/rows.ts";
import type { LedgerStore } from "../store/contract.ts";

/** The maximum number of threads in the cache of a store; when there are more, the oldest entry is deleted. */
const MAX_CACHED_THREADS = 1000;

/** The cached headers of each store, by thread id. Threads of different tenants with the same id share one entry. */
const lastMessages = new WeakMap<LedgerStore, Map<string, MessageHeader>>();

/**
 * Caches the header of a message. The message must be durable: an id that was rolled back may be used again for a
 * different message.
 */
export function cacheLastMessage(store: LedgerStore, header: MessageHeader): void {
  let headers = lastMessages.get(store);
  if (headers === undefined) lastMessages.set(store, (headers = new Map()));
  headers.set(header.threadId, header);
  if (headers.size <= MAX_CACHED_THREADS) return;
  const [oldest] = headers.keys();
  if (oldest !== undefined) headers.delete(oldest);
}

/**
 * Deletes the cached header of a thread: its messages may be deleted, and an import may create different messages with
 * the same ids.
 */
export function forgetLastMessage(store: LedgerStore, threadId: string): void {
  lastMessages.get(store)?.delete(threadId);
}

/** Returns the cached header of a message that is known to exist in the thread; undefined if it is not cached. */
export function findLastMessage(store: LedgerStore, thread: ThreadHead, id: string): MessageHeader | undefined {
  const header = lastMessages.get(store)?.get(thread.id);
  return header?.id === id && header.tenant === thread.tenant ? header : undefined;
}

/** Returns the header of a row: a copy of all its columns except the body, which would use much memory in the cache. */
export function toHeader({ tenant, threadId, id, parentId, runId, role, digest }: MessageHeader): MessageHeader {
  return { tenant, threadId, id, parentId, runId, role, digest };
}
