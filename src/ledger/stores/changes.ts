// What writes mean for lists of threads, in every store: which change a new thread row is, and from when a thread is.
import { idTime } from "../ids.ts";
import type { ThreadChange } from "../overview/types.ts";
import type { ThreadRow } from "../rows.ts";

/** What happens to a thread whose row changes. */
export function changesOf(changes: Partial<ThreadRow>): ThreadChange["change"][] {
  const told: ThreadChange["change"][] = [];
  if (changes.pinned !== undefined || changes.leafId !== undefined) told.push("selected");
  const { title, scope, metadata } = changes;
  if (title !== undefined || scope !== undefined || metadata !== undefined) told.push("updated");
  return told;
}

/** How ids of the moment begin in which a thread was made: something happened in it then, too. */
export function creationOf({ createdAt }: ThreadRow): string {
  const ms = Date.parse(createdAt);
  return Number.isNaN(ms) ? "" : idTime(ms);
}
