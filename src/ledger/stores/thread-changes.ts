// Derives two values from thread rows: the kinds of change that watchers of threads receive, and the last activity of a
// thread that has no messages and log rows yet.
import { toIdPrefix } from "../ids.ts";
import type { ThreadChange } from "../overview/types.ts";
import type { ThreadRow } from "../store/rows.ts";

/** Returns the kinds of change that watchers receive after the fields in `changes` were updated in a thread row. */
export function toThreadChanges(changes: Partial<ThreadRow>): ThreadChange["change"][] {
  const result: ThreadChange["change"][] = [];
  if (changes.pinned !== undefined || changes.leafId !== undefined) result.push("selected");
  const { title, scope, metadata } = changes;
  if (title !== undefined || scope !== undefined || metadata !== undefined) result.push("updated");
  return result;
}

/**
 * Returns the last activity of a thread that has no messages and log rows yet: the id prefix of its creation time, or
 * "" if that time is invalid.
 */
export function toCreationIdPrefix({ createdAt }: ThreadRow): string {
  const ms = Date.parse(createdAt);
  return Number.isNaN(ms) ? "" : toIdPrefix(ms);
}
