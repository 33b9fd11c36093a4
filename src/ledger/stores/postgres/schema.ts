// The tables that only Postgres has, and their migrations: the search index and its queue. The others are of ../sql/schema.ts.
import {
  ACTIVITY,
  ALIASES,
  BLOB_REFS,
  BLOBS,
  CHANGES,
  CHUNKS,
  KEYS,
  LOG,
  MESSAGES,
  QUARANTINE,
  RUNS,
  THREADS,
  WORK,
} from "../sql/columns.ts";
import { MIGRATIONS, type Migration } from "../sql/schema.ts";

/** Holds the version of the tables; its presence says that a schema is Koine's. */
export const META = "koine_meta";

/** The queue of the search index: which messages it does not have yet. */
export const PENDING = { table: "search_pending", of: MESSAGES.name, columns: ["tenant", "thread_id", "id"] } as const;

/** Every table of a ledger. */
export const TABLES: readonly string[] = [
  ...[THREADS, MESSAGES, RUNS, LOG, KEYS, ALIASES, WORK, BLOBS, CHUNKS, BLOB_REFS, QUARANTINE, CHANGES].map(
    ({ name }) => name,
  ),
  ACTIVITY,
  "search",
  PENDING.table,
  META,
];

/**
 * An entry of the index goes with its message, also where the message is deleted while it is being indexed: the
 * reference sees to both. The queue has no key, as nothing is looked up in it; it is emptied as fast as it fills, so
 * that its dead rows are many and want to be swept up early.
 */
const first: Migration = ({ key, text }) => [
  `CREATE TABLE search (
    tenant ${key} NOT NULL, thread_id ${key} NOT NULL, message_id ${key} NOT NULL, text ${text} NOT NULL,
    words tsvector NOT NULL, PRIMARY KEY (tenant, thread_id, message_id),
    FOREIGN KEY (tenant, thread_id, message_id) REFERENCES messages (tenant, thread_id, id) ON DELETE CASCADE)`,
  `CREATE INDEX search_words ON search USING gin (words)`,
  `CREATE TABLE search_pending (tenant ${key} NOT NULL, thread_id ${key} NOT NULL, id ${key} NOT NULL)
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
];

const OWN: readonly Migration[] = [first];

/** By version, from 1: what both engines have, then what only Postgres has. */
export const VERSIONS: readonly Migration[] = MIGRATIONS.map((shared, at) => (flavour) => [
  ...shared(flavour),
  ...(OWN[at]?.(flavour) ?? []),
]);
