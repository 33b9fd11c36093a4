// Brings a SQLite file to the newest version of the tables. Each step is one transaction together with its number
// (`user_version`), so that a crash leaves the file at one version or the next, and whoever opens it next goes on.
import { LedgerError } from "../../errors.ts";
import type { Statement } from "../sql/engine.ts";
import { MIGRATIONS } from "../sql/schema.ts";
import type { Connection } from "./connection.ts";
import { APPLICATION_ID, foreign, tooNew } from "./file.ts";
import { SQLITE } from "./flavour.ts";
import { SEARCH_SCHEMA } from "./search.ts";

/** What only SQLite has, by version: run after the shared migration of the same number. */
const OWN: readonly (readonly string[])[] = [SEARCH_SCHEMA];

const STEPS = MIGRATIONS.map((migration, at) => migration(SQLITE).concat(OWN[at] ?? []));

export const NEWEST_VERSION = STEPS.length;

const APPLICATION: Statement = { name: "read-application", sql: "PRAGMA application_id" };
const VERSION: Statement = { name: "read-version", sql: "PRAGMA user_version" };
const TABLE_COUNT: Statement = { name: "count-tables", sql: "SELECT count(*) FROM sqlite_schema" };

/** Lifts the file at `path` to `target`, step by step. Other processes may do the same at the same time. */
export function migrate(connection: Connection, path: string, target: number = NEWEST_VERSION): void {
  while (versionOf(connection, path) < target) {
    connection.begin();
    try {
      // Under the lock now: somebody else may have been faster.
      const version = versionOf(connection, path);
      if (version < target) lift(connection, version);
      connection.commit();
    } catch (error) {
      connection.rollback();
      throw error;
    }
  }
}

function lift(connection: Connection, version: number): void {
  const steps = STEPS[version] ?? [];
  for (const [at, sql] of steps.entries()) connection.once(`migration-${version + 1}-${at + 1}`, sql);
  if (version === 0) connection.once("set-application", `PRAGMA application_id = ${APPLICATION_ID}`);
  connection.once("set-version", `PRAGMA user_version = ${version + 1}`);
}

/** Throws where the tables would have to be lifted. */
export function demandNewest(connection: Connection, path: string): void {
  const version = versionOf(connection, path);
  if (version < NEWEST_VERSION) throw notUpToDate(path, version);
}

export function notUpToDate(path: string, version: number): LedgerError {
  const what = version === 0 ? "holds no ledger yet" : `has version ${version}, and this Koine has ${NEWEST_VERSION}`;
  return new LedgerError(
    "schema-too-old",
    `The database ${path} ${what}; it is only read from here, and was left as it is.`,
  );
}

/** The version of the tables, 0 where there are none. Throws where they are not Koine's, or a newer one's. */
export function versionOf(connection: Connection, path: string): number {
  const number = (statement: Statement): number => Number(connection.read(statement)[0]?.[0]);
  const [application, version] = [number(APPLICATION), number(VERSION)];
  // Counted in any case: it shows whether the list of tables can be read.
  const hasTables = number(TABLE_COUNT) > 0;
  if (application !== APPLICATION_ID && (application !== 0 || hasTables)) throw foreign(path);
  if (version > NEWEST_VERSION) throw tooNew(path, version, NEWEST_VERSION);
  return application === 0 ? 0 : version;
}
