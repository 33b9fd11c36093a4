// Finds threads while somebody types: by their titles, and by what was said in them.
import { checkCount } from "../check.ts";
import type { Scope } from "../scope.ts";
import { search, type SearchIndex } from "../search/index.ts";
import { foldText, wordsOf } from "../search/words.ts";
import type { SearchHit } from "../store.ts";
import { kindOf, listed } from "./list.ts";
import type { FindOptions, FoundThreads } from "./types.ts";

const PAGE = 50;
/** Messages that are looked for: a thread may have many of them. */
const MOST_HITS = 500;
const HITS_OF_THREAD = 3;
/** Titles that are read at a time. */
const TITLES = 1000;

export async function findThreads(
  scope: Scope,
  query: string,
  options: FindOptions,
  index: SearchIndex,
): Promise<FoundThreads> {
  const limit = options.limit === undefined ? PAGE : checkCount(options.limit, "limit", 1);
  const { kind } = kindOf(options.kind);
  const all = await search(scope, query, { limit: MOST_HITS, prefix: true }, index);
  const ofThread = Map.groupBy(all, ({ threadId }) => threadId);
  // More than are wanted: those of another kind are left out below.
  const ids = new Set([...(await titled(scope, query, kind === undefined ? limit : MOST_HITS)), ...ofThread.keys()]);
  const found = kind === undefined ? [...ids].slice(0, limit) : await ofKind(scope, ids, kind, limit);
  const threads = await listed(scope, found, options.summary === true);
  const hits: SearchHit[] = threads.flatMap(({ id }) => ofThread.get(id)?.slice(0, HITS_OF_THREAD) ?? []);
  return { threads, hits };
}

async function ofKind(scope: Scope, ids: Iterable<string>, kind: string | null, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (const threadId of ids) {
    if (found.length === limit) break;
    const head = await scope.store.reads.thread({ tenant: scope.tenant, threadId });
    if (head?.kind === kind) found.push(threadId);
  }
  return found;
}

/** Threads in whose title all words stand, whole or in part, newest first. */
async function titled({ store, tenant }: Scope, query: string, limit: number): Promise<string[]> {
  const words = [...wordsOf(query)];
  const found: string[] = [];
  if (words.length === 0) return found;
  for (let before: string | undefined; ;) {
    const page = await store.reads.titles(tenant, before === undefined ? { limit: TITLES } : { before, limit: TITLES });
    for (const { id, title } of page) {
      const folded = foldText(title ?? "");
      if (words.every((word) => folded.includes(word))) found.push(id);
    }
    if (found.length >= limit || page.length < TITLES) return found.slice(0, limit);
    before = page.at(-1)?.id;
  }
}
