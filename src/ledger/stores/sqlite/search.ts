// Implements the search index of a SQLite file. `search_state.position` is the row number of the last indexed message.
// An FTS5 table contains the words but not the texts; a compressed copy of each text is in `search_texts`, for
// snippets.
import { createHash } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { MessageRow } from "../../store/rows.ts";
import { wait, type Steps } from "../../store/steps.ts";
import type { LedgerTransaction } from "../../store/contract.ts";
import type { SearchHit, SearchQuery } from "../../store/queries.ts";
import { toFoldedTerms, createSnippet, parseQuery } from "../../search/tokenize.ts";
import { MESSAGES } from "../sql/columns.ts";
import type { SqlRow, Statement } from "../sql/engine.ts";
import { toRowLimit } from "../sql/reads.ts";
import type { SqliteConnection } from "./connection.ts";

/**
 * The statements that create the search index. The column `place` contains the tenant and the thread as one word each,
 * so that the index itself excludes other tenants. If the last message is deleted, the trigger lowers `position`,
 * because SQLite may give the deleted row number to the next message.
 */
export const SEARCH_SCHEMA: readonly string[] = [
  `CREATE VIRTUAL TABLE search USING fts5 (place, text, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'")`,
  `CREATE TABLE search_texts (number INTEGER PRIMARY KEY, text BLOB NOT NULL)`,
  `CREATE TABLE search_state (position INTEGER NOT NULL)`,
  `INSERT INTO search_state (position) VALUES (0)`,
  `CREATE TRIGGER messages_deleted AFTER DELETE ON messages BEGIN
    DELETE FROM search WHERE rowid = OLD.number;
    DELETE FROM search_texts WHERE number = OLD.number;
    UPDATE search_state SET position = (SELECT COALESCE(max(number), 0) FROM messages)
      WHERE position > (SELECT COALESCE(max(number), 0) FROM messages);
  END`,
];

const POSITION: Statement = { name: "read-position", sql: "SELECT position FROM search_state" };
const SET_POSITION: Statement = { name: "set-position", sql: "UPDATE search_state SET position = ?1" };
const UNINDEXED: Statement = {
  name: "unindexed",
  sql: `SELECT ${MESSAGES.list()}, number FROM messages WHERE number > ?1 ORDER BY number LIMIT CAST(?2 AS INTEGER)`,
};
const STILL_THERE: Statement = {
  name: "still-there",
  sql: "SELECT count(*) FROM messages WHERE number = ?1 AND id = ?2 AND thread_id = ?3 AND tenant = ?4",
};
const ADD_TERMS: Statement = { name: "add-words", sql: "INSERT INTO search (rowid, place, text) VALUES (?1, ?2, ?3)" };
const ADD_TEXT: Statement = { name: "add-text", sql: "INSERT INTO search_texts (number, text) VALUES (?1, ?2)" };
const SEARCH: Statement = {
  name: "search",
  sql: `SELECT m.thread_id, m.id, t.text FROM search
    JOIN messages m ON m.number = search.rowid JOIN search_texts t ON t.number = search.rowid
    WHERE search MATCH ?1 AND m.tenant = ?2 AND (?3 IS NULL OR m.thread_id = ?3)
    ORDER BY bm25(search, 0.0, 1.0), search.rowid DESC LIMIT CAST(?4 AS INTEGER)`,
};
/** Selects the same hits as SEARCH, but at most ?3 hits per thread. Reads only the texts of the returned hits. */
const SEARCH_PER_THREAD: Statement = {
  name: "search-some",
  sql: `WITH found AS MATERIALIZED (
      SELECT rowid AS number, bm25(search, 0.0, 1.0) AS score FROM search WHERE search MATCH ?1),
    placed AS (SELECT m.thread_id, m.id, f.number, f.score,
        row_number() OVER (PARTITION BY m.thread_id ORDER BY f.score, f.number DESC) AS place
      FROM found f JOIN messages m ON m.number = f.number WHERE m.tenant = ?2 AND (?5 IS NULL OR m.thread_id = ?5)),
    best AS MATERIALIZED (SELECT * FROM placed WHERE place <= CAST(?3 AS INTEGER)
      ORDER BY score, number DESC LIMIT CAST(?4 AS INTEGER))
    SELECT b.thread_id, b.id, t.text FROM best b JOIN search_texts t ON t.number = b.number
    ORDER BY b.score, b.number DESC`,
};
export const OPTIMIZE: Statement = { name: "optimize", sql: "INSERT INTO search (search) VALUES ('optimize')" };

