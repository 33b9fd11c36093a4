// The thread changes that writes cause, the same in every store.
import { toIdPrefix } from "../ids.ts";
import type { ThreadChange } from "../overview/types.ts";
import type { ThreadRow } from "../store/rows.ts";

/** Returns the changes of a thread whose row is updated. */
export function toThreadChanges(changes: Partial<ThreadRow>): ThreadChange["change"][] {
  const result: ThreadChange["change"][] = [];
  if (changes.pinned !== undefined || changes.leafId !== undefined) result.push("selected");
  const { title, scope, metadata } = changes;
  if (title !== undefined || scope !== undefined || metadata !== undefined) result.push("updated");
  return result;
}

/** Returns the id prefix of a thread's creation time, which is its first activity. */
export function toCreationIdPrefix({ createdAt }: ThreadRow): string {
  const ms = Date.parse(createdAt);
  return Number.isNaN(ms) ? "" : toIdPrefix(ms);
}
