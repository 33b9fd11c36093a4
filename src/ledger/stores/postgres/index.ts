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
  /** The maximum wait for a lock of another writer or a free connection. */
  busyMs: number;
  /** "full" (default): a commit waits for the server's disk even if the server is configured not to. */
  sync?: "full" | "normal";
  /** Tables are neither created nor migrated. */
  readOnly?: boolean;
  /** Called before and after every statement. For tests. */
  trace?: PostgresTrace;
}

/** Opens the store at a URL that `pg` accepts, and migrates its tables. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<LedgerStore> {
  return openWithDriver(await loadDriver(), url, options);
}

/** Like `openPostgres`, with a given driver. */
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
    // The driver parses the URL when it creates a client; this one is not used.
    void new driver.Client(connections.settings);
    return connections;
  } catch {
    // Without the cause, which would contain the URL and its password.
    throw new LedgerError("invalid-input", "The URL of the Postgres database is invalid.", {
      path: "url",
    });
  }
}
