// Which conversation has arrived since one looks at the beginning. Pure.
import { hasThreads } from "../data/names.ts";
import type { Thread, ThreadListState } from "../data/types.ts";

/** The newest thread that was made since then; or the first one of all. Older ones are only read later. */
export function arrivedSince(before: ThreadListState, { threads, made }: ThreadListState): Thread | undefined {
  if (!hasThreads(before)) return threads[0];
  return threads.find(({ id }) => made.has(id) && !before.made.has(id));
}
