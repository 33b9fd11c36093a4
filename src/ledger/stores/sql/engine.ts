// Defines the common interface of SQLite and Postgres: how a statement is run, and where the SQL of the engines
// differs. The statements (statements.ts) are written once for both engines.
import type { Awaitable } from "../../store/steps.ts";

export type SqlValue = string | number | null | Uint8Array;
/** The values of a row in the order of the statement's columns. */
export type SqlRow = readonly SqlValue[];

/** A named statement. Its parameters are ?1, ?2 …; its text never contains data. */
export interface Statement {
  readonly name: string;
  readonly sql: string;
}

/** An insert into a table. By default, a row with an existing key is an error. */
export interface Insert {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** True if a row with an existing key is skipped. */
  readonly ignoreTaken?: boolean;
  /** The key columns, and the assignments by which a row with an existing key updates the existing row. */
  readonly onTaken?: { readonly key: string; readonly set: string };
}

/** Returns the ON CONFLICT clause of an insert; "" if an existing key is an error. */
export function conflictClause({ ignoreTaken, onTaken }: Insert): string {
  if (onTaken !== undefined) return ` ON CONFLICT (${onTaken.key}) DO UPDATE SET ${onTaken.set}`;
  return ignoreTaken === true ? " ON CONFLICT DO NOTHING" : "";
}

/** Runs statements, either all in one transaction or each in its own. */
export interface SqlSession {
  all(statement: Statement, values: readonly SqlValue[]): Awaitable<readonly SqlRow[]>;
  /** Returns the number of changed rows. */
  run(statement: Statement, values: readonly SqlValue[]): Awaitable<number>;
  /** Inserts all rows or none, and returns the number of written rows. Throws "conflict" for an existing key. */
  insert(insert: Insert, rows: readonly (readonly SqlValue[])[]): Awaitable<number>;
}

/** The differences between the SQL of the engines. */
export interface SqlFlavor {
  /** The SQL type of ids and other keys, which are compared as bytes. */
  readonly key: string;
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /**
   * The end of a CREATE TABLE statement for a table with small rows, which SQLite then stores in the tree of the
   * primary key.
   */
  readonly smallRows: string;
  /**
   * Returns the primary key definition of a table whose rows are in the search index. It includes a column with the row
   * number if the engine's search index refers to rows by number.
   */
  readonly searchedKey: (columns: string) => string;
  /** The definition of a primary key column with ascending row numbers. */
  readonly counted: string;
  /** The end of a SELECT statement that locks its rows until the end of the transaction. */
  readonly lock: string;
  /**
   * The end of a SELECT statement that protects its rows from deletion and from `lock` until the end of the
   * transaction. Several transactions can protect the same rows.
   */
  readonly hold: string;
  /** Returns the condition that a column is in the JSON array of strings in parameter ?n. */
  readonly inList: (column: string, n: number) => string;
  /**
   * Returns a table expression `w` with a row for each element of the JSON array in parameter ?n. If an element is an
   * array, `w.value ->> 0` is its first value as text.
   */
  readonly listed: (n: number) => string;
  /**
   * Returns a statement that runs the query `read` for each element of the JSON array in parameter ?n, in one round
   * trip. Absent for an engine that runs in the same process, which runs a separate statement for each element.
   */
  readonly forEach?: (n: number, read: string) => string;
  /** Returns an expression for the milliseconds since 1970 of a column with an ISO 8601 time; null for other texts. */
  readonly milliseconds: (column: string) => string;
  /**
   * Returns the condition that a column contains parameter ?n (ASCII) in upper or lower case, or contains non-ASCII
   * characters. The caller must itself compare the texts with non-ASCII characters.
   */
  readonly mayHold: (column: string, n: number) => string;
  /** Returns the statements that create a trigger, which runs `statement` after every insert into a table. */
  readonly afterInsert: (table: string, name: string, statement: string) => string[];
  /**
   * The columns of the digest index; the condition that a message of tenant ?1 has a digest in the JSON array ?2
   * (`inList`); and the condition that it has the digest ?2 (`single`). By default, the columns are tenant and digest.
   */
  readonly digests?: { readonly columns: string; readonly inList: string; readonly single: string };
}
