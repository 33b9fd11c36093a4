// Reads and moves the active leaf of a thread. The active leaf is the newest message, unless the thread is pinned to
// another message. An append to an unpinned thread therefore need not write the thread row.
import type { ThreadHead } from "../store/rows.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";

/** Returns the id of the last message of the active path; null if the path is empty. */
export function activeLeaf(head: ThreadHead): string | null {
  return head.pinned ? head.leafId : head.newestMessageId;
}

/** Makes a message the active leaf, and updates `head` in place. Writes the thread row only if it changes. */
export function* moveLeaf(tx: LedgerTransaction, head: ThreadHead, leafId: string | null): Steps<void> {
  // A thread is not pinned to its newest message, so that later appends move the active leaf.
  const pinned = leafId !== head.newestMessageId;
  const storedLeafId = pinned ? leafId : null;
  if (head.pinned === pinned && head.leafId === storedLeafId) return;
  yield* wait(tx.updateThread({ tenant: head.tenant, threadId: head.id }, { pinned, leafId: storedLeafId }));
  head.pinned = pinned;
  head.leafId = storedLeafId;
}
