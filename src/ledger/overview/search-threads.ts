// Searches threads by title and by message text. The last word may be a prefix, for a search while the user types.
import { requireCount } from "../check-arguments.ts";
import type { LedgerScope } from "../scope.ts";
import { searchMessages, type SearchIndex } from "../search/index.ts";
import { foldText, parseQuery, listTerms } from "../search/tokenize.ts";
import type { SearchHit, TitlesPage } from "../store/queries.ts";
import { readHeads, requireKindFilter, readListedThreads } from "./list-threads.ts";
import { EventLoopYield } from "./event-loop-yield.ts";
import type { ThreadSearchOptions, ThreadSearchResult } from "./types.ts";

const DEFAULT_PAGE_SIZE = 50;
const HITS_PER_THREAD = 3;
/**
 * The number of threads with matching messages that a search for threads of one kind examines. The search index cannot
 * filter by kind, so the threads of other kinds are removed from the result afterwards.
 */
const MAX_THREADS_OF_KIND = 500;
const TITLES_PER_READ = 1000;

/** The checked arguments of `searchThreads`. */
interface ThreadSearchCriteria {
  query: string;
  limit: number;
  kind: string | null | undefined;
}

export async function searchThreads(
  scope: LedgerScope,
  query: string,
  options: ThreadSearchOptions,
  index: SearchIndex,
): Promise<ThreadSearchResult> {
  const limit = options.limit === undefined ? DEFAULT_PAGE_SIZE : requireCount(options.limit, "limit", 1);
  const criteria: ThreadSearchCriteria = { query, limit, kind: requireKindFilter(options.kind).kind };
  const hitsByThread = await findMessageMatches(scope, criteria, index);
  const titles = await searchTitles(scope, criteria);
  const { ids, more } = mergeMatches(titles, [...hitsByThread.keys()], limit);
  const threads = await readListedThreads(scope, ids, options.summary === true);
  const hits = threads.flatMap(({ id }) => hitsByThread.get(id) ?? []);
  return { threads, hits, more };
}

/**
 * Merges title matches and message matches. Title matches come first and fill half of the result, or more if there are
 * too few message matches to fill the other half.
 */
function mergeMatches(
  titles: readonly string[],
  messageMatches: readonly string[],
  limit: number,
): { ids: string[]; more: boolean } {
  const titleIds = new Set(titles);
  const onlyInMessages = messageMatches.filter((id) => !titleIds.has(id));
  const first = titles.slice(0, Math.min(limit, Math.max(Math.ceil(limit / 2), limit - onlyInMessages.length)));
  const ids = [...new Set([...first, ...messageMatches])].slice(0, limit);
  return { ids, more: titles.length + onlyInMessages.length > ids.length };
}

/**
 * Returns the matching messages by thread id, the thread with the best match first. If more than `limit` threads match,
 * returns more than `limit` threads, so that the caller knows that there are further matches.
 */
async function findMessageMatches(
  scope: LedgerScope,
  { query, limit, kind }: ThreadSearchCriteria,
  index: SearchIndex,
): Promise<Map<string, SearchHit[]>> {
  const threads = kind === undefined ? limit + 1 : Math.max(MAX_THREADS_OF_KIND, limit + 1);
  const options = { limit: HITS_PER_THREAD * threads, perThread: HITS_PER_THREAD, prefix: true };
  const shortened = dropShortPrefix(query);
  const hits = shortened === "" ? [] : await searchMessages(scope, shortened, options, index);
  const hitsByThread = Map.groupBy(hits, ({ threadId }) => threadId);
  if (kind === undefined) return hitsByThread;
  const heads = await readHeads(scope, [...hitsByThread.keys()]);
  return new Map(heads.flatMap((head) => (head.kind === kind ? [[head.id, hitsByThread.get(head.id) ?? []]] : [])));
}

/** Matches characters of scripts in which one character can be a word. */
const SINGLE_CHARACTER_TERMS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/**
 * Returns the query without its last word if that word is a single letter, because too many words begin with it. A
 * character of `SINGLE_CHARACTER_TERMS` stays, because it can be a whole word.
 */
function dropShortPrefix(query: string): string {
  const { terms, prefix } = parseQuery({ text: query, prefix: true });
  return prefix.length !== 1 || SINGLE_CHARACTER_TERMS.test(prefix) ? query : [...terms].join(" ");
}

const ASCII = /^[\0-\x7f]*$/;

/**
 * Returns the ids of threads whose title contains all words of the query, newest first. A word may also be part of a
 * longer word. Returns up to `limit + 1` ids, so that the caller knows whether there are further matches.
 */
async function searchTitles(scope: LedgerScope, { query, limit, kind }: ThreadSearchCriteria): Promise<string[]> {
  const terms = [...listTerms(query)];
  const threadIds: string[] = [];
  if (terms.length === 0) return threadIds;
  const page: TitlesPage = { limit: TITLES_PER_READ };
  // The store filters by one word only, the longest ASCII word. The other words are compared below.
  const [term] = terms.filter((each) => ASCII.test(each)).sort((left, right) => right.length - left.length);
  if (term !== undefined) page.term = term;
  const eventLoop = new EventLoopYield();
  for (;;) {
    const rows = await scope.store.reads.titles(scope.tenant, page);
    const matching = rows.filter(({ title }) => {
      const folded = foldText(title ?? "");
      return terms.every((each) => folded.includes(each));
    });
    const ids = matching.map(({ id }) => id);
    if (kind === undefined) threadIds.push(...ids);
    else for (const head of await readHeads(scope, ids)) if (head.kind === kind) threadIds.push(head.id);
    const last = rows.at(-1);
    if (threadIds.length > limit || rows.length < TITLES_PER_READ || last === undefined)
      return threadIds.slice(0, limit + 1);
    page.before = last.id;
    await eventLoop.yieldIfDue();
  }
}
