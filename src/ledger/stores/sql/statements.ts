// Builds the SQL statements for the ledger's tables, once per engine. The statements never contain values of callers.
import { FIRST_MESSAGES } from "../../store/rows.ts";
import type { IdRange } from "../../store/queries.ts";
import * as tables from "./columns.ts";
import type { SqlFlavor, Insert, Statement } from "./engine.ts";

type AnyTable = Pick<tables.SqlTable<object>, "name" | "columns" | "list">;

const IN_THREAD = "tenant = ?1 AND thread_id = ?2";
/**
 * The condition that a row belongs to tenant ?3. The concatenation prevents SQLite from using an index that begins with
 * the tenant, with which it would scan all rows of the tenant instead of the few rows that match the other conditions.
 */
const OF_TENANT = "(tenant || '') = ?3";
/**
 * The condition that the thread of a message has scope ?4. EXISTS checks the thread of each matching message, so that
 * the tenant's threads are not scanned.
 */
const IN_SCOPE = "EXISTS (SELECT 1 FROM threads t WHERE t.tenant = ?1 AND t.id = messages.thread_id AND t.scope = ?4)";
const IS_LIVE = "finished_at IS NULL AND state IN ('created', 'streaming')";
/**
 * The condition that a run is live and in a thread. The concatenation `tenant || ''` prevents SQLite from using the
 * primary key, with which it would scan all runs of the thread.
 */
const IS_LIVE_IN_THREAD = `thread_id = ?2 AND ${IS_LIVE} AND (tenant || '') = ?1`;
const IS_LOGGED = "compacted = 0 AND finished_at IS NOT NULL";
/** The condition that no message references a blob. */
const IS_UNREFERENCED =
  "tenant = ?1 AND NOT EXISTS (SELECT 1 FROM blob_refs r WHERE r.tenant = ?1 AND r.hash = blobs.hash)";
/** The condition that a chunk belongs to an unfinished upload that began before ?2. */
const IS_UNFINISHED_UPLOAD =
  "tenant = ?1 AND blob_id < ?2 AND blob_id NOT IN (SELECT blob_id FROM blobs WHERE tenant = ?1)";

/**
 * Returns a LIMIT clause. Without the cast, SQLite would prepare the statement again for every value: 11 µs per call.
 */
const limit = (parameter: number): string => `LIMIT CAST(?${parameter} AS INTEGER)`;
const select = (table: AnyTable, rest: string): string => `SELECT ${table.list()} FROM ${table.name} WHERE ${rest}`;
const measure = (table: string, bytes: string, rest: string): string =>
  `SELECT count(*), COALESCE(sum(${bytes}), 0) FROM ${table} WHERE ${rest}`;
const remove = (table: string, rest: string): string => `DELETE FROM ${table} WHERE ${rest}`;

/**
 * Returns the statements that lock, measure and delete the blobs that match a condition. Blobs are locked in the order
 * of their hashes to avoid deadlocks.
 */
function createBlobDeletions<Name extends string>(name: Name, condition: string, lock: string) {
  return {
    [`lock-${name}`]: `SELECT 1 FROM blobs WHERE ${condition} ORDER BY hash ${lock}`,
    [`measure-${name}`]: measure("blobs", "size", condition),
    [`delete-chunks-of-${name}`]: remove(
      "blob_chunks",
      `tenant = ?1 AND blob_id IN (SELECT blob_id FROM blobs WHERE ${condition})`,
    ),
    [`delete-${name}`]: remove("blobs", condition),
    // The cast is needed, because TypeScript gives computed names the type string.
  } as Record<`${"lock" | "measure" | "delete-chunks-of" | "delete"}-${Name}`, string>;
}

