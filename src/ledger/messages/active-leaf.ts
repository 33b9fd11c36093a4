// The active leaf of a thread: the newest message unless the thread is pinned to another one, so that plain appends do
// not write the thread row.
import type { ThreadHead } from "../store/rows.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";

/** Returns the last message of the active path; null if the path is empty. */
export function activeLeaf(head: ThreadHead): string | null {
  return head.pinned ? head.leafId : head.newestMessageId;
}

/** Makes a message the active leaf; writes only if that is a change. Updates the head in place. */
export function* moveLeaf(tx: LedgerTransaction, head: ThreadHead, leafId: string | null): Steps<void> {
  // Not pinned at the newest message, so that the leaf moves along with later appends.
  const pinned = leafId !== head.newestMessageId;
  const storedLeafId = pinned ? leafId : null;
  if (head.pinned === pinned && head.leafId === storedLeafId) return;
  yield* wait(tx.updateThread({ tenant: head.tenant, threadId: head.id }, { pinned, leafId: storedLeafId }));
  head.pinned = pinned;
  head.leafId = storedLeafId;
}
