// The part of the package `pg` that Koine uses, in types of its own: whoever uses another store needs neither the
// package nor its types.
import { LedgerError } from "../../errors.ts";

/** A value as a parameter; a list is an array of Postgres. */
export type PgValue = string | number | null | Uint8Array | readonly (string | number | null | Uint8Array)[];

export interface PgQuery {
  readonly text: string;
  /** A statement with a name is parsed once per connection. */
  readonly name?: string;
  readonly values?: readonly PgValue[];
  readonly rowMode?: "array";
  readonly types?: PgTypes | undefined;
  /** Milliseconds after which the answer is given up, and with it the connection. */
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
  /** Whether queries are sent without waiting for the answers to those before. Absent in older versions. */
  readonly pipeline?: boolean;
  /** The socket below, where it can hold back what is written. */
  readonly connection?: { readonly stream?: { cork?(): void; uncork?(): void } };
  connect(): Promise<unknown>;
  query(query: PgQuery, answer: (error: Error | null, result: PgResult) => void): unknown;
  end(): Promise<void>;
  on(event: "error", hear: (error: Error) => void): unknown;
  on(event: "end", hear: () => void): unknown;
  on(event: "notification", hear: (message: PgNotification) => void): unknown;
  ref?(): void;
  unref?(): void;
}
export interface PgPoolClient extends PgClient {
  /** With an error, the pool drops the connection. */
  release(error?: Error): void;
}
export interface PgPool {
  connect(): Promise<PgPoolClient>;
  end(): Promise<void>;
  on(event: "error", hear: (error: Error) => void): unknown;
  on(event: "connect", hear: (client: PgClient) => void): unknown;
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
  /** Whether a process may end though connections are open that nobody uses. */
  allowExitOnIdle: boolean;
}

export interface PgDriver {
  Client: new (settings: PgSettings) => PgClient;
  Pool: new (settings: PgPoolSettings) => PgPool;
}

/** The driver, which is loaded when the first Postgres ledger is opened. */
export async function loadDriver(load: () => Promise<unknown> = () => import("pg")): Promise<PgDriver> {
  try {
    // The interface above is what the package's own documentation says.
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

/** Bytes of a bytea in its text form: \x and two digits for each. */
function bytesOf(text: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(text.slice(2), "hex");
  return new Uint8Array(buffer, byteOffset, byteLength);
}

const BYTEA = 17;

/** Everything but bytes as the text that the server sent, whatever parsers the application has set for itself. */
export const TYPES: PgTypes = {
  getTypeParser: (oid) => (oid === BYTEA ? bytesOf : (text) => text),
};
