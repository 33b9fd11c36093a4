// Opens a Postgres store, which needs the package `pg`.
import { LedgerError } from "../../errors.ts";
import type { LedgerStore } from "../../store/contract.ts";
import { type ConnectionOptions, PostgresConnections, type PostgresTrace } from "./connections.ts";
import { loadDriver, type PgDriver } from "./driver.ts";
import { assertSchemaName, StatementTexts } from "./sql-flavor.ts";
import { migrate } from "./migrate.ts";
import { PostgresStore } from "./store.ts";
import { PostgresNotifications } from "./notifications.ts";

/** The options of a Postgres store. */
export interface PostgresOptions {
  /** The schema of the tables; created if it does not exist. */
  schema: string;
  /** The maximum number of connections for reads and writes; one more receives notifications. */
  connections: number;
  /** The maximum time in milliseconds to wait for a lock of another writer, or for a free connection. */
  busyMs: number;
  /**
   * "full" (default): a commit waits for the server's disk, even if the server is configured not to wait. "normal": the
   * configuration of the server applies.
   */
  sync?: "full" | "normal";
  /** True if tables must be neither created nor migrated. */
  readOnly?: boolean;
  /** Called before and after every statement; for tests. */
  trace?: PostgresTrace;
}

/** Opens the store at a URL that `pg` accepts, and migrates its tables. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<LedgerStore> {
  return openWithDriver(await loadDriver(), url, options);
}

/** Opens the store with a given driver instead of the package `pg`. */
export async function openWithDriver(driver: PgDriver, url: string, options: PostgresOptions): Promise<LedgerStore> {
  const { schema, connections: count, busyMs, sync = "full", readOnly = false, trace } = options;
  assertSchemaName(schema);
  const connections = createConnections(driver, { url, connections: count, busyMs, trace });
  try {
    const types = await connections.withConnection((connection) =>
      migrate(connection, { schema, busyMs: connections.busyMs, readOnly }),
    );
    const connect = () => new connections.driver.Client(connections.settings);
    const notifications = new PostgresNotifications({ connect, channel: `koine_${schema}` });
    return new PostgresStore({ connections, texts: new StatementTexts(schema, types), notifications, sync });
  } catch (error) {
    await connections.close();
    throw error;
  }
}

function createConnections(driver: PgDriver, options: ConnectionOptions): PostgresConnections {
  try {
    const connections = new PostgresConnections(driver, options);
    // This client is created only to validate the URL: the driver parses the URL here and throws if it is invalid.
    void new driver.Client(connections.settings);
    return connections;
  } catch {
    // The new error omits the cause, which would contain the URL and its password.
    throw new LedgerError("invalid-input", "The URL of the Postgres database is invalid.", {
      path: "url",
    });
  }
}