function createReadTexts({ lock, hold, inList, digests }: SqlFlavor) {
  const hasDigest = digests?.inList ?? `tenant = ?1 AND ${inList("digest", 2)}`;
  const isDigest = digests?.single ?? "tenant = ?1 AND digest = ?2";
  const answers = (which: string): string =>
    select(tables.HEADERS, `role = 'assistant' AND ${which} ORDER BY id DESC, thread_id DESC ${limit(3)}`);
  return {
    thread: `SELECT ${tables.THREADS.list()}, (SELECT max(id) FROM messages WHERE ${IN_THREAD}),
      (SELECT max(id) FROM log WHERE ${IN_THREAD}), last_id FROM threads WHERE tenant = ?1 AND id = ?2`,
    "keep-last-id": `UPDATE threads SET last_id = ?3 WHERE tenant = ?1 AND id = ?2`,
    "lock-thread": `SELECT 1 FROM threads WHERE tenant = ?1 AND id = ?2 ${lock}`,
    message: select(tables.MESSAGES, `${IN_THREAD} AND id = ?3`),
    "find-digests": answers(hasDigest),
    "find-digests-of": answers(`${hasDigest} AND ${IN_SCOPE}`),
    // A single digest, the usual case, has its own statement, because a list of one digest takes several times as long.
    "find-digest": answers(isDigest),
    "find-digest-of": answers(`${isDigest} AND ${IN_SCOPE}`),
    // The run is found by its id alone: the subquery reads the thread id from the index `runs_id`. Without the thread
    // id, SQLite would scan all runs of the tenant.
    run: select(
      tables.RUNS,
      `tenant = ?1 AND id = ?2 AND thread_id = (SELECT min(thread_id) FROM runs WHERE tenant = ?1 AND id = ?2)`,
    ),
    runs: select(tables.RUNS, `${IN_THREAD} ORDER BY id`),
    "last-runs": select(tables.RUNS, `${IN_THREAD} ORDER BY id DESC ${limit(3)}`),
    "live-runs": select(tables.RUNS, `${IS_LIVE_IN_THREAD} ORDER BY id`),
    "expired-runs": select(tables.RUNS, `${IS_LIVE} AND lease_until < ?1 ORDER BY lease_until ${limit(2)}`),
    "expired-runs-of": select(
      tables.RUNS,
      `${IS_LIVE} AND lease_until < ?1 AND ${OF_TENANT} ORDER BY lease_until ${limit(2)}`,
    ),
    "compactable-runs": select(tables.RUNS, `${IS_LOGGED} AND finished_at < ?1 ORDER BY finished_at ${limit(2)}`),
    "compactable-runs-of": select(
      tables.RUNS,
      `${IS_LOGGED} AND finished_at < ?1 AND ${OF_TENANT} ORDER BY finished_at ${limit(2)}`,
    ),
    // The order is that of the index `runs_compacted`, so that only the few runs are read whose last delta is after ?3.
    "compacted-run": select(
      tables.RUNS,
      `${IN_THREAD} AND compacted = 1 AND last_delta_id > ?3 AND first_delta_id <= ?4 ORDER BY last_delta_id LIMIT 1`,
    ),
    alias: select(tables.ALIASES, "tenant = ?1 AND name = ?2"),
    // No index has the order `name || ''`. With `ORDER BY name`, SQLite would scan all aliases of the tenant in the
    // order of the primary key.
    aliases: select(tables.ALIASES, `${IN_THREAD} ORDER BY (name || '')`),
    work: select(tables.WORK, IN_THREAD),
    "open-work": select(tables.WORK, `lease_until < ?1 ORDER BY wanted_at ${limit(2)}`),
    "open-work-of": select(tables.WORK, `lease_until < ?1 AND ${OF_TENANT} ORDER BY wanted_at ${limit(2)}`),
    "idempotency-key": select(tables.KEYS, `${IN_THREAD} AND name = ?3`),
    blob: select(tables.BLOBS, "tenant = ?1 AND hash = ?2"),
    // The lock is shared: transactions that reference the same blobs do not wait for each other, but a deletion of the
    // blobs waits for all of these transactions.
    "lock-held-blobs": `SELECT 1 FROM blobs WHERE tenant = ?1 AND ${inList("hash", 2)} ORDER BY hash ${hold}`,
    "refresh-blob": `UPDATE blobs SET created_at = CASE WHEN created_at < ?3 THEN ?3 ELSE created_at END
      WHERE tenant = ?1 AND hash = ?2`,
    chunk: select(tables.CHUNKS, "tenant = ?1 AND blob_id = ?2 AND position = ?3"),
    "blob-refs": select(tables.BLOB_REFS, `${IN_THREAD} ORDER BY message_id, hash`),
    quarantined: select(tables.QUARANTINE, `tenant = ?1 ORDER BY thread_id, message_id ${limit(2)}`),
  };
}

