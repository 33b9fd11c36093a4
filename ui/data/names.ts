// What things are called where nobody named them. Pure.
import type { Thread } from "./types.ts";

/** A thread's title; where nobody gave it one, its first words. */
export function nameOf({ title, summary }: Pick<Thread, "title" | "summary">): string {
  return title?.trim() || summary?.preview.trim() || "Untitled";
}
