// Caches the last message that this process wrote to each thread: the next append needs its parent's role and digest.
// Messages never change, so a cached header stays valid.
import type { MessageHeader, ThreadHead } from "../store/rows.ts";
import type { LedgerStore } from "../store/contract.ts";

/** The maximum number of threads cached per store; the oldest entries are dropped. */
const MAX_CACHED_THREADS = 1000;

/** By thread id; threads of different tenants with the same id share one entry. */
const lastMessages = new WeakMap<LedgerStore, Map<string, MessageHeader>>();

/** Caches the header of a durable message. An id that was rolled back may be used again, so it must not be cached. */
export function cacheLastMessage(store: LedgerStore, header: MessageHeader): void {
  let headers = lastMessages.get(store);
  if (headers === undefined) lastMessages.set(store, (headers = new Map()));
  headers.set(header.threadId, header);
  if (headers.size <= MAX_CACHED_THREADS) return;
  const [oldest] = headers.keys();
  if (oldest !== undefined) headers.delete(oldest);
}

/** Drops the cached header of a thread: its messages may be deleted, and imported again with other content. */
export function forgetLastMessage(store: LedgerStore, threadId: string): void {
  lastMessages.get(store)?.delete(threadId);
}

/** Returns the cached header of a message that is known to be in the thread. */
export function findLastMessage(store: LedgerStore, thread: ThreadHead, id: string): MessageHeader | undefined {
  const header = lastMessages.get(store)?.get(thread.id);
  return header?.id === id && header.tenant === thread.tenant ? header : undefined;
}

/** Returns the header without the body of a row. */
export function toHeader({ tenant, threadId, id, parentId, runId, role, digest }: MessageHeader): MessageHeader {
  return { tenant, threadId, id, parentId, runId, role, digest };
}
