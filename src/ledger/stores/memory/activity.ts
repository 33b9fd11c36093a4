// When something last happened in the threads of a memory store: looked for anew each time, as nothing but the rows is kept.
import type { ActiveThread, ThreadRow } from "../../rows.ts";
import type { ActivityPage } from "../../store.ts";
import { creationOf } from "../changes.ts";
import { compareIds } from "../compare.ts";
import type { TenantData, ThreadData } from "./data.ts";

export function activeThreads({ threads, data }: TenantData, { before, kind, limit }: ActivityPage): ActiveThread[] {
  return threads
    .all()
    .filter((row) => kind === undefined || row.kind === kind)
    .map((row) => Object.assign({ lastActivity: lastActivity(row, data.get(row.id)) }, row))
    .filter((row) => before === undefined || compare(row, before) > 0)
    .sort(compare)
    .slice(0, limit);
}

/** Those in which something happened last first. */
function compare(a: Pick<ActiveThread, "lastActivity" | "id">, b: Pick<ActiveThread, "lastActivity" | "id">): number {
  return compareIds(b.lastActivity, a.lastActivity) || compareIds(b.id, a.id);
}

export function lastActivity(row: ThreadRow, data: ThreadData | undefined): string {
  const [logged] = data?.log.stretch({ order: "down", limit: 1 }, ({ kind }) => kind !== "delta") ?? [];
  const ids = [creationOf(row), data?.messages.lastId ?? "", logged?.id ?? ""];
  return ids.reduce((a, b) => (compareIds(a, b) > 0 ? a : b));
}
