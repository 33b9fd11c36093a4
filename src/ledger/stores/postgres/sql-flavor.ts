// Defines the SQL of Postgres where it differs from SQLite: types, locks, the text of statements, and valid schema
// names.
import { LedgerError } from "../../errors.ts";
import { conflictClause, type SqlFlavor, type Insert, type Statement } from "../sql/engine.ts";
import { PENDING, TABLES } from "./schema.ts";

/** The SQL of Postgres. The collation "C" compares ids as bytes, regardless of the database's collation. */
export const POSTGRES: SqlFlavor = {
  key: `text COLLATE "C"`,
  text: "text",
  integer: "bigint",
  bytes: "bytea",
  smallRows: "",
  searchedKey: (columns) => `PRIMARY KEY (${columns})`,
  counted: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  lock: "FOR UPDATE",
  hold: "FOR KEY SHARE",
  inList: (column, n) => `${column} = ANY (ARRAY(SELECT json_array_elements_text(?${n}::json)))`,
  listed: (n) => `json_array_elements(?${n}::json) AS w (value)`,
  forEach: (n, read) => `SELECT r.* FROM json_array_elements(?${n}::json) AS w (value) CROSS JOIN LATERAL (${read}) r`,
  milliseconds: (column) => `CASE WHEN ${column} ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$'
    THEN CAST(extract(epoch FROM CAST(${column} AS timestamptz)) * 1000 AS bigint) END`,
  mayHold: (column, n) => `(lower(${column}) LIKE '%' || ?${n} || '%' OR length(${column}) <> octet_length(${column}))`,
  // The trigger function always uses the schema in which it was created, regardless of the connection's search path.
  afterInsert: (table, name, statement) => [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
      AS $body$ BEGIN ${statement}; RETURN NULL; END $body$`,
    `CREATE TRIGGER ${name} AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  ],
};

/** Matches valid schema names: lower case and short, because the name is part of statements and of a channel name. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,49}$/;

export function assertSchemaName(schema: string): void {
  if (SCHEMA_NAME.test(schema) && !schema.startsWith("pg_") && schema !== "information_schema") return;
  throw new LedgerError(
    "invalid-input",
    `"${schema}" is not a valid schema name: use up to 50 lower-case letters, digits and underscores, not "pg_…".`,
    { path: "schema" },
  );
}

/** The type of each column, by table and name: "messages.body" → "text". */
export type ColumnTypes = ReadonlyMap<string, string>;

/** Converts statements to the SQL of Postgres for one schema: parameters become $1, and tables get their schema. */
export class StatementTexts {
  readonly #schema: string;
  readonly #types: ColumnTypes;
  readonly #written = new Map<string, string>();

  constructor(schema: string, types: ColumnTypes) {
    this.#schema = schema;
    this.#types = types;
  }

  of({ name, sql }: Statement): string {
    return this.#text(name, () => sql.replaceAll(/\?(\d+)/g, "$$$1"));
  }

  /**
   * Returns the statement of an insert. For one row (`isSingle`), each parameter is a value; for several rows, each
   * parameter is the array of a column's values, so that any number of rows uses the same statement.
   */
  insert(insert: Insert, isSingle: boolean): { name: string; text: string } {
    const name = isSingle ? insert.name : `${insert.name}-many`;
    return { name, text: this.#text(name, () => this.#insertSql(insert, isSingle)) };
  }

  /** Returns a table's name with its schema. */
  table(name: string): string {
    return `"${this.#schema}".${name}`;
  }

  #insertSql(insert: Insert, isSingle: boolean): string {
    const { table, columns } = insert;
    const list = columns.join(", ");
    const single = columns.map((_, at) => `$${at + 1}`).join(", ");
    const many = columns.map((column, at) => `$${at + 1}::${this.#typeOf(table, column)}[]`).join(", ");
    const rows = isSingle ? `VALUES (${single})` : `SELECT * FROM unnest(${many})`;
    const sql = `INSERT INTO ${table} (${list}) ${rows}${conflictClause(insert)}`;
    if (table !== PENDING.of) return sql;
    // The same statement also inserts the message into the search queue, which saves a second statement.
    const key = PENDING.columns.join(", ");
    return `WITH added AS (${sql} RETURNING ${key}) INSERT INTO ${PENDING.table} (${key}) SELECT ${key} FROM added`;
  }

  #typeOf(table: string, column: string): string {
    const type = this.#types.get(`${table}.${column}`);
    if (type === undefined) throw new LedgerError("corrupt", `The table ${table} has no column ${column}.`);
    return type;
  }

  #text(name: string, write: () => string): string {
    let text = this.#written.get(name);
    if (text === undefined) {
      text = write().replaceAll(TABLE_REFERENCE, (_, word: string, table: string) => `${word} ${this.table(table)}`);
      this.#written.set(name, text);
    }
    return text;
  }
}

/**
 * Matches the tables in a statement, which get the name of the schema. The search path is not used instead, because
 * connection poolers share connections between clients.
 */
const TABLE_REFERENCE = new RegExp(String.raw`\b(FROM|JOIN|INTO|UPDATE)\s+(${TABLES.join("|")})\b`, "g");
