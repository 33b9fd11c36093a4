// Threads in the order of what happened last: those of the table, and those of which more is known here than it says. A
// thread stands where the later of the two puts it.
import type { ActiveThread, ListedHead } from "../../rows.ts";
import type { ActivityPage } from "../../store.ts";
import { compareIds } from "../compare.ts";
import { THREADS } from "./columns.ts";
import type { SqlRow, SqlSession, SqlValue } from "./engine.ts";
import { headIn, rowCount } from "./reads.ts";
import type { Statements } from "./statements.ts";

/** So many rows are read beyond a page, in place of those that stand elsewhere. */
const MOST_BEYOND = 500;

interface ListParts {
  statements: Statements;
  session: Pick<SqlSession, "all">;
}
type Place = Pick<ActiveThread, "lastActivity" | "id">;
/** By thread. */
type Known = ReadonlyMap<string, string>;

export async function listActive(
  parts: ListParts,
  tenant: string,
  page: ActivityPage,
  known: Known,
): Promise<ActiveThread[]> {
  const limit = rowCount(page.limit);
  const raised = await raisedThreads(parts, tenant, page, known);
  const found = new Map(raised.map((thread) => [thread.id, thread]));
  let { before } = page;
  for (let count = 0; count < limit;) {
    const wanted = limit - count + Math.min(known.size, MOST_BEYOND);
    const rows = await storedThreads(parts, tenant, { ...page, ...(before && { before }), limit: wanted });
    for (const thread of rows) {
      if (thread.lastActivity < (known.get(thread.id) ?? "") || found.has(thread.id)) continue;
      found.set(thread.id, thread);
      count++;
    }
    before = rows.at(-1);
    if (rows.length < wanted || before === undefined) break;
  }
  return [...found.values()].sort(compare).slice(0, limit);
}

/** The first of those of which more is known here. What is deleted, or of another kind, is not among them. */
async function raisedThreads(
  { statements, session }: ListParts,
  tenant: string,
  { before, kind, limit }: ActivityPage,
  known: Known,
): Promise<ActiveThread[]> {
  const places = Array.from(known, ([id, lastActivity]) => ({ id, lastActivity }))
    .filter((place) => before === undefined || compare(place, before) > 0)
    .sort(compare);
  const found: ActiveThread[] = [];
  const chunk = Math.max(Math.min(rowCount(limit), MOST_BEYOND), 1);
  for (let at = 0; at < places.length && found.length < limit; at += chunk) {
    const ids = JSON.stringify(places.slice(at, at + chunk).map(({ id }) => id));
    for (const row of await session.all(statements.fixed["active-among"], [tenant, ids])) {
      const thread = activeThread(row);
      const lastActivity = known.get(thread.id) ?? "";
      // Where the table says more, the thread is found in the table.
      if (thread.lastActivity > lastActivity || (kind !== undefined && thread.kind !== kind)) continue;
      found.push({ ...thread, lastActivity });
    }
  }
  return found;
}

async function storedThreads(
  { statements, session }: ListParts,
  tenant: string,
  { before, kind, limit }: ActivityPage,
): Promise<ActiveThread[]> {
  const values: SqlValue[] = [tenant, rowCount(limit)];
  if (before !== undefined) values.push(before.lastActivity, before.id);
  if (typeof kind === "string") values.push(kind);
  return (await session.all(statements.activeThreads(before !== undefined, kind), values)).map(activeThread);
}

/** These threads, those that are there. */
export async function listHeads(
  { statements, session }: ListParts,
  tenant: string,
  ids: readonly string[],
  known: Known,
): Promise<ListedHead[]> {
  if (ids.length === 0) return [];
  const rows = await session.all(statements.fixed.heads, [tenant, JSON.stringify(ids)]);
  return rows.map((row) => {
    const head = headIn(row);
    const at = THREADS.columns.length + 3;
    const [stored, here] = [String(row[at] ?? ""), known.get(head.id) ?? ""];
    return Object.assign(head, { lastActivity: here > stored ? here : stored, purges: Number(row[at + 1] ?? 0) });
  });
}

/** Those in which something happened last first. */
function compare(a: Place, b: Place): number {
  return compareIds(b.lastActivity, a.lastActivity) || compareIds(b.id, a.id);
}

function activeThread(row: SqlRow): ActiveThread {
  return Object.assign(THREADS.decode(row), { lastActivity: String(row[THREADS.columns.length]) });
}
