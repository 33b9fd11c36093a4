// Loads the package `pg`, and declares the types of `pg` that Koine uses, so that users of other stores need neither
// the package nor its types.
import { LedgerError } from "../../errors.ts";

/** A parameter of a query. A list becomes a Postgres array. */
export type PgValue = string | number | null | Uint8Array | readonly (string | number | null | Uint8Array)[];

export interface PgQuery {
  readonly text: string;
  /** The name of a prepared statement, which Postgres parses once per connection. */
  readonly name?: string;
  readonly values?: readonly PgValue[];
  readonly rowMode?: "array";
  readonly types?: PgTypes | undefined;
  /** The time in milliseconds after which the query fails. */
  readonly query_timeout?: number;
}
interface PgTypes {
  getTypeParser(oid: number): (text: string) => unknown;
}

export interface PgResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: readonly (readonly (string | null | Uint8Array)[])[];
}

export interface PgNotification {
  readonly channel: string;
  readonly payload?: string;
}

export interface PgClient {
  /** True if the client sends queries without waiting for earlier responses. Absent in older versions of `pg`. */
  readonly pipeline?: boolean;
  /** The connection with its socket. A socket with `cork` can combine several writes. */
  readonly connection?: { readonly stream?: { cork?(): void; uncork?(): void } };
  connect(): Promise<unknown>;
  query(query: PgQuery, callback: (error: Error | null, result: PgResult) => void): unknown;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "notification", listener: (message: PgNotification) => void): unknown;
  ref?(): void;
  unref?(): void;
}
export interface PgPoolClient extends PgClient {
  /** Returns the connection to the pool; with an error, the pool closes the connection. */
  release(error?: Error): void;
}
export interface PgPool {
  connect(): Promise<PgPoolClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "connect", listener: (client: PgClient) => void): unknown;
}

export interface PgSettings {
  connectionString: string;
  application_name: string;
  keepAlive: boolean;
  keepAliveInitialDelayMillis: number;
  connectionTimeoutMillis: number;
  pipeline?: boolean;
}
export interface PgPoolSettings extends PgSettings {
  max: number;
  /** True if the process may end although idle connections are open. */
  allowExitOnIdle: boolean;
}

export interface PgDriver {
  Client: new (settings: PgSettings) => PgClient;
  Pool: new (settings: PgPoolSettings) => PgPool;
}

/** Loads the driver when the first Postgres ledger is opened. */
export async function loadDriver(load: () => Promise<unknown> = () => import("pg")): Promise<PgDriver> {
  try {
    // The cast is not checked: `PgDriver` follows the documentation of the package.
    const { default: driver } = (await load()) as { default: PgDriver };
    return driver;
  } catch (cause) {
    throw new LedgerError(
      "missing-driver",
      'A Postgres ledger needs the package "pg", which is not installed: npm install pg',
      { cause },
    );
  }
}

/** Decodes a bytea value, which the server sends as "\x" and two hex digits per byte. */
function decodeBytea(text: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(text.slice(2), "hex");
  return new Uint8Array(buffer, byteOffset, byteLength);
}

const BYTEA = 17;

/**
 * The type parsers of all queries: bytes are decoded, and all other values remain text as sent by the server,
 * regardless of parsers that the application has set.
 */
export const TYPES: PgTypes = {
  getTypeParser: (oid) => (oid === BYTEA ? decodeBytea : (text) => text),
};