const THREAD_IN_LIST = "(w.value ->> 0)";
const FROM_THREADS = "tenant = t.tenant AND thread_id = t.id";

const titles = (rest: string): string =>
  `SELECT id, title FROM threads WHERE tenant = ?1 AND title IS NOT NULL${rest} ORDER BY id DESC ${limit(2)}`;

/**
 * Returns the statements of thread lists and outlines. A list of threads is parameter ?2, a JSON array; each element is
 * a thread id, or an array of a thread id and further values.
 */
function createOverviewTexts({ listed, inList, mayHold, forEach }: SqlFlavor) {
  const inListed = `tenant = ?1 AND thread_id = ${THREAD_IN_LIST}`;
  const [thread, lastRuns, usages] = [
    forEach === undefined ? IN_THREAD : inListed,
    (where: string) => select(tables.RUNS, `${where} ORDER BY id DESC ${limit(3)}`),
    (where: string, before: string) =>
      select(tables.USAGES, `${where} AND id < ${before} ORDER BY id DESC ${limit(3)}`),
  ];
  return {
    heads: `SELECT ${tables.THREADS.list("t")}, (SELECT max(id) FROM messages WHERE ${FROM_THREADS}),
      (SELECT max(id) FROM log WHERE ${FROM_THREADS}), t.last_id, a.last_activity, a.purges
      FROM threads t LEFT JOIN activity a ON a.tenant = t.tenant AND a.thread_id = t.id
      WHERE t.tenant = ?1 AND ${inList("t.id", 2)}`,
    tallies: `SELECT ${THREAD_IN_LIST}, (SELECT count(*) FROM messages
        WHERE ${inListed} AND id > (w.value ->> 1) AND id <= (w.value ->> 2)),
      CASE WHEN (w.value ->> 3) = 'first' THEN (SELECT body FROM
        (SELECT id, role, body FROM messages WHERE ${inListed} ORDER BY id LIMIT ${FIRST_MESSAGES}) AS first_messages
        WHERE role = 'user' ORDER BY id LIMIT 1) END FROM ${listed(2)}`,
    titles: titles(""),
    "titles-before": titles(" AND id < ?3"),
    "titles-with": titles(` AND ${mayHold("title", 3)}`),
    "titles-with-before": titles(` AND ${mayHold("title", 3)} AND id < ?4`),
    "run-ids": `SELECT id FROM runs WHERE ${IN_THREAD} AND state = ?3 ORDER BY id`,
    "last-runs-of-each": forEach?.(2, lastRuns(thread)) ?? lastRuns(thread),
    "usages-of-each": forEach?.(2, usages(thread, "(w.value ->> 1)")) ?? usages(thread, "?4"),
    // CROSS JOIN makes SQLite join in this order, instead of scanning all runs of the tenant first.
    "changed-runs": `SELECT ${tables.RUNS.list("r")} FROM (SELECT DISTINCT l.thread_id, l.run_id FROM ${listed(2)}
        CROSS JOIN log l WHERE l.tenant = ?1 AND l.thread_id = ${THREAD_IN_LIST} AND l.id > (w.value ->> 1)
          AND l.kind <> 'delta' AND l.run_id <> '') c
      CROSS JOIN runs r WHERE r.tenant = ?1 AND r.thread_id = c.thread_id AND r.id = c.run_id`,
    // The statement only updates rows: every thread has a row in `activity`, so a thread without one was deleted
    // meanwhile.
    "raise-activity": `UPDATE activity SET last_activity = (w.value ->> 2) FROM ${listed(1)}
      WHERE activity.tenant = (w.value ->> 0) AND activity.thread_id = (w.value ->> 1)
        AND activity.last_activity < (w.value ->> 2)`,
    "count-purge": `UPDATE activity SET purges = purges + 1 WHERE ${IN_THREAD}`,
    "active-among": `SELECT ${tables.THREADS.list("t")}, a.last_activity FROM activity a
      JOIN threads t ON t.tenant = a.tenant AND t.id = a.thread_id
      WHERE a.tenant = ?1 AND ${inList("a.thread_id", 2)}`,
    "last-change": "SELECT max(number) FROM thread_changes WHERE number > CAST(?1 AS BIGINT)",
    "changes-since": `SELECT number, thread_id, change FROM thread_changes
      WHERE number > CAST(?2 AS BIGINT) AND tenant = ?1 AND source <> ?3 ORDER BY number`,
  };
}