/** The maximum number of messages that are indexed in one transaction, because a transaction blocks the process. */
const BATCH_SIZE = 50;

type SqliteWrite = <T>(work: (tx: LedgerTransaction) => Steps<T>) => Promise<T>;

/** Indexes up to `limit` messages and returns their number. */
export async function indexMessages(
  connection: SqliteConnection,
  write: SqliteWrite,
  readText: (row: MessageRow) => string | undefined,
  limit: number,
): Promise<number> {
  let indexed = 0;
  while (indexed < limit) {
    const size = Math.min(BATCH_SIZE, limit - indexed);
    const position = readNumber(await connection.all(POSITION, []));
    const rows = await connection.all(UNINDEXED, [position, size]);
    const candidates = rows.map((values) => toEntry(values, readText));
    const entries = candidates.filter((entry) => entry !== undefined);
    // Stops if no messages are left, or if `readText` returned undefined for a message, because its text is not loaded
    // yet.
    if (entries.length === 0 || entries.length < candidates.length) break;
    if (!(await write(() => addEntries(connection, position, entries)))) continue;
    indexed += entries.length;
    if (entries.length < size) break;
    await yieldToEventLoop();
  }
  return indexed;
}

/** A message to index, with its row number and its text. */
interface SearchIndexEntry {
  number: number;
  row: MessageRow;
  text: string;
}

function toEntry(values: SqlRow, readText: (row: MessageRow) => string | undefined): SearchIndexEntry | undefined {
  const row = MESSAGES.decode(values);
  const text = readText(row);
  return text === undefined ? undefined : { row, number: Number(values[MESSAGES.columns.length]), text };
}

/**
 * Adds entries to the index and returns true. Adds none and returns false if another process has indexed or deleted
 * messages since the entries were read.
 */
function* addEntries(
  connection: SqliteConnection,
  position: number,
  entries: readonly SearchIndexEntry[],
): Steps<boolean> {
  if (readNumber(yield* wait(connection.all(POSITION, []))) !== position) return false;
  for (const { number, row } of entries) {
    const rows = connection.read(STILL_THERE, [number, row.id, row.threadId, row.tenant]);
    if (readNumber(rows) === 0) return false;
  }
  for (const { number, row, text } of entries) {
    if (text === "") continue;
    connection.run(ADD_TERMS, [
      number,
      `${toPlaceTerm("t", row.tenant)} ${toPlaceTerm("r", row.threadId)}`,
      toFoldedTerms(text),
    ]);
    connection.run(ADD_TEXT, [number, deflateRawSync(text)]);
  }
  connection.run(SET_POSITION, [entries.at(-1)?.number ?? position]);
  return true;
}

export async function search(connection: SqliteConnection, query: SearchQuery): Promise<SearchHit[]> {
  const queryTerms = parseQuery(query);
  const { terms, prefix } = queryTerms;
  if (terms.size === 0 && prefix === "") return [];
  const { tenant, threadId, limit, perThread } = query;
  const places = [toPlaceTerm("t", tenant)];
  if (threadId !== undefined) places.push(toPlaceTerm("r", threadId));
  const texts = [...terms].map(quote);
  // The star makes FTS5 match all words that begin with the prefix.
  if (prefix !== "") texts.push(`${quote(prefix)} *`);
  const match = `{place} : (${places.map(quote).join(" AND ")}) AND {text} : (${texts.join(" AND ")})`;
  const rows = await (perThread === undefined
    ? connection.all(SEARCH, [match, tenant, threadId ?? null, toRowLimit(limit)])
    : connection.all(SEARCH_PER_THREAD, [match, tenant, toRowLimit(perThread), toRowLimit(limit), threadId ?? null]));
  return rows.map(([thread, message, packed]) => ({
    // The casts are safe, because the ids are TEXT columns and the compressed text is a BLOB.
    threadId: thread as string,
    messageId: message as string,
    snippet: createSnippet(inflateRawSync(packed as Uint8Array).toString(), queryTerms),
  }));
}

/** Quotes a word, so that FTS5 does not read it as an operator. A word contains no quotes that must be escaped. */
function quote(term: string): string {
  return `"${term}"`;
}

/** Returns a word that represents a tenant or a thread in the index: a hash, because the name may be any text. */
function toPlaceTerm(kind: "t" | "r", name: string): string {
  return kind + createHash("sha256").update(name).digest("hex").slice(0, 16);
}

function readNumber(rows: readonly SqlRow[]): number {
  return Number(rows[0]?.[0] ?? 0);
}
