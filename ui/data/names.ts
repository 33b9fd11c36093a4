// What things are called where nobody named them. Pure.
import type { Thread, ThreadListState } from "./types.ts";

/** A thread's title; where nobody gave it one, its first words. */
export function nameOf({ title, summary }: Pick<Thread, "title" | "summary">): string {
  return title?.trim() || summary?.preview.trim() || "Untitled";
}

/** Whether there are threads at all, whichever of them are listed. */
export function hasThreads({ threads, search, filter }: ThreadListState): boolean {
  return threads.length > 0 || search !== "" || filter !== "all";
}
