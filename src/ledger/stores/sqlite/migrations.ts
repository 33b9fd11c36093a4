// Migrates a SQLite file to the newest version of the tables. Each step is one transaction including its version number
// (`user_version`), so that after a crash the next opening continues at a defined version.
import { LedgerError } from "../../errors.ts";
import type { Statement } from "../sql/engine.ts";
import { MIGRATIONS } from "../sql/schema.ts";
import type { SqliteConnection } from "./connection.ts";
import { APPLICATION_ID, createForeignFileError, createTooNewError } from "./inspect-file.ts";
import { SQLITE } from "./sql-flavor.ts";
import { SEARCH_SCHEMA } from "./search.ts";

/** SQLite's own statements by version; they run after the shared migration of the same number. */
const SQLITE_STEPS: readonly (readonly string[])[] = [SEARCH_SCHEMA];

const ALL_STEPS = MIGRATIONS.map((migration, at) => migration(SQLITE).concat(SQLITE_STEPS[at] ?? []));

export const NEWEST_VERSION = ALL_STEPS.length;

const APPLICATION: Statement = { name: "read-application", sql: "PRAGMA application_id" };
const VERSION: Statement = { name: "read-version", sql: "PRAGMA user_version" };
const TABLE_COUNT: Statement = { name: "count-tables", sql: "SELECT count(*) FROM sqlite_schema" };

/** Migrates the file at `path` to `target`, step by step. Other processes may do the same at the same time. */
export function migrate(connection: SqliteConnection, path: string, target: number = NEWEST_VERSION): void {
  while (readVersion(connection, path) < target) {
    connection.begin();
    try {
      // Read again under the lock: another process may have been faster.
      const version = readVersion(connection, path);
      if (version < target) applyMigration(connection, version);
      connection.commit();
    } catch (error) {
      connection.rollback();
      throw error;
    }
  }
}

function applyMigration(connection: SqliteConnection, version: number): void {
  const steps = ALL_STEPS[version] ?? [];
  for (const [at, sql] of steps.entries()) connection.executeText(`migration-${version + 1}-${at + 1}`, sql);
  if (version === 0) connection.executeText("set-application", `PRAGMA application_id = ${APPLICATION_ID}`);
  connection.executeText("set-version", `PRAGMA user_version = ${version + 1}`);
}

/** Throws if the tables would have to be migrated. */
export function assertNewestVersion(connection: SqliteConnection, path: string): void {
  const version = readVersion(connection, path);
  if (version < NEWEST_VERSION) throw createTooOldError(path, version);
}

export function createTooOldError(path: string, version: number): LedgerError {
  const state = version === 0 ? "contains no ledger yet" : `has version ${version}; this Koine needs ${NEWEST_VERSION}`;
  return new LedgerError(
    "schema-too-old",
    `The database ${path} ${state}; it was opened read-only and was not changed.`,
  );
}

/**
 * Returns the version of the tables, 0 if there are none. Throws if they belong to another program or a newer Koine.
 */
export function readVersion(connection: SqliteConnection, path: string): number {
  const number = (statement: Statement): number => Number(connection.read(statement)[0]?.[0]);
  const [application, version] = [number(APPLICATION), number(VERSION)];
  // Always counted: it shows whether the list of tables is readable.
  const hasTables = number(TABLE_COUNT) > 0;
  if (application !== APPLICATION_ID && (application !== 0 || hasTables)) throw createForeignFileError(path);
  if (version > NEWEST_VERSION) throw createTooNewError(path, version, NEWEST_VERSION);
  return application === 0 ? 0 : version;
}