function createDeleteTexts({ lock, inList }: SqlFlavor) {
  return {
    "delete-deltas": remove("log", `${IN_THREAD} AND run_id = ?3 AND kind = 'delta'`),
    "delete-deltas-within": remove("log", `${IN_THREAD} AND id >= ?4 AND id <= ?5 AND run_id = ?3 AND kind = 'delta'`),
    "delete-chunks": remove("blob_chunks", "tenant = ?1 AND blob_id = ?2"),
    "measure-messages": measure("messages", "octet_length(body)", `${IN_THREAD} AND ${inList("id", 3)}`),
    "delete-messages": remove("messages", `${IN_THREAD} AND ${inList("id", 3)}`),
    "delete-refs": remove("blob_refs", `${IN_THREAD} AND ${inList("message_id", 3)}`),
    "delete-quarantine": remove("quarantine", `${IN_THREAD} AND ${inList("message_id", 3)}`),
    "delete-alias": remove("aliases", "tenant = ?1 AND name = ?2"),
    "delete-aliases": remove("aliases", `${IN_THREAD} AND ${inList("run_id", 3)}`),
    "delete-work": remove("work", `${IN_THREAD} AND lease_id = ?3 AND wants = ?4`),
    "delete-runs": remove("runs", `${IN_THREAD} AND ${inList("id", 3)}`),
    "measure-log": measure("log", "octet_length(body)", `${IN_THREAD} AND ${inList("run_id", 3)}`),
    "delete-log": remove("log", `${IN_THREAD} AND ${inList("run_id", 3)}`),
    "measure-thread-messages": measure("messages", "octet_length(body)", IN_THREAD),
    "measure-thread-log": measure("log", "octet_length(body)", IN_THREAD),
    "delete-thread-messages": remove("messages", IN_THREAD),
    "delete-thread-refs": remove("blob_refs", IN_THREAD),
    "delete-thread-quarantine": remove("quarantine", IN_THREAD),
    "delete-thread-runs": remove("runs", IN_THREAD),
    "delete-thread-log": remove("log", IN_THREAD),
    "delete-thread-keys": remove("idempotency_keys", IN_THREAD),
    "delete-thread-aliases": remove("aliases", IN_THREAD),
    "delete-thread-activity": remove("activity", IN_THREAD),
    "delete-old-changes": remove("thread_changes", "number <= CAST(?1 AS BIGINT)"),
    "delete-thread-work": remove("work", IN_THREAD),
    "delete-thread": remove("threads", "tenant = ?1 AND id = ?2"),
    "delete-keys": remove("idempotency_keys", "tenant = ?1 AND created_at < ?2"),
    ...createBlobDeletions("blobs", `${IS_UNREFERENCED} AND created_at < ?2 AND ${inList("hash", 3)}`, lock),
    ...createBlobDeletions("old-blobs", `${IS_UNREFERENCED} AND created_at < ?2`, lock),
    "measure-unnamed-chunks": measure("blob_chunks", "octet_length(bytes)", IS_UNFINISHED_UPLOAD),
    "delete-unnamed-chunks": remove("blob_chunks", IS_UNFINISHED_UPLOAD),
  };
}

const createTexts = (flavor: SqlFlavor) => ({
  ...createReadTexts(flavor),
  ...createOverviewTexts(flavor),
  ...createDeleteTexts(flavor),
});

/** The statements of one engine. */
export class Statements {
  /** The statements with a fixed text, by name. */
  readonly fixed: { readonly [Name in keyof ReturnType<typeof createTexts>]: Statement };
  readonly messages: RangeStatements;
  readonly headers: RangeStatements;
  readonly log: RangeStatements;
  /** True if rows must be locked by separate statements; false if the engine has one writer at a time. */
  readonly locks: boolean;
  /** True if one statement can read up to a limit of rows from each of several threads. */
  readonly readsEach: boolean;
  readonly #updates = new Map<string, Statement>();
  readonly #threads: readonly Statement[];
  readonly #active: readonly Statement[];

