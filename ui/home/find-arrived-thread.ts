// Finds the thread that was created while the home view is open.
import { mayHaveThreads } from "../data/thread-names.ts";
import type { ThreadJson, ThreadListState } from "../data/types.ts";

/**
 * Returns the newest thread that the event feed has reported as created since the list state `previous`; undefined if
 * there is none. An older thread that is only loaded now is not returned. If there were no threads at all in
 * `previous`, returns the first thread of the list.
 */
export function findArrivedThread(
  previous: ThreadListState,
  { threads, createdIds }: ThreadListState,
): ThreadJson | undefined {
  if (!mayHaveThreads(previous)) return threads[0];
  return threads.find(({ id }) => createdIds.has(id) && !previous.createdIds.has(id));
}
