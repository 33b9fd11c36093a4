// Lists threads by last activity. The last activity of a thread is the later one of two values: the activity in the
// activity table, and the pending activity, which has not been written to the table yet.
import type { ActiveThread, ListedHead } from "../../store/rows.ts";
import type { ActivityPage } from "../../store/queries.ts";
import { compareIds } from "../compare-ids.ts";
import { THREADS } from "./columns.ts";
import type { SqlRow, SqlSession, SqlValue } from "./engine.ts";
import { toHead, toRowLimit } from "./reads.ts";
import type { Statements } from "./statements.ts";

/**
 * The maximum number of rows that a read requests beyond the rest of the page, because rows of threads with a later
 * pending activity are skipped. Also the maximum number of pending threads per read.
 */
const MAX_EXTRA_ROWS = 500;

/** The statements and the session of a store, for reads. */
interface ActivityQueryParts {
  statements: Statements;
  session: Pick<SqlSession, "all">;
}
type ActivityPosition = Pick<ActiveThread, "lastActivity" | "id">;
/** The pending last activity of threads, by thread id. */
type PendingActivities = ReadonlyMap<string, string>;

export async function listActiveThreads(
  parts: ActivityQueryParts,
  tenant: string,
  page: ActivityPage,
  pending: PendingActivities,
): Promise<ActiveThread[]> {
  const limit = toRowLimit(page.limit);
  const pendingThreads = await readPendingThreads(parts, tenant, page, pending);
  const threads = new Map(pendingThreads.map((thread) => [thread.id, thread]));
  let { before } = page;
  for (let count = 0; count < limit;) {
    const size = limit - count + Math.min(pending.size, MAX_EXTRA_ROWS);
    const rows = await readStoredThreads(parts, tenant, { ...page, ...(before && { before }), limit: size });
    for (const thread of rows) {
      if (thread.lastActivity < (pending.get(thread.id) ?? "") || threads.has(thread.id)) continue;
      threads.set(thread.id, thread);
      count++;
    }
    before = rows.at(-1);
    if (rows.length < size || before === undefined) break;
  }
  return [...threads.values()].sort(compareActivity).slice(0, limit);
}

/**
 * Reads the threads of the requested page whose latest activity is pending, that is, not yet written to their rows.
 * Omits deleted threads and threads that are not of the requested kind.
 */
async function readPendingThreads(
  { statements, session }: ActivityQueryParts,
  tenant: string,
  { before, kind, limit }: ActivityPage,
  pending: PendingActivities,
): Promise<ActiveThread[]> {
  const positions = Array.from(pending, ([id, lastActivity]) => ({ id, lastActivity }))
    .filter((position) => before === undefined || compareActivity(position, before) > 0)
    .sort(compareActivity);
  const threads: ActiveThread[] = [];
  const chunk = Math.max(Math.min(toRowLimit(limit), MAX_EXTRA_ROWS), 1);
  for (let at = 0; at < positions.length && threads.length < limit; at += chunk) {
    const ids = JSON.stringify(positions.slice(at, at + chunk).map(({ id }) => id));
    for (const row of await session.all(statements.fixed["active-among"], [tenant, ids])) {
      const thread = toActiveThread(row);
      const lastActivity = pending.get(thread.id) ?? "";
      // If the activity in the table is later than the pending activity, `readStoredThreads` returns the thread.
      if (thread.lastActivity > lastActivity || (kind !== undefined && thread.kind !== kind)) continue;
      threads.push({ ...thread, lastActivity });
    }
  }
  return threads;
}

async function readStoredThreads(
  { statements, session }: ActivityQueryParts,
  tenant: string,
  { before, kind, limit }: ActivityPage,
): Promise<ActiveThread[]> {
  const values: SqlValue[] = [tenant, toRowLimit(limit)];
  if (before !== undefined) values.push(before.lastActivity, before.id);
  if (typeof kind === "string") values.push(kind);
  return (await session.all(statements.activeThreads(before !== undefined, kind), values)).map(toActiveThread);
}

/** Returns the heads of the threads with these ids, with their last activity. Omits threads that do not exist. */
export async function listHeads(
  { statements, session }: ActivityQueryParts,
  tenant: string,
  ids: readonly string[],
  pending: PendingActivities,
): Promise<ListedHead[]> {
  if (ids.length === 0) return [];
  const rows = await session.all(statements.fixed.heads, [tenant, JSON.stringify(ids)]);
  return rows.map((row) => {
    const head = toHead(row);
    const at = THREADS.columns.length + 3;
    const [stored, pendingActivity] = [String(row[at] ?? ""), pending.get(head.id) ?? ""];
    return Object.assign(head, {
      lastActivity: pendingActivity > stored ? pendingActivity : stored,
      purges: Number(row[at + 1] ?? 0),
    });
  });
}

/** Orders threads by last activity, the latest first; on a tie, by id, the largest first. */
function compareActivity(a: ActivityPosition, b: ActivityPosition): number {
  return compareIds(b.lastActivity, a.lastActivity) || compareIds(b.id, a.id);
}

function toActiveThread(row: SqlRow): ActiveThread {
  return Object.assign(THREADS.decode(row), { lastActivity: String(row[THREADS.columns.length]) });
}
