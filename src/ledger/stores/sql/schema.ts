// Defines the tables of the SQL stores, as numbered migrations for SQLite and Postgres. Keys begin with the tenant and
// the thread, so that tables can be partitioned by tenant and thread. A released migration is never changed: each
// change of the tables is a new migration.
import { TIME_LEN } from "ulid";
import { BASE32_CHARACTERS } from "../../ids.ts";
import type { SqlFlavor } from "./engine.ts";

/** Returns the statements of one migration. They run in one transaction that also writes the new version number. */
export type SqlMigration = (flavor: SqlFlavor) => string[];

/**
 * Creates the tables of the first version. `threads.last_id` is the last id that a thread had when rows were last
 * deleted from it, so that the id of a deleted row is never used again, even if a clock is slow. Messages are not
 * stored in the tree of the primary key (`smallRows`), because SQLite would store their rows of about 1 kB in overflow
 * pages.
 */
const createTables: SqlMigration = ({ key, text, integer, bytes, smallRows, searchedKey, digests }) => [
  `CREATE TABLE threads (
    tenant ${key} NOT NULL, id ${key} NOT NULL, title ${text}, scope ${text}, metadata ${text}, created_at ${text} NOT NULL,
    pinned ${integer} NOT NULL, leaf_id ${key}, last_id ${key}, PRIMARY KEY (tenant, id))${smallRows}`,
  `CREATE TABLE messages (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, id ${key} NOT NULL, parent_id ${key}, run_id ${key},
    role ${text} NOT NULL, digest ${key} NOT NULL, body ${text} NOT NULL, ${searchedKey("tenant, thread_id, id")})`,
  `CREATE INDEX messages_digest ON messages (${digests?.columns ?? "tenant, digest"}) WHERE role = 'assistant'`,
  `CREATE TABLE runs (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, id ${key} NOT NULL, state ${text} NOT NULL, mode ${text} NOT NULL,
    forks ${integer} NOT NULL, fork_from_id ${key}, idempotency_key ${text}, epoch ${integer} NOT NULL,
    lease_until ${integer} NOT NULL, created_at ${text} NOT NULL, finished_at ${integer}, error ${text}, usage ${text},
    metadata ${text}, first_delta_id ${key}, last_delta_id ${key}, last_seq ${integer} NOT NULL,
    compacted ${integer} NOT NULL, PRIMARY KEY (tenant, thread_id, id))${smallRows}`,
  `CREATE INDEX runs_id ON runs (tenant, id)`,
  `CREATE INDEX runs_live ON runs (lease_until) WHERE finished_at IS NULL`,
  `CREATE INDEX runs_logged ON runs (finished_at) WHERE compacted = 0 AND finished_at IS NOT NULL`,
  `CREATE INDEX runs_compacted ON runs (tenant, thread_id, last_delta_id, first_delta_id) WHERE compacted = 1`,
  `CREATE TABLE log (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, id ${key} NOT NULL, run_id ${key} NOT NULL, kind ${text} NOT NULL,
    body ${text} NOT NULL, PRIMARY KEY (tenant, thread_id, id))`,
  `CREATE TABLE idempotency_keys (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, name ${key} NOT NULL, hash ${text} NOT NULL, result ${text} NOT NULL,
    created_at ${integer} NOT NULL, PRIMARY KEY (tenant, thread_id, name))${smallRows}`,
  `CREATE TABLE blobs (
    tenant ${key} NOT NULL, hash ${key} NOT NULL, blob_id ${key} NOT NULL, size ${integer} NOT NULL,
    created_at ${integer} NOT NULL, PRIMARY KEY (tenant, hash))${smallRows}`,
  `CREATE TABLE blob_chunks (
    tenant ${key} NOT NULL, blob_id ${key} NOT NULL, position ${integer} NOT NULL, bytes ${bytes} NOT NULL,
    PRIMARY KEY (tenant, blob_id, position))`,
  `CREATE TABLE blob_refs (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, message_id ${key} NOT NULL, hash ${key} NOT NULL,
    PRIMARY KEY (tenant, thread_id, message_id, hash))${smallRows}`,
  `CREATE INDEX blob_refs_hash ON blob_refs (tenant, hash)`,
  `CREATE TABLE quarantine (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, message_id ${key} NOT NULL, reason ${text} NOT NULL,
    body ${text} NOT NULL, found_at ${text} NOT NULL, PRIMARY KEY (tenant, thread_id, message_id))`,
];

/**
 * Adds thread kinds, aliases of runs, and work. The cost of most rows does not increase: threads without a kind and log
 * rows of runs are in none of the new indexes, and runs without deltas are in one index less than before.
 */
