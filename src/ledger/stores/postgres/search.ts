// The search index: words and how often a message has them, as a tsvector that is written from the words as Koine
// counts them. Postgres's own reading of texts knows hosts, numbers and paths, and would find other words than the
// other stores do.
import type { MessageRow } from "../../rows.ts";
import type { SearchHit, SearchQuery } from "../../store.ts";
import { countWords, snippetOf, wantedBy } from "../../search/words.ts";
import { MESSAGES } from "../sql/columns.ts";
import type { Insert, SqlSession, Statement } from "../sql/engine.ts";
import { rowCount } from "../sql/reads.ts";
import { nameOf } from "./wakeups.ts";

/** A word of a tsvector has up to 2,046 bytes; longer ones are known by how they begin. */
const MOST_UNITS = 500;
/** All words of a tsvector together have up to 1,048,575 bytes. Those of a longer text are found as far as they fit. */
const MOST_BYTES = 900_000;
/** How often a word occurs counts up to here. */
const MOST_TIMES = 30;

/** Takes some from the queue; others who do the same at this moment take others. */
const TAKE: Statement = {
  name: "search-take",
  sql: `DELETE FROM search_pending WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM search_pending LIMIT ?1 FOR UPDATE SKIP LOCKED)) RETURNING tenant, thread_id, id`,
};
/** Of messages that are not in the index yet, those that came after what the table of activities says. */
export const BEHIND: Statement = {
  name: "behind",
  sql: `SELECT p.tenant, p.thread_id, max(p.id) FROM (SELECT * FROM search_pending LIMIT 5000) p
    JOIN activity a ON a.tenant = p.tenant AND a.thread_id = p.thread_id AND a.last_activity < p.id
    GROUP BY p.tenant, p.thread_id`,
};
/** The messages of a list, kept from being deleted until the index has them. */
const READ: Statement = {
  name: "search-read",
  sql: `SELECT ${MESSAGES.list("m")} FROM json_to_recordset(?1::json) AS p (tenant text, thread_id text, id text)
    JOIN messages m ON m.tenant = p.tenant AND m.thread_id = p.thread_id AND m.id = p.id
    ORDER BY m.tenant, m.thread_id, m.id FOR KEY SHARE OF m`,
};
const FORGET: Statement = {
  name: "search-forget",
  sql: `DELETE FROM search s USING json_to_recordset(?1::json) AS p (tenant text, thread_id text, id text)
    WHERE s.tenant = p.tenant AND s.thread_id = p.thread_id AND s.message_id = p.id`,
};
const INSERT: Insert = {
  name: "insert-search",
  table: "search",
  columns: ["tenant", "thread_id", "message_id", "text", "words"],
};
const FOUND = "SELECT thread_id, message_id, text FROM search WHERE tenant = ?1 AND words @@ ?2::tsquery";
const BEST = "ORDER BY ts_rank(words, ?3::tsquery, 1) DESC, message_id DESC LIMIT ?4";
const SEARCH: Statement = { name: "search", sql: `${FOUND} ${BEST}` };
const SEARCH_THREAD: Statement = { name: "search-thread", sql: `${FOUND} AND thread_id = ?5 ${BEST}` };

/** At most ?5 of a thread. */
const SEARCH_SOME: Statement = {
  name: "search-some",
  sql: `SELECT thread_id, message_id, text FROM (SELECT f.*,
      row_number() OVER (PARTITION BY thread_id ORDER BY score DESC, message_id DESC) AS place FROM (
        SELECT thread_id, message_id, text, ts_rank(words, ?3::tsquery, 1) AS score FROM search
        WHERE tenant = ?1 AND words @@ ?2::tsquery) f) placed
    WHERE place <= ?5 ORDER BY score DESC, message_id DESC LIMIT ?4`,
};
/** In a thread, each of its messages is wanted: there, `perThread` is another limit. */
const most = ({ limit, perThread = limit }: SearchQuery): number => rowCount(Math.min(limit, perThread));

/** The statements of the search, beside those of the tables. */
export const SEARCH_STATEMENTS: readonly Statement[] = [TAKE, READ, FORGET, SEARCH, SEARCH_THREAD, SEARCH_SOME];

