// Defines the SQL of SQLite where it differs from Postgres.
import type { SqlFlavor } from "../sql/engine.ts";

export const SQLITE: SqlFlavor = {
  key: "TEXT",
  text: "TEXT",
  integer: "INTEGER",
  bytes: "BLOB",
  smallRows: " WITHOUT ROWID",
  // The search index refers to messages by the explicit column `number`, because VACUUM may change implicit row ids.
  searchedKey: (columns) => `number INTEGER PRIMARY KEY, UNIQUE (${columns})`,
  counted: "INTEGER PRIMARY KEY AUTOINCREMENT",
  // Row locks are unnecessary, because SQLite has one writer at a time.
  lock: "",
  hold: "",
  inList: (column, n) => `${column} IN (SELECT value FROM json_each(?${n}))`,
  listed: (n) => `json_each(?${n}) AS w`,
  milliseconds: (column) => `CAST(round(unixepoch(${column}, 'subsec') * 1000) AS INTEGER)`,
  mayHold: (column, n) => `(${column} LIKE '%' || ?${n} || '%' OR length(${column}) <> octet_length(${column}))`,
  afterInsert: (table, name, statement) => [`CREATE TRIGGER ${name} AFTER INSERT ON ${table} BEGIN ${statement}; END`],
  // The index contains only the first 48 bits (8 characters) of each digest. Digests are random, so appends change
  // random pages of the index, and a smaller index has fewer pages. The plus in `+tenant` prevents SQLite from using an
  // index that begins with the tenant, with which it would scan all messages of the tenant.
  digests: {
    columns: "substr(digest, 1, 8)",
    inList: `substr(digest, 1, 8) IN (SELECT substr(value, 1, 8) FROM json_each(?2))
      AND digest IN (SELECT value FROM json_each(?2)) AND +tenant = ?1`,
    single: "substr(digest, 1, 8) = substr(?2, 1, 8) AND digest = ?2 AND +tenant = ?1",
  },
};