const addKindsAliasesAndWork: SqlMigration = ({ key, text, integer, smallRows }) => [
  `ALTER TABLE threads ADD COLUMN kind ${key}`,
  `CREATE INDEX threads_kind ON threads (tenant, kind, id) WHERE kind IS NOT NULL`,
  `CREATE INDEX log_entries ON log (tenant, thread_id, id) WHERE run_id = ''`,
  `CREATE TABLE aliases (
    tenant ${key} NOT NULL, name ${key} NOT NULL, thread_id ${key} NOT NULL, run_id ${key} NOT NULL,
    PRIMARY KEY (tenant, name))${smallRows}`,
  `CREATE INDEX aliases_run ON aliases (tenant, thread_id, run_id)`,
  `CREATE TABLE work (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, wants ${integer} NOT NULL, wanted_at ${integer} NOT NULL,
    holder ${text}, lease_id ${key}, lease_until ${integer} NOT NULL, PRIMARY KEY (tenant, thread_id))${smallRows}`,
  `CREATE INDEX work_wanted ON work (wanted_at, lease_until)`,
  `CREATE INDEX runs_live_in ON runs (thread_id, id) WHERE finished_at IS NULL`,
  `DROP INDEX runs_compacted`,
  `CREATE INDEX runs_compacted ON runs (tenant, thread_id, last_delta_id, first_delta_id)
    WHERE compacted = 1 AND last_delta_id IS NOT NULL`,
];

/**
 * Adds the last activity of each thread, and recent thread changes for other processes. An append does not write them:
 * activity-writer.ts does so later. The activity of existing threads is computed from their rows.
 */
const addActivity: SqlMigration = ({ key, text, smallRows, counted }) => [
  `CREATE TABLE activity (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, last_activity ${key} NOT NULL,
    PRIMARY KEY (tenant, thread_id))${smallRows}`,
  `INSERT INTO activity (tenant, thread_id, last_activity) SELECT t.tenant, t.id, COALESCE((SELECT max(n.id) FROM (
      SELECT max(m.id) AS id FROM messages m WHERE m.tenant = t.tenant AND m.thread_id = t.id UNION ALL
      SELECT max(l.id) AS id FROM log l WHERE l.tenant = t.tenant AND l.thread_id = t.id AND l.kind <> 'delta') n), '')
    FROM threads t`,
  `CREATE INDEX activity_order ON activity (tenant, last_activity, thread_id)`,
  `CREATE TABLE thread_changes (
    number ${counted}, tenant ${key} NOT NULL, thread_id ${key} NOT NULL, change ${text} NOT NULL, source ${key} NOT NULL)`,
];

/**
 * Adds a trigger that creates the activity row of every thread, so that lists include threads whose process died before
 * it recorded activity, and threads that an older version of Koine created. Also adds `purges`, which counts deletions
 * from a thread; cached summaries are invalid after a deletion.
 */
const addActivityTrigger: SqlMigration = (flavor) => {
  const { key, integer, afterInsert } = flavor;
  return [
    `ALTER TABLE activity ADD COLUMN kind ${key} NOT NULL DEFAULT ''`,
    `ALTER TABLE activity ADD COLUMN purges ${integer} NOT NULL DEFAULT 0`,
    `DELETE FROM activity`,
    `INSERT INTO activity (tenant, thread_id, last_activity, kind) SELECT t.tenant, t.id, COALESCE((SELECT max(n.id) FROM (
        SELECT max(m.id) AS id FROM messages m WHERE m.tenant = t.tenant AND m.thread_id = t.id UNION ALL
        SELECT max(l.id) AS id FROM log l WHERE l.tenant = t.tenant AND l.thread_id = t.id AND l.kind <> 'delta') n),
      ${createIdPrefixSql("t.created_at", flavor)}), COALESCE(t.kind, '') FROM threads t`,
    `CREATE INDEX activity_kind ON activity (tenant, kind, last_activity, thread_id)`,
    ...afterInsert(
      "threads",
      "thread_made",
      `INSERT INTO activity (tenant, thread_id, last_activity, kind)
        VALUES (NEW.tenant, NEW.id, ${createIdPrefixSql("NEW.created_at", flavor)}, COALESCE(NEW.kind, ''))
        ON CONFLICT (tenant, thread_id) DO NOTHING`,
    ),
  ];
};

/**
 * Returns a SQL expression that computes the same as `toCreationIdPrefix` from a column with a time. Each character of
 * the prefix represents five bits of the time in milliseconds.
 */
function createIdPrefixSql(column: string, { milliseconds }: SqlFlavor): string {
  const characters = Array.from({ length: TIME_LEN }, (_, at) => {
    const bits = `((m.ms >> ${5 * (TIME_LEN - 1 - at)}) & 31)`;
    return `substr('${BASE32_CHARACTERS}', CAST(1 + ${bits} AS INTEGER), 1)`;
  });
  // The LIMIT makes SQLite compute the time once, not once per character.
  return `COALESCE((SELECT ${characters.join(" || ")} FROM (SELECT ${milliseconds(column)} AS ms LIMIT 1) m WHERE m.ms >= 0), '')`;
}

/**
 * The migrations in the order of their versions; the first one creates version 1. Tables that only one engine has, such
 * as the search index, are created by a migration of that engine with the same version.
 */
export const MIGRATIONS: readonly SqlMigration[] = [
  createTables,
  addKindsAliasesAndWork,
  addActivity,
  addActivityTrigger,
];
