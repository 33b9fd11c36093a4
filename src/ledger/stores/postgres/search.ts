// Implements the search index of Postgres, which contains the words of each message as a tsvector. Texts are split into
// words by tokenize.ts, as in all stores, because Postgres's own parser treats hosts, numbers and paths differently.
import type { MessageRow } from "../../store/rows.ts";
import type { SearchHit, SearchQuery } from "../../store/queries.ts";
import { countTerms, createSnippet, parseQuery } from "../../search/tokenize.ts";
import { MESSAGES } from "../sql/columns.ts";
import type { Insert, SqlSession, Statement } from "../sql/engine.ts";
import { toRowLimit } from "../sql/reads.ts";
import { toNotificationName } from "./notifications.ts";

/** The number of characters to which words are truncated, because a word of a tsvector has at most 2,046 bytes. */
const MAX_TERM_LENGTH = 500;
/**
 * The maximum size of a message's tsvector, which Postgres limits to 1,048,575 bytes. Words beyond this size are not
 * indexed.
 */
const MAX_VECTOR_BYTES = 900_000;
/** The maximum number of occurrences of a word that are stored; further occurrences do not affect the rank. */
const MAX_OCCURRENCES = 30;

/** Removes messages from the queue and returns their keys. Skips messages that concurrent callers remove. */
const TAKE_PENDING: Statement = {
  name: "search-take",
  sql: `DELETE FROM search_pending WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM search_pending LIMIT ?1 FOR UPDATE SKIP LOCKED)) RETURNING tenant, thread_id, id`,
};
/** Selects threads with messages in the queue that are newer than the activity of the thread in the activity table. */
export const OUTDATED_ACTIVITY: Statement = {
  name: "behind",
  sql: `SELECT p.tenant, p.thread_id, max(p.id) FROM (SELECT * FROM search_pending LIMIT 5000) p
    JOIN activity a ON a.tenant = p.tenant AND a.thread_id = p.thread_id AND a.last_activity < p.id
    GROUP BY p.tenant, p.thread_id`,
};
/** Reads messages and protects them from deletion until they are indexed. */
const READ_PENDING: Statement = {
  name: "search-read",
  sql: `SELECT ${MESSAGES.list("m")} FROM json_to_recordset(?1::json) AS p (tenant text, thread_id text, id text)
    JOIN messages m ON m.tenant = p.tenant AND m.thread_id = p.thread_id AND m.id = p.id
    ORDER BY m.tenant, m.thread_id, m.id FOR KEY SHARE OF m`,
};
const DELETE_ENTRIES: Statement = {
  name: "search-forget",
  sql: `DELETE FROM search s USING json_to_recordset(?1::json) AS p (tenant text, thread_id text, id text)
    WHERE s.tenant = p.tenant AND s.thread_id = p.thread_id AND s.message_id = p.id`,
};
const INSERT_ENTRIES: Insert = {
  name: "insert-search",
  table: "search",
  columns: ["tenant", "thread_id", "message_id", "text", "words"],
};
const MATCHES = "SELECT thread_id, message_id, text FROM search WHERE tenant = ?1 AND words @@ ?2::tsquery";
const BEST_FIRST = "ORDER BY ts_rank(words, ?3::tsquery, 1) DESC, message_id DESC LIMIT ?4";
const SEARCH: Statement = { name: "search", sql: `${MATCHES} ${BEST_FIRST}` };
const SEARCH_THREAD: Statement = { name: "search-thread", sql: `${MATCHES} AND thread_id = ?5 ${BEST_FIRST}` };

/** Selects the same as SEARCH, but at most ?5 hits per thread. */
const SEARCH_PER_THREAD: Statement = {
  name: "search-some",
  sql: `SELECT thread_id, message_id, text FROM (SELECT f.*,
      row_number() OVER (PARTITION BY thread_id ORDER BY score DESC, message_id DESC) AS place FROM (
        SELECT thread_id, message_id, text, ts_rank(words, ?3::tsquery, 1) AS score FROM search
        WHERE tenant = ?1 AND words @@ ?2::tsquery) f) placed
    WHERE place <= ?5 ORDER BY score DESC, message_id DESC LIMIT ?4`,
};
/** Returns the limit of a search within one thread: the smaller one of `limit` and `perThread`. */
const toThreadLimit = ({ limit, perThread = limit }: SearchQuery): number => toRowLimit(Math.min(limit, perThread));

/** The statements with which messages are indexed and searched, for tests that check each statement. */
export const SEARCH_STATEMENTS: readonly Statement[] = [
  TAKE_PENDING,
  READ_PENDING,
  DELETE_ENTRIES,
  SEARCH,
  SEARCH_THREAD,
  SEARCH_PER_THREAD,
];

