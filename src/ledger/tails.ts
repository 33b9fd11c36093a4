// The messages that this process wrote last, by thread: the next append goes on from there, and needs to know its
// parent's role and digest. A message never changes, so that what was kept of it stays true.
import type { MessageHeader, ThreadHead } from "./rows.ts";
import type { LedgerStore } from "./store.ts";

/** Threads that are remembered per store; of more, those that came last. */
const MOST = 1000;

/** By thread id; a thread of another tenant with the same id takes the place. */
const tails = new WeakMap<LedgerStore, Map<string, MessageHeader>>();

/** Keeps the header of a message, which must be durable by now: the id of one that was undone may come again. */
export function keepTail(store: LedgerStore, header: MessageHeader): void {
  let kept = tails.get(store);
  if (kept === undefined) tails.set(store, (kept = new Map()));
  kept.set(header.threadId, header);
  if (kept.size <= MOST) return;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}

/** Forgets what was kept of a thread: its messages may be gone, and come back otherwise by an import. */
export function dropTail(store: LedgerStore, threadId: string): void {
  tails.get(store)?.delete(threadId);
}

/** The header of a message that is known to be in the thread, if it was kept. */
export function keptTail(store: LedgerStore, thread: ThreadHead, id: string): MessageHeader | undefined {
  const header = tails.get(store)?.get(thread.id);
  return header?.id === id && header.tenant === thread.tenant ? header : undefined;
}

/** Without the body, which is not to be kept. */
export function headerOfRow({ tenant, threadId, id, parentId, runId, role, digest }: MessageHeader): MessageHeader {
  return { tenant, threadId, id, parentId, runId, role, digest };
}
