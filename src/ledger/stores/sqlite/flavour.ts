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
  // Whoever writes is alone.
  lock: "",
  inList: (column, n) => `${column} IN (SELECT value FROM json_each(?${n}))`,
};