/** Thrown to give what was taken back to the queue: some of the texts are not at hand. */
export class TextsMissing extends Error {}

/** Takes up to so many messages from the queue into the index; gives how many, those included that are no longer there. */
export async function indexSome(
  session: SqlSession,
  textOf: (row: MessageRow) => string | undefined,
  limit: number,
): Promise<number> {
  const taken = await takeSome(session, limit);
  if (taken.length === 0) return 0;
  const list = JSON.stringify(taken);
  const rows = (await session.all(READ, [list])).map((row) => MESSAGES.decode(row));
  const texts = rows.map(textOf);
  if (texts.includes(undefined)) throw new TextsMissing();
  // A message that was deleted and written again stands in the queue twice.
  await session.run(FORGET, [list]);
  await session.insert(
    INSERT,
    rows.map((row, at) => {
      // Postgres has no zero character in its texts.
      const text = (texts[at] ?? "").replaceAll("\0", " ");
      return [row.tenant, row.threadId, row.id, text, vectorOf(row, text)];
    }),
  );
  return taken.length;
}

async function takeSome(
  session: SqlSession,
  limit: number,
): Promise<{ tenant: string; thread_id: string; id: string }[]> {
  const rows = await session.all(TAKE, [Math.max(Math.ceil(limit), 0)]);
  const distinct = new Map(rows.map((row) => [JSON.stringify(row), row]));
  return [...distinct.values()].map(([tenant, threadId, id]) => ({
    tenant: String(tenant),
    thread_id: String(threadId),
    id: String(id),
  }));
}

export async function find(session: SqlSession, query: SearchQuery): Promise<SearchHit[]> {
  const { tenant, threadId, limit, perThread } = query;
  const wanted = wantedBy(query);
  const words = Array.from(wanted.words, (word) => quoted(cut(word)));
  if (wanted.beginning !== "") words.push(`${quoted(cut(wanted.beginning))}:*`);
  if (words.length === 0) return [];
  const within = [placeOf(tenant), ...(threadId === undefined ? [] : [placeOf(tenant, threadId)])].map(quoted);
  const values = [tenant, [...within, ...words].join(" & "), words.join(" | ")];
  const rows = await (threadId !== undefined
    ? session.all(SEARCH_THREAD, [...values, most(query), threadId])
    : perThread === undefined
      ? session.all(SEARCH, [...values, rowCount(limit)])
      : session.all(SEARCH_SOME, [...values, rowCount(limit), rowCount(perThread)]));
  return rows.map(([thread, message, found]) => ({
    threadId: String(thread),
    messageId: String(message),
    snippet: snippetOf(String(found), wanted),
  }));
}

/**
 * The words of a message as a tsvector: each with as many places as it occurs, for the ranking. Tenant and thread are
 * words, too, so that the index itself leaves out what is not asked for.
 */
function vectorOf({ tenant, threadId }: MessageRow, text: string): string {
  const entries = [placeOf(tenant), placeOf(tenant, threadId)].map(quoted);
  let bytes = 0;
  for (const [word, count] of cutWords(countWords(text))) {
    const times = Math.min(count, MOST_TIMES);
    bytes += Buffer.byteLength(word) + 2 * times + 4;
    if (bytes > MOST_BYTES) break;
    entries.push(`${quoted(word)}:${Array.from({ length: times }, (_, at) => at + 1).join(",")}`);
  }
  return entries.join(" ");
}

function cutWords(words: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const short = new Map<string, number>();
  for (const [word, count] of words) short.set(cut(word), (short.get(cut(word)) ?? 0) + count);
  return short;
}

function cut(word: string): string {
  // No half of a character at the end.
  return word.length <= MOST_UNITS
    ? word
    : word
        .slice(0, MOST_UNITS)
        .toWellFormed()
        .replace(/\uFFFD$/, "");
}

/** A tenant, or a thread of one, as a word that no text has: words are letters and digits. */
function placeOf(tenant: string, threadId?: string): string {
  return threadId === undefined ? `@${nameOf(tenant, "")}` : `#${nameOf(tenant, threadId)}`;
}

/** A word of a tsvector or tsquery as it stands. */
function quoted(word: string): string {
  return `'${word.replaceAll(/['\\]/g, "$&$&")}'`;
}
