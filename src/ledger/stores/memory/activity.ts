// Computes the last activity of the threads of a memory store from their rows.
import type { ActiveThread, ThreadRow } from "../../store/rows.ts";
import type { ActivityPage } from "../../store/queries.ts";
import { toCreationIdPrefix } from "../thread-changes.ts";
import { compareIds } from "../compare-ids.ts";
import type { TenantData, ThreadData } from "./data.ts";

export function listActiveThreads(
  { threads, data }: TenantData,
  { before, kind, limit }: ActivityPage,
): ActiveThread[] {
  return threads
    .all()
    .filter((row) => kind === undefined || row.kind === kind)
    .map((row) => Object.assign({ lastActivity: findLastActivity(row, data.get(row.id)) }, row))
    .filter((row) => before === undefined || compareActivity(row, before) > 0)
    .sort(compareActivity)
    .slice(0, limit);
}

/** Orders threads by last activity, the latest first; on a tie, by id, the largest first. */
function compareActivity(
  a: Pick<ActiveThread, "lastActivity" | "id">,
  b: Pick<ActiveThread, "lastActivity" | "id">,
): number {
  return compareIds(b.lastActivity, a.lastActivity) || compareIds(b.id, a.id);
}

export function findLastActivity(row: ThreadRow, data: ThreadData | undefined): string {
  const [lastLogRow] = data?.log.readRange({ order: "desc", limit: 1 }, ({ kind }) => kind !== "delta") ?? [];
  const ids = [toCreationIdPrefix(row), data?.messages.lastId ?? "", lastLogRow?.id ?? ""];
  return ids.reduce((a, b) => (compareIds(a, b) > 0 ? a : b));
}
