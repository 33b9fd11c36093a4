// Finds threads while somebody types: by their titles, and by what was said in them.
import { checkCount } from "../check.ts";
import type { Scope } from "../scope.ts";
import { search, type SearchIndex } from "../search/index.ts";
import { foldText, wantedBy, wordsOf } from "../search/words.ts";
import type { SearchHit, TitlesPage } from "../store.ts";
import { headsOf, kindOf, listed } from "./list.ts";
import { Pace } from "./pace.ts";
import type { ThreadSearchOptions, ThreadSearchResult } from "./types.ts";

const PAGE = 50;
const HITS_OF_THREAD = 3;
/** Threads that are looked at for some of one kind. */
const MOST = 500;
/** Titles that are read at a time. */
const TITLES = 1000;

/** What is looked for, and how many threads of which kind. */
interface Wish {
  query: string;
  limit: number;
  kind: string | null | undefined;
}

export async function searchThreads(
  scope: Scope,
  query: string,
  options: ThreadSearchOptions,
  index: SearchIndex,
): Promise<ThreadSearchResult> {
  const limit = options.limit === undefined ? PAGE : checkCount(options.limit, "limit", 1);
  const wish: Wish = { query, limit, kind: kindOf(options.kind).kind };
  const said = await saidIn(scope, wish, index);
  const titles = await titled(scope, wish);
  const { ids, more } = together(titles, [...said.keys()], limit);
  const threads = await listed(scope, ids, options.summary === true);
  const hits = threads.flatMap(({ id }) => said.get(id) ?? []);
  return { threads, hits, more };
}

/** Titles first, but no more than half of them where messages would be left out. */
function together(titles: readonly string[], said: readonly string[], limit: number): { ids: string[]; more: boolean } {
  const isTitled = new Set(titles);
  const onlySaid = said.filter((id) => !isTitled.has(id));
  const first = titles.slice(0, Math.min(limit, Math.max(Math.ceil(limit / 2), limit - onlySaid.length)));
  const ids = [...new Set([...first, ...said])].slice(0, limit);
  return { ids, more: titles.length + onlySaid.length > ids.length };
}

/** Threads in which it was said, the best first, with what was found in each. One more than are wanted, where there are. */
async function saidIn(
  scope: Scope,
  { query, limit, kind }: Wish,
  index: SearchIndex,
): Promise<Map<string, SearchHit[]>> {
  const threads = kind === undefined ? limit + 1 : Math.max(MOST, limit + 1);
  const options = { limit: HITS_OF_THREAD * threads, perThread: HITS_OF_THREAD, prefix: true };
  const typed = typedOut(query);
  const hits = typed === "" ? [] : await search(scope, typed, options, index);
  const found = Map.groupBy(hits, ({ threadId }) => threadId);
  if (kind === undefined) return found;
  const heads = await headsOf(scope, [...found.keys()]);
  return new Map(heads.flatMap((head) => (head.kind === kind ? [[head.id, found.get(head.id) ?? []]] : [])));
}

/** Scripts in which one character can be a word. */
const DENSE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** The query without a last word of which only one letter was typed: that many words begin with it says nothing. */
function typedOut(query: string): string {
  const { words, beginning } = wantedBy({ text: query, prefix: true });
  return beginning.length !== 1 || DENSE.test(beginning) ? query : [...words].join(" ");
}

const ASCII = /^[\0-\x7f]*$/;

/** Threads in whose title all words stand, whole or in part, newest first. One more than are wanted, where there are. */
async function titled(scope: Scope, { query, limit, kind }: Wish): Promise<string[]> {
  const words = [...wordsOf(query)];
  const found: string[] = [];
  if (words.length === 0) return found;
  const page: TitlesPage = { limit: TITLES };
  // The store leaves out most of the others by the longest of them.
  const [word] = words.filter((each) => ASCII.test(each)).sort((left, right) => right.length - left.length);
  if (word !== undefined) page.word = word;
  const pace = new Pace();
  for (;;) {
    const rows = await scope.store.reads.titles(scope.tenant, page);
    const fitting = rows.filter(({ title }) => {
      const folded = foldText(title ?? "");
      return words.every((each) => folded.includes(each));
    });
    const ids = fitting.map(({ id }) => id);
    if (kind === undefined) found.push(...ids);
    else for (const head of await headsOf(scope, ids)) if (head.kind === kind) found.push(head.id);
    const last = rows.at(-1);
    if (found.length > limit || rows.length < TITLES || last === undefined) return found.slice(0, limit + 1);
    page.before = last.id;
    await pace.rest();
  }
}
