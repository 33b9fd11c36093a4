// Returns the display name of a thread, and checks whether there may be threads. The functions are pure.
import type { ThreadJson, ThreadListState } from "./types.ts";

/** Returns the display name of a thread: its title, the beginning of its first user message, or "Untitled". */
export function formatThreadName({ title, summary }: Pick<ThreadJson, "title" | "summary">): string {
  return title?.trim() || summary?.preview.trim() || "Untitled";
}

/** True if there are or may be threads: some are listed, or a search or filter may hide them. */
export function mayHaveThreads({ threads, search, filter }: ThreadListState): boolean {
  return threads.length > 0 || search !== "" || filter !== "all";
}
