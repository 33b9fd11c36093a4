// The tables that only Postgres has, and their migrations: the search index and its queue. The other tables are in
// ../sql/schema.ts.
import * as tables from "../sql/columns.ts";
import { MIGRATIONS, type SqlMigration } from "../sql/schema.ts";

/** Contains the version of the tables; its existence marks a schema as Koine's. */
export const META = "koine_meta";

/** The queue of the search index: messages that are not indexed yet. */
export const PENDING = {
  table: "search_pending",
  of: tables.MESSAGES.name,
  columns: ["tenant", "thread_id", "id"],
} as const;

/** All tables of a ledger. */
export const TABLES: readonly string[] = [
  ...[
    tables.THREADS,
    tables.MESSAGES,
    tables.RUNS,
    tables.LOG,
    tables.KEYS,
    tables.ALIASES,
    tables.WORK,
    tables.BLOBS,
    tables.CHUNKS,
    tables.BLOB_REFS,
    tables.QUARANTINE,
    tables.CHANGES,
  ].map(({ name }) => name),
  tables.ACTIVITY,
  "search",
  PENDING.table,
  META,
];

/**
 * A search entry is deleted with its message, also if the message is deleted while it is being indexed: the foreign key
 * ensures both. The queue has no key, because nothing is looked up in it; its rows are deleted as fast as they come, so
 * it is vacuumed early.
 */
const createSearchTables: SqlMigration = ({ key, text }) => [
  `CREATE TABLE search (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, message_id ${key} NOT NULL, text ${text} NOT NULL,
    words tsvector NOT NULL, PRIMARY KEY (tenant, thread_id, message_id),
    FOREIGN KEY (tenant, thread_id, message_id) REFERENCES messages (tenant, thread_id, id) ON DELETE CASCADE)`,
  `CREATE INDEX search_words ON search USING gin (words)`,
  `CREATE TABLE search_pending (tenant ${key} NOT NULL, thread_id ${key} NOT NULL, id ${key} NOT NULL)
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
];

const POSTGRES_MIGRATIONS: readonly SqlMigration[] = [createSearchTables];

/** By version, from 1: the shared migration, then that of Postgres. */
export const VERSIONS: readonly SqlMigration[] = MIGRATIONS.map((shared, at) => (flavour) => [
  ...shared(flavour),
  ...(POSTGRES_MIGRATIONS[at]?.(flavour) ?? []),
]);
