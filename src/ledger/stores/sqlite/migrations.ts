// Migrates the tables of a SQLite file to the newest version. Each migration is one transaction, which also writes the
// version number (`user_version`), so that after a crash the next process continues with the right migration.
import { LedgerError } from "../../errors.ts";
import type { Statement } from "../sql/engine.ts";
import { MIGRATIONS } from "../sql/schema.ts";
import type { SqliteConnection } from "./connection.ts";
import { APPLICATION_ID, createForeignFileError, createTooNewError } from "./inspect-file.ts";
import { SQLITE } from "./sql-flavor.ts";
import { SEARCH_SCHEMA } from "./search.ts";

/**
 * The statements that only SQLite needs; those of version 1 are at index 0. They run after the shared migration of the
 * same version.
 */
const SQLITE_STEPS: readonly (readonly string[])[] = [SEARCH_SCHEMA];

const ALL_STEPS = MIGRATIONS.map((migration, at) => migration(SQLITE).concat(SQLITE_STEPS[at] ?? []));

export const NEWEST_VERSION = ALL_STEPS.length;

const APPLICATION: Statement = { name: "read-application", sql: "PRAGMA application_id" };
const VERSION: Statement = { name: "read-version", sql: "PRAGMA user_version" };
const TABLE_COUNT: Statement = { name: "count-tables", sql: "SELECT count(*) FROM sqlite_schema" };

/** Migrates the tables to the version `target`. Other processes may migrate the same file at the same time. */
export function migrate(connection: SqliteConnection, path: string, target: number = NEWEST_VERSION): void {
  while (readVersion(connection, path) < target) {
    connection.begin();
    try {
      // The version is read again under the lock, because another process may have migrated the tables meanwhile.
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
 * Returns the version of the tables; 0 if there are no tables. Throws if the tables belong to another program or to a
 * newer version of Koine.
 */
export function readVersion(connection: SqliteConnection, path: string): number {
  const number = (statement: Statement): number => Number(connection.read(statement)[0]?.[0]);
  const [application, version] = [number(APPLICATION), number(VERSION)];
  // The tables are counted even if the application id is Koine's, because the count throws if the database is damaged.
  const hasTables = number(TABLE_COUNT) > 0;
  if (application !== APPLICATION_ID && (application !== 0 || hasTables)) throw createForeignFileError(path);
  if (version > NEWEST_VERSION) throw createTooNewError(path, version, NEWEST_VERSION);
  return application === 0 ? 0 : version;
}