/**
 * The error that rolls back `indexPending` if `readText` returned undefined for a message, because its text is not
 * loaded yet. The messages then remain in the queue.
 */
export class MissingTextsError extends Error {}

/**
 * Indexes up to `limit` messages of the queue. Returns their number, including messages that were deleted meanwhile.
 */
export async function indexPending(
  session: SqlSession,
  readText: (row: MessageRow) => string | undefined,
  limit: number,
): Promise<number> {
  const pending = await takePending(session, limit);
  if (pending.length === 0) return 0;
  const list = JSON.stringify(pending);
  const rows = (await session.all(READ_PENDING, [list])).map((row) => MESSAGES.decode(row));
  const texts = rows.map(readText);
  if (texts.includes(undefined)) throw new MissingTextsError();
  // A message that was deleted and written again was in the queue twice, so it may have an entry already.
  await session.run(DELETE_ENTRIES, [list]);
  await session.insert(
    INSERT_ENTRIES,
    rows.map((row, at) => {
      // Postgres texts cannot contain U+0000.
      const text = (texts[at] ?? "").replaceAll("\0", " ");
      return [row.tenant, row.threadId, row.id, text, createVector(row, text)];
    }),
  );
  return pending.length;
}

async function takePending(
  session: SqlSession,
  limit: number,
): Promise<{ tenant: string; thread_id: string; id: string }[]> {
  const rows = await session.all(TAKE_PENDING, [Math.max(Math.ceil(limit), 0)]);
  const distinct = new Map(rows.map((row) => [JSON.stringify(row), row]));
  return [...distinct.values()].map(([tenant, threadId, id]) => ({
    tenant: String(tenant),
    thread_id: String(threadId),
    id: String(id),
  }));
}

export async function searchIndex(session: SqlSession, query: SearchQuery): Promise<SearchHit[]> {
  const { tenant, threadId, limit, perThread } = query;
  const queryTerms = parseQuery(query);
  const terms = Array.from(queryTerms.terms, (term) => quote(truncateTerm(term)));
  if (queryTerms.prefix !== "") terms.push(`${quote(truncateTerm(queryTerms.prefix))}:*`);
  if (terms.length === 0) return [];
  const within = [toPlaceTerm(tenant), ...(threadId === undefined ? [] : [toPlaceTerm(tenant, threadId)])].map(quote);
  const values = [tenant, [...within, ...terms].join(" & "), terms.join(" | ")];
  const rows = await (threadId !== undefined
    ? session.all(SEARCH_THREAD, [...values, toThreadLimit(query), threadId])
    : perThread === undefined
      ? session.all(SEARCH, [...values, toRowLimit(limit)])
      : session.all(SEARCH_PER_THREAD, [...values, toRowLimit(limit), toRowLimit(perThread)]));
  return rows.map(([thread, message, text]) => ({
    threadId: String(thread),
    messageId: String(message),
    snippet: createSnippet(String(text), queryTerms),
  }));
}

/**
 * Returns the words of a message as a tsvector. Each word has as many positions as occurrences, for ranking. The tenant
 * and the thread are added as words, so that the index itself excludes messages of other tenants and threads.
 */
function createVector({ tenant, threadId }: MessageRow, text: string): string {
  const entries = [toPlaceTerm(tenant), toPlaceTerm(tenant, threadId)].map(quote);
  let bytes = 0;
  for (const [term, count] of truncateTerms(countTerms(text))) {
    const times = Math.min(count, MAX_OCCURRENCES);
    bytes += Buffer.byteLength(term) + 2 * times + 4;
    if (bytes > MAX_VECTOR_BYTES) break;
    entries.push(`${quote(term)}:${Array.from({ length: times }, (_, at) => at + 1).join(",")}`);
  }
  return entries.join(" ");
}

function truncateTerms(terms: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const short = new Map<string, number>();
  for (const [term, count] of terms) short.set(truncateTerm(term), (short.get(truncateTerm(term)) ?? 0) + count);
  return short;
}

function truncateTerm(term: string): string {
  // `slice` may cut a surrogate pair in half. `toWellFormed` replaces the remaining half by U+FFFD, which is then
  // removed.
  return term.length <= MAX_TERM_LENGTH
    ? term
    : term
        .slice(0, MAX_TERM_LENGTH)
        .toWellFormed()
        .replace(/\uFFFD$/, "");
}

/**
 * Returns a word that represents a tenant or a thread in the index. It begins with "@" or "#", which no word of a text
 * contains.
 */
function toPlaceTerm(tenant: string, threadId?: string): string {
  return threadId === undefined ? `@${toNotificationName(tenant, "")}` : `#${toNotificationName(tenant, threadId)}`;
}

/** Quotes a word for a tsvector or tsquery. */
function quote(term: string): string {
  return `'${term.replaceAll(/['\\]/g, "$&$&")}'`;
}
