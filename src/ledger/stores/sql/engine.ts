// What the two SQL engines have in common: how a statement is run, and the few words in which they differ. The tables
// (tables.ts) are written once against this.
import type { Awaitable } from "../../steps.ts";

export type SqlValue = string | number | null | Uint8Array;
/** The values of a row in the order in which the statement names its columns. */
export type SqlRow = readonly SqlValue[];

/** A statement with a name of its own. Parameters are ?1, ?2 …; nothing else in it ever depends on data. */
export interface Statement {
  readonly name: string;
  readonly sql: string;
}

/**
 * Rows into a table. `ignoreTaken`: a row whose key is taken is left out instead of being an error; `onTaken`: it changes
 * the one that is there, as DO UPDATE has it.
 */
export interface Insert {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly ignoreTaken?: boolean;
  readonly onTaken?: { readonly key: string; readonly set: string };
}

/** What stands behind the rows of an insert, for a key that is taken; "" where that is an error. */
export function conflictClause({ ignoreTaken, onTaken }: Insert): string {
  if (onTaken !== undefined) return ` ON CONFLICT (${onTaken.key}) DO UPDATE SET ${onTaken.set}`;
  return ignoreTaken === true ? " ON CONFLICT DO NOTHING" : "";
}

/** Where statements run: within one transaction, or each on its own. */
export interface SqlSession {
  all(statement: Statement, values: readonly SqlValue[]): Awaitable<readonly SqlRow[]>;
  /** Gives the number of rows that changed. */
  run(statement: Statement, values: readonly SqlValue[]): Awaitable<number>;
  /** All rows or none; gives the number written. A key that is taken is a LedgerError "conflict". */
  insert(insert: Insert, rows: readonly (readonly SqlValue[])[]): Awaitable<number>;
}

/** Where the engines' languages differ. */
export interface Flavour {
  /** Type of ids and other keys, compared as bytes. */
  readonly key: string;
  readonly text: string;
  readonly integer: string;
  readonly bytes: string;
  /** After CREATE TABLE (…): keeps small rows in the key's own tree. */
  readonly smallRows: string;
  /** Ends the columns of a table with its key. Where an engine's search index names rows by number, it numbers them here. */
  readonly searchedKey: (columns: string) => string;
  /** The type of a column that numbers rows by itself, always upwards, and is their key. */
  readonly counted: string;
  /** Ends a SELECT whose rows stay locked until the transaction is over. */
  readonly lock: string;
  /** Ends a SELECT whose rows cannot be deleted or locked until the transaction is over; several can hold the same ones. */
  readonly hold: string;
  /** A condition: the column is in the JSON array of strings in parameter ?n. */
  readonly inList: (column: string, n: number) => string;
  /** The JSON array in parameter ?n as rows: `w.value ->> 0` is the first text of an element that is an array itself. */
  readonly listed: (n: number) => string;
  /**
   * A read of some rows for each element of such a list, in one statement. Absent where there is no such statement, and
   * none is needed: an engine in the same process is asked for each.
   */
  readonly forEach?: (n: number, read: string) => string;
  /** Milliseconds since 1970, of a column that holds an ISO 8601 text; null where it holds none. */
  readonly milliseconds: (column: string) => string;
  /** A condition: the column holds the text of parameter ?n, whatever the case of its letters, or letters beyond ASCII. */
  readonly mayHold: (column: string, n: number) => string;
  /** Statements after which every row that is inserted into a table is followed by another statement. */
  readonly afterInsert: (table: string, name: string, statement: string) => string[];
  /**
   * What the index of digests holds, and the conditions that find with it those of tenant ?1 in the JSON array ?2, or the
   * one that ?2 is. Absent: tenant and digest.
   */
  readonly digests?: { readonly columns: string; readonly inList: string; readonly single: string };
}
