// Finds the thread that was created while the home view is open. Pure.
import { mayHaveThreads } from "../data/thread-names.ts";
import type { ThreadJson, ThreadListState } from "../data/types.ts";

/**
 * Returns the newest thread created since then; if there were none, the first thread. Older threads that load later do
 * not count.
 */
export function findArrivedThread(
  previous: ThreadListState,
  { threads, createdIds }: ThreadListState,
): ThreadJson | undefined {
  if (!mayHaveThreads(previous)) return threads[0];
  return threads.find(({ id }) => createdIds.has(id) && !previous.createdIds.has(id));
}
