// The search index of a SQLite file. It is written behind: `position` is the number of the last message in it. The words
// are in an FTS5 table that keeps no text; a packed copy of each text is beside it, for the snippet.
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { MessageRow } from "../../rows.ts";
import { got, type Steps } from "../../steps.ts";
import type { LedgerTransaction, SearchHit, SearchQuery } from "../../store.ts";
import { foldedText, snippetOf, wantedBy } from "../../search/words.ts";
import { MESSAGES } from "../sql/columns.ts";
import type { SqlRow, Statement } from "../sql/engine.ts";
import { rowCount } from "../sql/reads.ts";
import type { Connection } from "./connection.ts";

/**
 * `place` holds the tenant and the thread, each as one word, so that other tenants' messages are left out by the index
 * itself. After a deletion `position` is never beyond the last message: SQLite gives the number after it to the next.
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
const ADD_WORDS: Statement = { name: "add-words", sql: "INSERT INTO search (rowid, place, text) VALUES (?1, ?2, ?3)" };
const ADD_TEXT: Statement = { name: "add-text", sql: "INSERT INTO search_texts (number, text) VALUES (?1, ?2)" };
const FIND: Statement = {
  name: "search",
  sql: `SELECT m.thread_id, m.id, t.text FROM search
    JOIN messages m ON m.number = search.rowid JOIN search_texts t ON t.number = search.rowid
    WHERE search MATCH ?1 AND m.tenant = ?2 AND (?3 IS NULL OR m.thread_id = ?3)
    ORDER BY bm25(search, 0.0, 1.0), search.rowid DESC LIMIT CAST(?4 AS INTEGER)`,
};
/** As FIND, at most ?3 of a thread. Texts are unpacked for those alone that are given. */
const FIND_SOME: Statement = {
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

/** Messages that are indexed at a time: more would hold up the process for long. */
const BATCH = 50;

type Write = <T>(work: (tx: LedgerTransaction) => Steps<T>) => Promise<T>;

/** Brings the index up to date with up to `limit` messages, and gives their number. */
export async function indexMessages(
  connection: Connection,
  write: Write,
  textOf: (row: MessageRow) => string | undefined,
  limit: number,
): Promise<number> {
  let taken = 0;
  while (taken < limit) {
    const size = Math.min(BATCH, limit - taken);
    const position = numberIn(await connection.all(POSITION, []));
    const rows = await connection.all(UNINDEXED, [position, size]);
    const asked = rows.map((values) => entryOf(values, textOf));
    const entries = asked.filter((entry) => entry !== undefined);
    // None, or some whose text is not at hand.
    if (entries.length === 0 || entries.length < asked.length) break;
    if (!(await write(() => addEntries(connection, position, entries)))) continue;
    taken += entries.length;
    if (entries.length < size) break;
    await nextTurn();
  }
  return taken;
}

interface Entry {
  number: number;
  row: MessageRow;
  text: string;
}

function entryOf(values: SqlRow, textOf: (row: MessageRow) => string | undefined): Entry | undefined {
  const row = MESSAGES.decode(values);
  const text = textOf(row);
  return text === undefined ? undefined : { row, number: Number(values[MESSAGES.columns.length]), text };
}

/** Says whether they were added: not where somebody else has indexed or deleted messages since they were read. */
function* addEntries(connection: Connection, position: number, entries: readonly Entry[]): Steps<boolean> {
  if (numberIn(yield* got(connection.all(POSITION, []))) !== position) return false;
  for (const { number, row } of entries) {
    const found = connection.read(STILL_THERE, [number, row.id, row.threadId, row.tenant]);
    if (numberIn(found) === 0) return false;
  }
  for (const { number, row, text } of entries) {
    if (text === "") continue;
    connection.run(ADD_WORDS, [
      number,
      `${placeWord("t", row.tenant)} ${placeWord("r", row.threadId)}`,
      foldedText(text),
    ]);
    connection.run(ADD_TEXT, [number, deflateRawSync(text)]);
  }
  connection.run(SET_POSITION, [entries.at(-1)?.number ?? position]);
  return true;
}

export async function search(connection: Connection, query: SearchQuery): Promise<SearchHit[]> {
  const wanted = wantedBy(query);
  const { words, beginning } = wanted;
  if (words.size === 0 && beginning === "") return [];
  const { tenant, threadId, limit, perThread } = query;
  const places = [placeWord("t", tenant)];
  if (threadId !== undefined) places.push(placeWord("r", threadId));
  const texts = [...words].map(quoted);
  // The star is the query's own: it makes the word a beginning.
  if (beginning !== "") texts.push(`${quoted(beginning)} *`);
  const match = `{place} : (${places.map(quoted).join(" AND ")}) AND {text} : (${texts.join(" AND ")})`;
  const rows = await (perThread === undefined
    ? connection.all(FIND, [match, tenant, threadId ?? null, rowCount(limit)])
    : connection.all(FIND_SOME, [match, tenant, rowCount(perThread), rowCount(limit), threadId ?? null]));
  return rows.map(([thread, message, packed]) => ({
    // Ids are text, and texts were packed above.
    threadId: thread as string,
    messageId: message as string,
    snippet: snippetOf(inflateRawSync(packed as Uint8Array).toString(), wanted),
  }));
}

/** Quoted, a word is never an operator; it holds letters, digits and marks only. */
function quoted(word: string): string {
  return `"${word}"`;
}

/** The name of a tenant or thread may be any text; what the index gets is one word. */
function placeWord(kind: "t" | "r", name: string): string {
  return kind + createHash("sha256").update(name).digest("hex").slice(0, 16);
}

function numberIn(rows: readonly SqlRow[]): number {
  return Number(rows[0]?.[0] ?? 0);
}