  constructor(flavor: SqlFlavor) {
    const named = Object.entries(createTexts(flavor)).map(([name, sql]) => [name, { name, sql }]);
    // The cast is safe, because the entries have the names of `createTexts`.
    this.fixed = Object.fromEntries(named) as typeof this.fixed;
    this.messages = new RangeStatements("messages", tables.MESSAGES);
    this.headers = new RangeStatements("headers", tables.HEADERS);
    this.log = new RangeStatements("log", tables.LOG);
    this.locks = flavor.lock !== "";
    this.readsEach = flavor.forEach !== undefined;
    this.#threads = createThreadLists();
    this.#active = createActivityLists();
  }

  /**
   * Returns the statement that lists threads. Its parameters are the tenant, the limit, if `below` is true the id below
   * which the list begins, and if `kind` is a string the kind.
   */
  threads(below: boolean, kind: string | null | undefined): Statement {
    const which = kind === undefined ? 0 : kind === null ? 1 : 2;
    // The cast is safe, because there are six statements and the index is at most five.
    return this.#threads[which * 2 + Number(below)] as Statement;
  }

  /**
   * Returns the statement that lists threads by last activity. Its parameters are the tenant, the limit, if `below` is
   * true the activity and the id below which the list begins, and if `kind` is a string the kind.
   */
  activeThreads(below: boolean, kind: string | null | undefined): Statement {
    const which = kind === undefined ? 0 : kind === null ? 1 : 2;
    // The cast is safe, because there are six statements and the index is at most five.
    return this.#active[which * 2 + Number(below)] as Statement;
  }

  /**
   * Returns the statement that sets the columns of `fields` in the rows that match the columns `keys` and the condition
   * `also`. Its parameters are the values of the keys, then the values of the fields in the order of the table's
   * columns.
   */
  update<Row extends object>(
    table: tables.SqlTable<Row>,
    keys: readonly string[],
    fields: readonly (keyof Row)[],
    also?: string,
  ): Statement {
    const columns = fields.map((field) => table.column(field));
    // The name contains the set of columns as a number, because Postgres limits names to 63 characters.
    const bits = columns.reduce((sum, column) => sum + 2 ** table.columns.indexOf(column), 0);
    const name = `update-${table.name}-${bits.toString(36)}${also === undefined ? "" : `-${keys.length}`}`;
    let statement = this.#updates.get(name);
    if (statement === undefined) {
      const ordered = table.columns.filter((column) => columns.includes(column));
      const sets = ordered.map((column, at) => `${column} = ?${keys.length + at + 1}`);
      // Without fields, a key column is set to its own value, so that the number of changed rows shows whether the row
      // exists.
      if (sets.length === 0) sets.push(`${keys[0]} = ${keys[0]}`);
      const where = keys.map((column, at) => `${column} = ?${at + 1}`);
      if (also !== undefined) where.push(also);
      statement = { name, sql: `UPDATE ${table.name} SET ${sets.join(", ")} WHERE ${where.join(" AND ")}` };
      this.#updates.set(name, statement);
    }
    return statement;
  }
}

/**
 * Creates the statements that list all threads, threads without a kind, and threads of one kind; each list from the
 * beginning and from a position.
 */
function createThreadLists(): Statement[] {
  return ["", "-of-none", "-of-kind"].flatMap((whose) =>
    [false, true].map((below) => {
      const conditions = ["tenant = ?1"];
      if (below) conditions.push("id < ?3");
      if (whose === "-of-none") conditions.push("kind IS NULL");
      if (whose === "-of-kind") conditions.push(`kind = ?${below ? 4 : 3}`);
      const page = `${conditions.join(" AND ")} ORDER BY id DESC ${limit(2)}`;
      // The subquery filters by kind with the index `threads_kind`. Without the subquery, SQLite would scan all threads
      // of the tenant in the order of their ids.
      const pageByKind = `tenant = ?1 AND id IN (SELECT id FROM threads WHERE ${page}) ORDER BY id DESC`;
      const name = `threads${whose}${below ? "-before" : ""}`;
      return { name, sql: select(tables.THREADS, whose === "-of-kind" ? pageByKind : page) };
    }),
  );
}

