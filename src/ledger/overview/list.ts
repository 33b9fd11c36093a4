// Lists of threads, a page at a time: by id or by what happened last, with summaries where they are wanted.
import { checkCount, checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import type { ListedHead, ThreadRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { ActivityPage, ThreadsPage } from "../store.ts";
import { describe } from "../threads.ts";
import { summaries } from "./summary.ts";
import type { ListedThread, ThreadList, ThreadListPage } from "./types.ts";

/** How many threads a page has where nobody says. */
const PAGE = 50;
/** An activity is an id, or how one begins. */
const PLACE = /^([0-9A-Z]{0,26})\.(.+)$/s;

export async function listThreads(scope: Scope, page: ThreadListPage = {}): Promise<ThreadList> {
  const limit = page.limit === undefined ? PAGE : checkCount(page.limit, "limit", 1);
  const { order = "id" } = page;
  if (order !== "id" && order !== "activity") {
    throw new LedgerError("invalid-input", '"order" must be "id" or "activity".', { path: "order" });
  }
  const { ids, next } = await (order === "id" ? byId(scope, page, limit) : byActivity(scope, page, limit));
  return { threads: await listed(scope, ids, page.summary === true), next };
}

interface Place {
  ids: string[];
  next: string | null;
}

async function byId(scope: Scope, { before, kind }: ThreadListPage, limit: number): Promise<Place> {
  const wanted: ThreadsPage = { limit, ...kindOf(kind) };
  if (before !== undefined) wanted.before = checkName(before, "before");
  const rows = await scope.store.reads.threads(scope.tenant, wanted);
  return placeOf(rows, limit, ({ id }) => id);
}

async function byActivity(scope: Scope, { before, kind }: ThreadListPage, limit: number): Promise<Place> {
  const wanted: ActivityPage = { limit, ...kindOf(kind) };
  if (before !== undefined) wanted.before = readPlace(before);
  const rows = await scope.store.activeThreads(scope.tenant, wanted);
  return placeOf(rows, limit, ({ lastActivity, id }) => `${lastActivity}.${id}`);
}

function placeOf<Row extends ThreadRow>(rows: readonly Row[], limit: number, nextOf: (row: Row) => string): Place {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { ids: rows.map(({ id }) => id), next: last === undefined ? null : nextOf(last) };
}

function readPlace(before: string): { lastActivity: string; id: string } {
  const [, lastActivity, id] = PLACE.exec(checkName(before, "before")) ?? [];
  if (lastActivity !== undefined && id !== undefined) return { lastActivity, id };
  const message = '"before" must be `next` of the page before, in the same order.';
  throw new LedgerError("invalid-input", message, { path: "before" });
}

export function kindOf(kind: string | null | undefined): { kind?: string | null } {
  if (kind === undefined) return {};
  return { kind: kind === null ? null : checkName(kind, "kind") };
}

/** These threads, in their order; without those that were deleted since they were found. */
export async function listed(scope: Scope, ids: readonly string[], withSummary: boolean): Promise<ListedThread[]> {
  const heads = await headsOf(scope, ids);
  if (!withSummary) return heads.map((head) => describe(scope, head));
  const found = await summaries(scope, heads);
  return heads.map((head) => {
    const thread: ListedThread = describe(scope, head);
    const summary = found.get(head.id);
    if (summary !== undefined) thread.summary = summary;
    return thread;
  });
}

export async function headsOf({ store, tenant }: Scope, ids: readonly string[]): Promise<ListedHead[]> {
  const heads = new Map((await store.heads(tenant, ids)).map((head) => [head.id, head]));
  return ids.flatMap((id) => heads.get(id) ?? []);
}
