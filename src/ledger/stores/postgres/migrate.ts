// Migrates the tables of a schema to the version of this code. Several processes may start at once: one of them
// migrates, each version in its own transaction, so that an interrupted migration continues where it was.
import { LedgerError } from "../../errors.ts";
import type { SqlValue } from "../sql/engine.ts";
import { type PipelinedConnection, createNamedQuery, createTextQuery, toRows } from "./connections.ts";
import { toLedgerError, readSqlState } from "./errors.ts";
import { type ColumnTypes, POSTGRES } from "./sql-flavor.ts";
import { META, VERSIONS } from "./schema.ts";

const UNDEFINED_TABLE = "42P01";
/** Selects if the schema is Koine's, if it exists, and the name of another table in it. */
const SELECT_STATE = `SELECT to_regclass($2) IS NOT NULL, EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1),
  (SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname LIMIT 1)`;
const SELECT_COLUMNS = `SELECT c.relname || '.' || a.attname, format_type(a.atttypid, NULL) FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`;

export interface MigrateOptions {
  schema: string;
  /** The maximum wait for another migrating process; at least 1. */
  busyMs: number;
  /** Tables that would have to be created or migrated are an error. */
  readOnly?: boolean;
  /** By version, from 1. For tests. */
  versions?: typeof VERSIONS;
}

/** Creates or migrates the tables, and returns the types of their columns. */
export async function migrate(connection: PipelinedConnection, options: MigrateOptions): Promise<ColumnTypes> {
  const { schema, versions = VERSIONS } = options;
  try {
    // If no migration is needed, nothing is written, so that a read-only database can be used.
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

/** Returns the version of a schema's tables; 0 if there are none. */
async function readVersion(connection: PipelinedConnection, schema: string): Promise<number> {
  try {
    const [row] = toRows(await connection.send("version", createTextQuery(`SELECT version FROM "${schema}".${META}`)));
    return Number(row?.[0] ?? 0);
  } catch (error) {
    if (readSqlState(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/** Migrates one version up, unless another process was faster; returns the resulting version. */
async function applyNextMigration(
  connection: PipelinedConnection,
  { schema, busyMs }: MigrateOptions,
  versions: typeof VERSIONS,
): Promise<number> {
  try {
    // One migrating process at a time per schema.
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
    // If the rollback fails, the connection is dropped.
    if (connection.broken === undefined)
      await connection.send("rollback", createTextQuery("ROLLBACK")).catch(() => undefined);
    throw error;
  }
}

/** Returns the version of a schema, and the statements that prepare an empty one. */
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
  // Only if necessary: creating a schema needs a permission that using it does not.
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
