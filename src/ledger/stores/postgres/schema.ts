// Defines the tables that only Postgres has (the search index, its queue, and the version table), and the migrations of
// a Postgres schema. The other tables are in ../sql/schema.ts.
import * as tables from "../sql/columns.ts";
import { MIGRATIONS, type SqlMigration } from "../sql/schema.ts";

/** The table that contains the version of all tables. Its existence marks a schema as Koine's. */
export const META = "koine_meta";

/** The queue of the search index: messages that are not indexed yet. */
export const PENDING = {
  table: "search_pending",
  of: tables.MESSAGES.name,
  columns: ["tenant", "thread_id", "id"],
} as const;

/** The names of all tables of a ledger. */
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
 * Creates the search index and its queue. The foreign key deletes a search entry together with its message, even if the
 * message is deleted while it is being indexed. The queue has no key, because rows are not looked up in it. Its rows
 * are deleted soon after they were inserted, so it is vacuumed more often than other tables.
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

/** The migrations in the order of their versions: each is the shared migration, followed by that of Postgres. */
export const VERSIONS: readonly SqlMigration[] = MIGRATIONS.map((shared, at) => (flavour) => [
  ...shared(flavour),
  ...(POSTGRES_MIGRATIONS[at]?.(flavour) ?? []),
]);
