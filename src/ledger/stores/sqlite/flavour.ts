// SQLite's words for what the tables need.
import type { Flavour } from "../sql/engine.ts";

export const SQLITE: Flavour = {
  key: "TEXT",
  text: "TEXT",
  integer: "INTEGER",
  bytes: "BLOB",
  smallRows: " WITHOUT ROWID",
  // A number of its own, because VACUUM may change those that SQLite gives by itself.
  searchedKey: (columns) => `number INTEGER PRIMARY KEY, UNIQUE (${columns})`,
  counted: "INTEGER PRIMARY KEY AUTOINCREMENT",
  // Whoever writes is alone.
  lock: "",
  hold: "",
  inList: (column, n) => `${column} IN (SELECT value FROM json_each(?${n}))`,
  listed: (n) => `json_each(?${n}) AS w`,
  milliseconds: (column) => `CAST(round(unixepoch(${column}, 'subsec') * 1000) AS INTEGER)`,
  mayHold: (column, n) => `(${column} LIKE '%' || ?${n} || '%' OR length(${column}) <> octet_length(${column}))`,
  afterInsert: (table, name, statement) => [`CREATE TRIGGER ${name} AFTER INSERT ON ${table} BEGIN ${statement}; END`],
  // Their first 48 bits find them. They come in no order: the more fit on a page, the fewer pages an append touches.
  // The plus keeps SQLite from going through all messages of the tenant instead.
  digests: {
    columns: "substr(digest, 1, 8)",
    inList: `substr(digest, 1, 8) IN (SELECT substr(value, 1, 8) FROM json_each(?2))
      AND digest IN (SELECT value FROM json_each(?2)) AND +tenant = ?1`,
    single: "substr(digest, 1, 8) = substr(?2, 1, 8) AND digest = ?2 AND +tenant = ?1",
  },
};
