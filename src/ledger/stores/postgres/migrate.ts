// Migrates the tables of a schema to the newest version. If several processes start at once, they migrate one after the
// other. Each version has its own transaction, so that an interrupted migration can be continued.
import { LedgerError } from "../../errors.ts";
import type { SqlValue } from "../sql/engine.ts";
import { type PipelinedConnection, createNamedQuery, createTextQuery, toRows } from "./connections.ts";
import { toLedgerError, readSqlState } from "./errors.ts";
import { type ColumnTypes, POSTGRES } from "./sql-flavor.ts";
import { META, VERSIONS } from "./schema.ts";

const UNDEFINED_TABLE = "42P01";
/** Selects whether the schema is Koine's, whether it exists, and the name of the first table in it. */
const SELECT_STATE = `SELECT to_regclass($2) IS NOT NULL, EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1),
  (SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname LIMIT 1)`;
const SELECT_COLUMNS = `SELECT c.relname || '.' || a.attname, format_type(a.atttypid, NULL) FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`;

export interface MigrateOptions {
  schema: string;
  /** The maximum time in milliseconds to wait for another process that migrates; at least 1. */
  busyMs: number;
  /** True if `migrate` must throw instead of creating or migrating tables. */
  readOnly?: boolean;
  /** The migrations to use instead of `VERSIONS`; for tests. */
  versions?: typeof VERSIONS;
}

/** Creates or migrates the tables, and returns the types of their columns. */
export async function migrate(connection: PipelinedConnection, options: MigrateOptions): Promise<ColumnTypes> {
  const { schema, versions = VERSIONS } = options;
  try {
    // The version is read without a lock or a write, so that a read-only database with the newest version can be used.
    let version = await readVersion(connection, schema);
    if (options.readOnly === true && version < versions.length)
      throw createTooOldError(schema, version, versions.length);
    while (version < versions.length) version = await applyNextMigration(connection, options, versions);
    if (version > versions.length) throw createTooNewError(schema, version, versions.length);
    return new Map((await query(connection, "columns", SELECT_COLUMNS, [schema])) as [string, string][]);
  } catch (error) {
    throw toLedgerError(error);
  }
}

/** Returns the version of a schema's tables; 0 if there are no tables. */
async function readVersion(connection: PipelinedConnection, schema: string): Promise<number> {
  try {
    const [row] = toRows(await connection.send("version", createTextQuery(`SELECT version FROM "${schema}".${META}`)));
    return Number(row?.[0] ?? 0);
  } catch (error) {
    if (readSqlState(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/**
 * Takes the migration lock and applies the next migration, unless another process has applied it meanwhile. Returns the
 * version of the tables afterwards.
 */
async function applyNextMigration(
  connection: PipelinedConnection,
  { schema, busyMs }: MigrateOptions,
  versions: typeof VERSIONS,
): Promise<number> {
  try {
    // The lock allows only one process at a time to migrate the schema.
    const lock = `SELECT pg_advisory_xact_lock(hashtextextended('koine ${schema}', 0))`;
    await connection.send(
      "begin",
      createTextQuery(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${busyMs}; ${lock}`),
    );
    const { version, prepare } = await inspectSchema(connection, schema);
    const next = versions[version];
    if (next !== undefined) {
      const path = `SET LOCAL search_path = "${schema}"`;
      const sql = [...prepare, path, ...next(POSTGRES), `UPDATE ${META} SET version = ${version + 1}`];
      await connection.send("migration", createTextQuery(sql.join(";\n")));
    }
    await connection.send("commit", createTextQuery("COMMIT"));
    return next === undefined ? version : version + 1;
  } catch (error) {
    // An error of the rollback is ignored, so that the caller receives the original error.
    if (connection.broken === undefined)
      await connection.send("rollback", createTextQuery("ROLLBACK")).catch(() => undefined);
    throw error;
  }
}

/**
 * Returns the version of a schema, and the statements that prepare an empty or missing schema. Throws if the schema
 * contains tables of another program.
 */
async function inspectSchema(
  connection: PipelinedConnection,
  schema: string,
): Promise<{ version: number; prepare: string[] }> {
  const [row] = await query(connection, "schema", SELECT_STATE, [schema, `"${schema}".${META}`]);
  const [isKoine, exists, otherTable] = row ?? [];
  if (isKoine === "t") return { version: await readVersion(connection, schema), prepare: [] };
  if (typeof otherTable === "string") {
    throw new LedgerError(
      "not-koine",
      `The schema "${schema}" contains tables of another program (${otherTable}); use a schema only for the ledger.`,
    );
  }
  const meta = `"${schema}".${META}`;
  const prepare = [`CREATE TABLE ${meta} (version integer NOT NULL)`, `INSERT INTO ${meta} VALUES (0)`];
  // An existing schema is not created again, because CREATE SCHEMA needs a permission that its use does not need.
  return { version: 0, prepare: exists === "t" ? prepare : [`CREATE SCHEMA "${schema}"`, ...prepare] };
}

async function query(
  connection: PipelinedConnection,
  name: string,
  text: string,
  values: string[],
): Promise<readonly (readonly SqlValue[])[]> {
  return toRows(await connection.send(name, createNamedQuery(name, text, values)));
}

function createTooOldError(schema: string, version: number, newest: number): LedgerError {
  const state = version === 0 ? "contains no ledger yet" : `has version ${version}; this Koine needs ${newest}`;
  return new LedgerError(
    "schema-too-old",
    `The schema "${schema}" ${state}; it was opened read-only and was not changed.`,
  );
}

function createTooNewError(schema: string, version: number, known: number): LedgerError {
  return new LedgerError(
    "schema-too-new",
    `The tables in schema "${schema}" have version ${version}; this Koine knows versions up to ${known}. Use a newer Koine.`,
  );
}
