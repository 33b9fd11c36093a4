// Derives the changes that watchers of threads receive, and the first activity of a thread, from thread rows.
import { toIdPrefix } from "../ids.ts";
import type { ThreadChange } from "../overview/types.ts";
import type { ThreadRow } from "../store/rows.ts";

/** Returns the thread changes to report after these fields of a thread row were updated. */
export function toThreadChanges(changes: Partial<ThreadRow>): ThreadChange["change"][] {
  const result: ThreadChange["change"][] = [];
  if (changes.pinned !== undefined || changes.leafId !== undefined) result.push("selected");
  const { title, scope, metadata } = changes;
  if (title !== undefined || scope !== undefined || metadata !== undefined) result.push("updated");
  return result;
}

/** Returns a thread's first activity: the id prefix of its creation time, or "" if that time is invalid. */
export function toCreationIdPrefix({ createdAt }: ThreadRow): string {
  const ms = Date.parse(createdAt);
  return Number.isNaN(ms) ? "" : toIdPrefix(ms);
}
