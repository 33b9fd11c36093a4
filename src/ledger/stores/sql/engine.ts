// The common interface of the two SQL engines: how a statement is run, and where their SQL differs. The statements
// (statements.ts) are written once for both.
import type { Awaitable } from "../../store/steps.ts";

export type SqlValue = string | number | null | Uint8Array;
/** The values of a row in the order of the statement's columns. */
export type SqlRow = readonly SqlValue[];

/** A named statement. Parameters are ?1, ?2 …; the text never depends on data. */
export interface Statement {
  readonly name: string;
  readonly sql: string;
}

/**
 * An insert into a table. `ignoreTaken`: a row with an existing key is skipped instead of being an error; `onTaken`: it
 * updates the existing row (DO UPDATE).
 */
export interface Insert {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly ignoreTaken?: boolean;
  readonly onTaken?: { readonly key: string; readonly set: string };
}

/** Returns the ON CONFLICT clause of an insert; "" if an existing key is an error. */
export function conflictClause({ ignoreTaken, onTaken }: Insert): string {
  if (onTaken !== undefined) return ` ON CONFLICT (${onTaken.key}) DO UPDATE SET ${onTaken.set}`;
  return ignoreTaken === true ? " ON CONFLICT DO NOTHING" : "";
}

/** Runs statements, within one transaction or each on its own. */
export interface SqlSession {
  all(statement: Statement, values: readonly SqlValue[]): Awaitable<readonly SqlRow[]>;
  /** Returns the number of changed rows. */
  run(statement: Statement, values: readonly SqlValue[]): Awaitable<number>;
  /** Inserts all rows or none; returns the number written. An existing key is a LedgerError "conflict". */
  insert(insert: Insert, rows: readonly (readonly SqlValue[])[]): Awaitable<number>;
}

/** The differences between the SQL of the engines. */
export interface SqlFlavor {
  /** The type of ids and other keys, compared as bytes. */
  readonly key: string;
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** Appended to CREATE TABLE (…): stores small rows in the primary key's tree. */
  readonly smallRows: string;
  /**
   * Ends the columns of a table with its key. Adds a row number if the engine's search index refers to rows by number.
   */
  readonly searchedKey: (columns: string) => string;
  /** The type of an ascending row number that is the primary key. */
  readonly counted: string;
  /** Ends a SELECT that locks its rows until the end of the transaction. */
  readonly lock: string;
  /**
   * Ends a SELECT that protects its rows from deletion and locks until the end of the transaction; several transactions
   * can protect the same rows.
   */
  readonly hold: string;
  /** A condition: the column is in the JSON array of strings in parameter ?n. */
  readonly inList: (column: string, n: number) => string;
  /** The JSON array in parameter ?n as rows: `w.value ->> 0` is the first text of an element that is an array. */
  readonly listed: (n: number) => string;
  /**
   * A read of some rows for each element of such a list, in one statement. Absent for an engine in the same process,
   * which runs one statement per element.
   */
  readonly forEach?: (n: number, read: string) => string;
  /** The milliseconds since 1970 of a column with an ISO 8601 text; null if it has none. */
  readonly milliseconds: (column: string) => string;
  /** A condition: the column contains the text of parameter ?n in any case, or non-ASCII characters. */
  readonly mayHold: (column: string, n: number) => string;
  /** Statements that create a trigger: it runs a statement after every insert into a table. */
  readonly afterInsert: (table: string, name: string, statement: string) => string[];
  /**
   * The columns of the digest index, and the conditions that find the digests of tenant ?1 in the JSON array ?2, or the
   * single digest ?2. Absent: tenant and digest.
   */
  readonly digests?: { readonly columns: string; readonly inList: string; readonly single: string };
}
