// The active leaf: where a thread goes on. It is the newest message unless the thread is pinned to another one, so that
// plain appends write no thread row.
import type { ThreadHead } from "./rows.ts";
import { got, type Steps } from "./steps.ts";
import type { LedgerTransaction } from "./store.ts";

/** The message that the active path ends with; null where the path is empty. */
export function activeLeaf(head: ThreadHead): string | null {
  return head.pinned ? head.leafId : head.newestMessageId;
}

/** Makes a message the active leaf, and writes only where that is a change. The head is brought up to date in place. */
export function* moveLeaf(tx: LedgerTransaction, head: ThreadHead, leafId: string | null): Steps<void> {
  // Pinned only where need be: whoever goes on at the newest message then follows what is appended to it.
  const pinned = leafId !== head.newestMessageId;
  const kept = pinned ? leafId : null;
  if (head.pinned === pinned && head.leafId === kept) return;
  yield* got(tx.updateThread({ tenant: head.tenant, threadId: head.id }, { pinned, leafId: kept }));
  head.pinned = pinned;
  head.leafId = kept;
}
