// Lists pages of threads by id or by last activity, optionally with summaries.
import { requireCount, requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import type { ListedHead, ThreadRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import type { ActivityPage, ThreadsPage } from "../store/queries.ts";
import { toThread } from "../threads/threads.ts";
import { readSummaries } from "./thread-summaries.ts";
import type { ListedThread, ThreadList, ThreadListPage } from "./types.ts";

const DEFAULT_PAGE_SIZE = 50;
/**
 * Matches a position in the order by activity (`next` and `before` of a page): the last activity of the last listed
 * thread, which is an id or an id prefix, then a dot and the id of that thread.
 */
const ACTIVITY_POSITION = /^([0-9A-Z]{0,26})\.(.+)$/s;

export async function listThreads(scope: LedgerScope, page: ThreadListPage = {}): Promise<ThreadList> {
  const limit = page.limit === undefined ? DEFAULT_PAGE_SIZE : requireCount(page.limit, "limit", 1);
  const { order = "id" } = page;
  if (order !== "id" && order !== "activity") {
    throw new LedgerError("invalid-input", '"order" must be "id" or "activity".', { path: "order" });
  }
  const { ids, next } = await (order === "id"
    ? readPageById(scope, page, limit)
    : readPageByActivity(scope, page, limit));
  return { threads: await readListedThreads(scope, ids, page.summary === true), next };
}

/** The thread ids of a page, and the position of the next page; null if there is none. */
interface ThreadIdPage {
  ids: string[];
  next: string | null;
}

async function readPageById(
  scope: LedgerScope,
  { before, kind }: ThreadListPage,
  limit: number,
): Promise<ThreadIdPage> {
  const storePage: ThreadsPage = { limit, ...requireKindFilter(kind) };
  if (before !== undefined) storePage.before = requireName(before, "before");
  const rows = await scope.store.reads.threads(scope.tenant, storePage);
  return toIdPage(rows, limit, ({ id }) => id);
}

async function readPageByActivity(
  scope: LedgerScope,
  { before, kind }: ThreadListPage,
  limit: number,
): Promise<ThreadIdPage> {
  const storePage: ActivityPage = { limit, ...requireKindFilter(kind) };
  if (before !== undefined) storePage.before = parseActivityPosition(before);
  const rows = await scope.store.activeThreads(scope.tenant, storePage);
  return toIdPage(rows, limit, ({ lastActivity, id }) => `${lastActivity}.${id}`);
}

function toIdPage<Row extends ThreadRow>(
  rows: readonly Row[],
  limit: number,
  toNext: (row: Row) => string,
): ThreadIdPage {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { ids: rows.map(({ id }) => id), next: last === undefined ? null : toNext(last) };
}

function parseActivityPosition(before: string): { lastActivity: string; id: string } {
  const [, lastActivity, id] = ACTIVITY_POSITION.exec(requireName(before, "before")) ?? [];
  if (lastActivity !== undefined && id !== undefined) return { lastActivity, id };
  const message = '"before" must be `next` of the previous page, in the same order.';
  throw new LedgerError("invalid-input", message, { path: "before" });
}

export function requireKindFilter(kind: string | null | undefined): { kind?: string | null } {
  if (kind === undefined) return {};
  return { kind: kind === null ? null : requireName(kind, "kind") };
}

/** Returns the threads with these ids, in the same order. Threads that were deleted meanwhile are omitted. */
export async function readListedThreads(
  scope: LedgerScope,
  ids: readonly string[],
  withSummary: boolean,
): Promise<ListedThread[]> {
  const heads = await readHeads(scope, ids);
  if (!withSummary) return heads.map((head) => toThread(scope, head));
  const summariesById = await readSummaries(scope, heads);
  return heads.map((head) => {
    const thread: ListedThread = toThread(scope, head);
    const summary = summariesById.get(head.id);
    if (summary !== undefined) thread.summary = summary;
    return thread;
  });
}

export async function readHeads({ store, tenant }: LedgerScope, ids: readonly string[]): Promise<ListedHead[]> {
  const heads = new Map((await store.heads(tenant, ids)).map((head) => [head.id, head]));
  return ids.flatMap((id) => heads.get(id) ?? []);
}
