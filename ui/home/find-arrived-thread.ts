// Finds the thread that was created while the home view is open.
import { mayHaveThreads } from "../data/thread-names.ts";
import type { ThreadJson, ThreadListState } from "../data/types.ts";

/**
 * Returns the newest thread that was created since the list state `previous`; undefined if there is none. If `previous`
 * has no threads, returns the first thread. A thread that is only loaded later, but was created earlier, is not
 * returned.
 */
export function findArrivedThread(
  previous: ThreadListState,
  { threads, createdIds }: ThreadListState,
): ThreadJson | undefined {
  if (!mayHaveThreads(previous)) return threads[0];
  return threads.find(({ id }) => createdIds.has(id) && !previous.createdIds.has(id));
}
