// Display name of a thread, and a predicate on the thread list. Pure.
import type { ThreadJson, ThreadListState } from "./types.ts";

/** Returns the title, else the beginning of the first user message, else "Untitled". */
export function formatThreadName({ title, summary }: Pick<ThreadJson, "title" | "summary">): string {
  return title?.trim() || summary?.preview.trim() || "Untitled";
}

/** True if the thread list is not known to be empty: a search or filter may hide threads. */
export function mayHaveThreads({ threads, search, filter }: ThreadListState): boolean {
  return threads.length > 0 || search !== "" || filter !== "all";
}
