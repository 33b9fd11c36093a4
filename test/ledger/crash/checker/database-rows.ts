// Reads all rows of a database without Koine: plain SELECTs, so that a fault of a store cannot hide itself.
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { RunMode, RunState } from "../../../../src/ledger/store/rows.ts";
import type { Target } from "../campaign/target.ts";

export interface ThreadDatabaseRow {
  id: string;
  pinned: boolean;
  leafId: string | null;
}
export interface MessageDatabaseRow {
  threadId: string;
  id: string;
  parentId: string | null;
  runId: string | null;
  role: string;
  body: string;
}
export interface RunDatabaseRow {
  threadId: string;
  id: string;
  state: RunState;
  mode: RunMode;
  forks: boolean;
  forkFromId: string | null;
  epoch: number;
  finishedAt: number | null;
  metadata: string | null;
  firstDeltaId: string | null;
  lastDeltaId: string | null;
  lastSeq: number;
  compacted: boolean;
}
export interface LogDatabaseRow {
  threadId: string;
  id: string;
  runId: string;
  kind: "delta" | "run";
  body: string;
}
export interface KeyDatabaseRow {
  threadId: string;
  key: string;
  result: string;
}
export interface BlobDatabaseRow {
  hash: string;
  size: number;
  /** The number of bytes in its chunks. */
  stored: number;
}
export interface DatabaseRows {
  /** The damage that the engine itself reports. */
  damage: string[];
  threads: ThreadDatabaseRow[];
  messages: MessageDatabaseRow[];
  runs: RunDatabaseRow[];
  log: LogDatabaseRow[];
  keys: KeyDatabaseRow[];
  blobs: BlobDatabaseRow[];
  blobRefs: { threadId: string; messageId: string; hash: string }[];
  quarantined: { messageId: string; reason: string }[];
}

const SELECTS = {
  threads: `SELECT id, pinned, leaf_id AS "leafId" FROM threads`,
  messages: `SELECT thread_id AS "threadId", id, parent_id AS "parentId", run_id AS "runId", role, body FROM messages`,
  runs: `SELECT thread_id AS "threadId", id, state, mode, forks, fork_from_id AS "forkFromId", epoch, finished_at AS "finishedAt",
    metadata, first_delta_id AS "firstDeltaId", last_delta_id AS "lastDeltaId", last_seq AS "lastSeq", compacted FROM runs`,
  log: `SELECT thread_id AS "threadId", id, run_id AS "runId", kind, body FROM log`,
  keys: `SELECT thread_id AS "threadId", name AS "key", result FROM idempotency_keys`,
  blobs: `SELECT hash, size, (SELECT coalesce(sum(length(bytes)), 0) FROM blob_chunks
    WHERE blob_chunks.blob_id = blobs.blob_id AND blob_chunks.tenant = blobs.tenant) AS "stored" FROM blobs`,
  blobRefs: `SELECT thread_id AS "threadId", message_id AS "messageId", hash FROM blob_refs`,
  quarantined: `SELECT message_id AS "messageId", reason FROM quarantine`,
} as const;
const NUMBERS = new Set(["epoch", "finishedAt", "lastSeq", "size", "stored"]);
const FLAGS = new Set(["pinned", "forks", "compacted"]);

type Row = Record<string, unknown>;

/** Reads everything in the database. No process may be writing. */
export async function readDatabaseRows(target: Target): Promise<DatabaseRows> {
  return target.engine === "sqlite" ? readSqlite(target.path) : readPostgres(target.url, target.schema);
}

/** Copies the file and its log, so that the next writer finds the crash unchanged. */
export function copyDatabase(path: string): string {
  const copy = `${path}.copy`;
  removeDatabase(copy);
  for (const suffix of ["", "-wal"]) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  return copy;
}

export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

function readSqlite(path: string): DatabaseRows {
  const database = new DatabaseSync(path);
  try {
    const damage = readDamage(database);
    const tables = database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'threads'").get();
    if (tables?.["n"] === 0) return { ...EMPTY, damage };
    return readTables(damage, (sql) => database.prepare(sql).all());
  } finally {
    database.close();
  }
}

/** Returns the damage that SQLite reports; it may be too severe for the check itself. */
function readDamage(database: DatabaseSync): string[] {
  try {
    const messages = database.prepare("PRAGMA integrity_check").all();
    return messages.map((row) => String(row["integrity_check"])).filter((text) => text !== "ok");
  } catch (error) {
    return [String(error)];
  }
}

async function readPostgres(url: string, schema: string): Promise<DatabaseRows> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("SELECT to_regclass($1) AS found", [`${schema}.threads`]);
    if (rows[0]?.found === null) return EMPTY;
    await client.query(`SET search_path TO ${schema}`);
    const answers = new Map<string, Row[]>();
    // One snapshot for all of them.
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    for (const sql of Object.values(SELECTS)) answers.set(sql, (await client.query<Row>(sql)).rows);
    await client.query("COMMIT");
    return readTables([], (sql) => answers.get(sql) ?? []);
  } finally {
    await client.end();
  }
}

const EMPTY: DatabaseRows = {
  damage: [],
  threads: [],
  messages: [],
  runs: [],
  log: [],
  keys: [],
  blobs: [],
  blobRefs: [],
  quarantined: [],
};

function readTables(damage: string[], all: (sql: string) => Row[]): DatabaseRows {
  const lists = Object.entries(SELECTS).map(([name, sql]) => [name, all(sql).map(readRow).sort(byId)]);
  // Each SELECT names the fields of its list, and readRow converts their types.
  return { damage, ...Object.fromEntries(lists) } as DatabaseRows;
}

function readRow(row: Row): Row {
  const read = (name: string, value: unknown): unknown => {
    if (value === null) return null;
    if (FLAGS.has(name)) return Number(value) === 1;
    return NUMBERS.has(name) ? Number(value) : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, read(name, value)]));
}

function byId(a: Row, b: Row): number {
  if (a["id"] === b["id"]) return 0;
  return String(a["id"]) < String(b["id"]) ? -1 : 1;
}
