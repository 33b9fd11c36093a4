// Brings the tables of a schema to the version that this code knows. Any number of processes may start at once: one
// of them does the work, each version in a transaction of its own, so that an interrupted one goes on where it was.
import { LedgerError } from "../../errors.ts";
import type { SqlValue } from "../sql/engine.ts";
import { type Lane, named, plain, rowsOf } from "./connections.ts";
import { ledgerError, stateOf } from "./errors.ts";
import { type ColumnTypes, POSTGRES } from "./flavour.ts";
import { META, VERSIONS } from "./schema.ts";

const UNDEFINED_TABLE = "42P01";
/** Whether the schema is Koine's, whether it is there at all, and a table of somebody else's in it. */
const SELECT_STATE = `SELECT to_regclass($2) IS NOT NULL, EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1),
  (SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname LIMIT 1)`;
const SELECT_COLUMNS = `SELECT c.relname || '.' || a.attname, format_type(a.atttypid, NULL) FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`;

export interface MigrateOptions {
  schema: string;
  /** The longest wait for another migrator; at least 1. */
  busyMs: number;
  /** Tables that would have to be made or lifted are an error. */
  readOnly?: boolean;
  /** By version, from 1. For tests. */
  versions?: typeof VERSIONS;
}

/** Makes or lifts the tables, and gives the types of their columns. */
export async function migrate(lane: Lane, options: MigrateOptions): Promise<ColumnTypes> {
  const { schema, versions = VERSIONS } = options;
  try {
    // Where there is nothing to do nothing is written, so that a database that takes no writes can be read.
    let version = await versionOf(lane, schema);
    if (options.readOnly === true && version < versions.length) throw notUpToDate(schema, version, versions.length);
    while (version < versions.length) version = await lift(lane, options, versions);
    if (version > versions.length) throw tooNew(schema, version, versions.length);
    return new Map((await ask(lane, "columns", SELECT_COLUMNS, [schema])) as [string, string][]);
  } catch (error) {
    throw ledgerError(error);
  }
}

/** The version of a schema's tables; 0 where there are none. */
async function versionOf(lane: Lane, schema: string): Promise<number> {
  try {
    const [row] = rowsOf(await lane.send("version", plain(`SELECT version FROM "${schema}".${META}`)));
    return Number(row?.[0] ?? 0);
  } catch (error) {
    if (stateOf(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/** One version up, unless another process was faster; gives the version that the tables then have. */
async function lift(lane: Lane, { schema, busyMs }: MigrateOptions, versions: typeof VERSIONS): Promise<number> {
  try {
    // One migrator at a time for each schema of a database.
    const lock = `SELECT pg_advisory_xact_lock(hashtextextended('koine ${schema}', 0))`;
    await lane.send(
      "begin",
      plain(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${busyMs}; ${lock}`),
    );
    const { version, prepare } = await stateOfSchema(lane, schema);
    const next = versions[version];
    if (next !== undefined) {
      const path = `SET LOCAL search_path = "${schema}"`;
      const sql = [...prepare, path, ...next(POSTGRES), `UPDATE ${META} SET version = ${version + 1}`];
      await lane.send("migration", plain(sql.join(";\n")));
    }
    await lane.send("commit", plain("COMMIT"));
    return next === undefined ? version : version + 1;
  } catch (error) {
    // What cannot be rolled back is dropped with its connection.
    if (lane.broken === undefined) await lane.send("rollback", plain("ROLLBACK")).catch(() => undefined);
    throw error;
  }
}

/** The version of a schema, and what makes an empty one Koine's own. */
async function stateOfSchema(lane: Lane, schema: string): Promise<{ version: number; prepare: string[] }> {
  const [row] = await ask(lane, "schema", SELECT_STATE, [schema, `"${schema}".${META}`]);
  const [isOurs, isThere, other] = row ?? [];
  if (isOurs === "t") return { version: await versionOf(lane, schema), prepare: [] };
  if (typeof other === "string") {
    throw new LedgerError(
      "not-koine",
      `The schema "${schema}" holds tables of another program (${other}); give the ledger one of its own.`,
    );
  }
  const meta = `"${schema}".${META}`;
  const prepare = [`CREATE TABLE ${meta} (version integer NOT NULL)`, `INSERT INTO ${meta} VALUES (0)`];
  // Only where need be: making schemas takes a right that using them does not.
  return { version: 0, prepare: isThere === "t" ? prepare : [`CREATE SCHEMA "${schema}"`, ...prepare] };
}

async function ask(
  lane: Lane,
  name: string,
  text: string,
  values: string[],
): Promise<readonly (readonly SqlValue[])[]> {
  return rowsOf(await lane.send(name, named(name, text, values)));
}

function notUpToDate(schema: string, version: number, newest: number): LedgerError {
  const what = version === 0 ? "holds no ledger yet" : `has version ${version}, and this Koine has ${newest}`;
  return new LedgerError(
    "schema-too-old",
    `The schema "${schema}" ${what}; it is only read from here, and was left as it is.`,
  );
}

function tooNew(schema: string, version: number, known: number): LedgerError {
  return new LedgerError(
    "schema-too-new",
    `The tables in schema "${schema}" are of version ${version}, and this Koine knows up to ${known}: use a newer one.`,
  );
}