/** Creates the statements that list threads by last activity, with the same filters as `createThreadLists`. */
function createActivityLists(): Statement[] {
  return ["", "-of-none", "-of-kind"].flatMap((whose) =>
    [false, true].map((below) => {
      const conditions = ["a.tenant = ?1"];
      if (below) conditions.push("(a.last_activity, a.thread_id) < (?3, ?4)");
      // In the activity table, the kind of a thread without a kind is ''.
      if (whose === "-of-none") conditions.push("a.kind = ''");
      if (whose === "-of-kind") conditions.push(`a.kind = ?${below ? 5 : 3}`);
      const sql = `SELECT ${tables.THREADS.list("t")}, a.last_activity FROM activity a
        JOIN threads t ON t.tenant = a.tenant AND t.id = a.thread_id
        WHERE ${conditions.join(" AND ")} ORDER BY a.last_activity DESC, a.thread_id DESC ${limit(2)}`;
      return { name: `active-threads${whose}${below ? "-before" : ""}`, sql };
    }),
  );
}

/**
 * The statements that read a range of a thread's rows: one for each combination of the order, an upper bound or none,
 * and the rows of all runs, of one run, or without a run (journal entries).
 */
class RangeStatements {
  readonly #forms: readonly Statement[];

  constructor(name: string, table: AnyTable) {
    this.#forms = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((form) => {
      const [down, bounded] = [(form & 1) > 0, (form & 2) > 0];
      const [ofRun, ofNone] = [(form & 4) > 0, (form & 8) > 0];
      const conditions = [IN_THREAD, "id > ?3"];
      if (bounded) conditions.push("id <= ?5");
      if (ofRun) conditions.push(`run_id = ?${bounded ? 6 : 5}`);
      if (ofNone) conditions.push("run_id = ''");
      const order = down ? "ORDER BY id DESC" : "ORDER BY id";
      return {
        name: `${name}-${down ? "down" : "up"}${bounded ? "-to" : ""}${ofRun ? "-of-run" : ""}${ofNone ? "-of-none" : ""}`,
        sql: select(table, `${conditions.join(" AND ")} ${order} ${limit(4)}`),
      };
    });
  }

  /**
   * Returns the statement for a range. Its parameters are the tenant, the thread, `after` ("" for the beginning), the
   * limit, `upTo` if given, and `runId` if given and not "".
   */
  of({ order, upTo, runId }: IdRange & { runId?: string }): Statement {
    const whose = runId === undefined ? 0 : runId === "" ? 8 : 4;
    const form = (order === "desc" ? 1 : 0) + (upTo === undefined ? 0 : 2) + whose;
    // The cast is safe, because there are twelve statements and the index is at most eleven.
    return this.#forms[form] as Statement;
  }
}

const createInsert = (table: AnyTable, ignoreTaken = false): Insert => ({
  name: `insert-${table.name.replaceAll("_", "-")}`,
  table: table.name,
  columns: table.columns,
  ignoreTaken,
});

export const INSERTS = {
  thread: createInsert(tables.THREADS),
  messages: createInsert(tables.MESSAGES),
  run: createInsert(tables.RUNS),
  log: createInsert(tables.LOG),
  key: createInsert(tables.KEYS),
  alias: {
    ...createInsert(tables.ALIASES),
    onTaken: { key: "tenant, name", set: "thread_id = excluded.thread_id, run_id = excluded.run_id" },
  },
  // Inserts an alias. If the name is taken, the update sets a column of the existing row to its own value, only to lock
  // the row.
  claim: {
    ...createInsert(tables.ALIASES),
    name: "claim-alias",
    onTaken: { key: "tenant, name", set: "run_id = aliases.run_id" },
  },
  work: { ...createInsert(tables.WORK), onTaken: { key: "tenant, thread_id", set: "wants = work.wants + 1" } },
  changes: createInsert(tables.CHANGES),
  blob: createInsert(tables.BLOBS, true),
  chunk: createInsert(tables.CHUNKS),
  blobRefs: createInsert(tables.BLOB_REFS, true),
  quarantine: createInsert(tables.QUARANTINE, true),
} as const satisfies Record<string, Insert>;
