// Opens a store over Postgres, for which the package `pg` must be installed.
import { LedgerError } from "../../errors.ts";
import type { LedgerStore } from "../../store.ts";
import { type ConnectionOptions, Connections, type Trace } from "./connections.ts";
import { loadDriver, type PgDriver } from "./driver.ts";
import { checkSchema, Texts } from "./flavour.ts";
import { migrate } from "./migrate.ts";
import { PostgresStore } from "./store.ts";
import { Wakeups } from "./wakeups.ts";

export interface PostgresOptions {
  /** The schema that holds the tables; made where it is not there. */
  schema: string;
  /** The most connections for reading and writing; one more hears of changes. */
  connections: number;
  /** How long a lock of another writer, or a free connection, is waited for. */
  busyMs: number;
  /** "full" (default): a commit waits for the server's disk even where the server is set not to. */
  sync?: "full" | "normal";
  /** Tables are neither made nor lifted. */
  readOnly?: boolean;
  /** Hears of every statement, before and after. For tests. */
  trace?: Trace;
}

/** Opens the store at a URL as `pg` takes it, and brings its tables up to date. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<LedgerStore> {
  return openWith(await loadDriver(), url, options);
}

/** As `openPostgres`, with a driver that the caller has. */
export async function openWith(driver: PgDriver, url: string, options: PostgresOptions): Promise<LedgerStore> {
  const { schema, connections: count, busyMs, sync = "full", readOnly = false, trace } = options;
  checkSchema(schema);
  const connections = connectionsTo(driver, { url, connections: count, busyMs, trace });
  try {
    const types = await connections.lend((lane) => migrate(lane, { schema, busyMs: connections.busyMs, readOnly }));
    const connect = () => new connections.driver.Client(connections.settings);
    const wakeups = new Wakeups({ connect, channel: `koine_${schema}` });
    return new PostgresStore({ connections, texts: new Texts(schema, types), wakeups, sync });
  } catch (error) {
    await connections.close();
    throw error;
  }
}

function connectionsTo(driver: PgDriver, options: ConnectionOptions): Connections {
  try {
    const connections = new Connections(driver, options);
    // The driver reads the URL when it makes a client; the first one is not used.
    void new driver.Client(connections.settings);
    return connections;
  } catch {
    // Without the cause, which would show the URL and the password in it.
    throw new LedgerError("invalid-input", "The address of the Postgres database is no URL that can be read.", {
      path: "url",
    });
  }
}
