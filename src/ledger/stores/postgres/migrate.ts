// Brings the tables of a schema to the version that this code knows. Any number of processes may start at once: one
// of them does the work, each version in a transaction of its own, so that an interrupted one goes on where it was.
import { LedgerError } from "../../errors.ts";
import type { SqlValue } from "../sql/engine.ts";
import { type Lane, named, plain, rowsOf } from "./connections.ts";
import { ledgerError, stateOf } from "./errors.ts";
import { type ColumnTypes, POSTGRES } from "./flavour.ts";
import { META, VERSIONS } from "./schema.ts";

const UNDEFINED_TABLE = "42P01";
const SELECT_OTHERS = `SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY c.relname LIMIT 1`;
const SELECT_SCHEMA = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1";
/** One migrator at a time for each schema of a database. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('koine ' || $1, 0))";
const SELECT_COLUMNS = `SELECT c.relname || '.' || a.attname, format_type(a.atttypid, NULL) FROM pg_catalog.pg_attribute a
  JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`;

export interface MigrateOptions {
  schema: string;
  busyMs: number;
  /** By version, from 1. For tests. */
  versions?: typeof VERSIONS;
}

/** Makes or lifts the tables, and gives the types of their columns. */
export async function migrate(lane: Lane, options: MigrateOptions): Promise<ColumnTypes> {
  const { schema, versions = VERSIONS } = options;
  try {
    // Where there is nothing to do nothing is written, so that a database that takes no writes can be read.
    let version = await versionOf(lane, schema);
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
  const limit = Math.max(Math.ceil(busyMs), 1);
  try {
    await lane.send("begin", plain(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${limit}`));
    await ask(lane, "migration-lock", LOCK, [schema]);
    const version = (await hasMeta(lane, schema)) ? await versionOf(lane, schema) : await prepare(lane, schema);
    const next = versions[version];
    if (next !== undefined) {
      await lane.send("search-path", plain(`SET LOCAL search_path = "${schema}"`));
      for (const sql of next(POSTGRES)) await lane.send("migration", plain(sql));
      await lane.send("set-version", plain(`UPDATE "${schema}".${META} SET version = ${version + 1}`));
    }
    await lane.send("commit", plain("COMMIT"));
    return next === undefined ? version : version + 1;
  } catch (error) {
    // What cannot be rolled back is dropped with its connection.
    if (lane.broken === undefined) await lane.send("rollback", plain("ROLLBACK")).catch(() => undefined);
    throw error;
  }
}

async function hasMeta(lane: Lane, schema: string): Promise<boolean> {
  const [row] = await ask(lane, "has-meta", "SELECT to_regclass($1) IS NOT NULL", [`"${schema}".${META}`]);
  return row?.[0] === "t";
}

/** Makes an empty schema Koine's own. */
async function prepare(lane: Lane, schema: string): Promise<number> {
  const [other] = await ask(lane, "others", SELECT_OTHERS, [schema]);
  if (other !== undefined) {
    throw new LedgerError(
      "not-koine",
      `The schema "${schema}" holds tables of another program (${String(other[0])}); give the ledger one of its own.`,
    );
  }
  // To ask first spares a right that is needed for making schemas, and not for using them.
  const [present] = await ask(lane, "has-schema", SELECT_SCHEMA, [schema]);
  if (present === undefined) await lane.send("create-schema", plain(`CREATE SCHEMA "${schema}"`));
  await lane.send("create-meta", plain(`CREATE TABLE "${schema}".${META} (version integer NOT NULL)`));
  await lane.send("first-version", plain(`INSERT INTO "${schema}".${META} VALUES (0)`));
  return 0;
}

async function ask(
  lane: Lane,
  name: string,
  text: string,
  values: string[],
): Promise<readonly (readonly SqlValue[])[]> {
  return rowsOf(await lane.send(name, named(name, text, values)));
}

function tooNew(schema: string, version: number, known: number): LedgerError {
  return new LedgerError(
    "schema-too-new",
    `The tables in schema "${schema}" are of version ${version}, and this Koine knows up to ${known}: use a newer one.`,
  );
}
