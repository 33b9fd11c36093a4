// Defines the tables: for each field of a row, its column and how its values are encoded and decoded. Reads select the
// columns in the order of the fields, so that a row is built from a list of values without lookups by name.
import type * as Rows from "../../store/rows.ts";
import type { SqlRow, SqlValue } from "./engine.ts";

/**
 * The conversion of a column's values: "boolean" is stored as 0 or 1, "integer" may be returned as text (by Postgres,
 * for 64 bits), and "plain" values are not converted.
 */
type ColumnKind = "plain" | "integer" | "boolean";
type ColumnKindOf<Value> = Value extends boolean ? "boolean" : NonNullable<Value> extends number ? "integer" : "plain";

type TableColumns<Row> = { readonly [Field in keyof Row]-?: readonly [column: string, kind: ColumnKindOf<Row[Field]>] };

/** A table, or a selection of its columns. */
export class SqlTable<Row extends object> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly fields: readonly (keyof Row & string)[];
  readonly #kinds: readonly ColumnKind[];
  readonly #plain: boolean;
  readonly #byField: TableColumns<Row>;

  constructor(name: string, columns: TableColumns<Row>) {
    this.name = name;
    this.#byField = columns;
    // The cast is safe, because the keys of TableColumns<Row> are the fields of Row.
    this.fields = Object.keys(columns) as (keyof Row & string)[];
    this.columns = this.fields.map((field) => columns[field][0]);
    this.#kinds = this.fields.map((field) => columns[field][1]);
    this.#plain = this.#kinds.every((kind) => kind === "plain");
  }

  /** Returns the columns for a SELECT, prefixed with `alias` if given. */
  list(alias?: string): string {
    return this.columns.map((column) => (alias === undefined ? column : `${alias}.${column}`)).join(", ");
  }

  column(field: keyof Row): string {
    return this.#byField[field][0];
  }

  /** Encodes the value of one field. */
  encodeField(field: keyof Row, value: unknown): SqlValue {
    return encodeValue(this.#byField[field][1], value);
  }

  /** Encodes a row in the order of the columns. */
  encode(row: Row): SqlValue[] {
    const values: SqlValue[] = [];
    for (let at = 0; at < this.fields.length; at++) {
      // The casts are safe, because `#kinds` and `fields` have the same length.
      values.push(encodeValue(this.#kinds[at] as ColumnKind, row[this.fields[at] as keyof Row]));
    }
    return values;
  }

  /** Decodes a row from values in the order of the columns. */
  decode(values: SqlRow): Row {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < this.fields.length; at++) {
      const value = values[at] as SqlValue;
      row[this.fields[at] as string] = this.#plain ? value : decodeValue(this.#kinds[at] as ColumnKind, value);
    }
    // The cast is safe, because every field was decoded from the column that `encode` wrote.
    return row as Row;
  }
}

function encodeValue(kind: ColumnKind, value: unknown): SqlValue {
  // The cast is safe, because all other values in rows are text, numbers, null and bytes.
  return kind === "boolean" ? Number(value) : (value as SqlValue);
}

function decodeValue(kind: ColumnKind, value: SqlValue): unknown {
  if (kind === "plain" || value === null) return value;
  return kind === "boolean" ? Number(value) !== 0 : Number(value);
}

const THREAD_COLUMNS = { tenant: ["tenant", "plain"], threadId: ["thread_id", "plain"] } as const;

export const THREADS = new SqlTable<Rows.ThreadRow>("threads", {
  tenant: ["tenant", "plain"],
  id: ["id", "plain"],
  title: ["title", "plain"],
  scope: ["scope", "plain"],
  kind: ["kind", "plain"],
  metadata: ["metadata", "plain"],
  createdAt: ["created_at", "plain"],
  pinned: ["pinned", "boolean"],
  leafId: ["leaf_id", "plain"],
});

/** The table with the last activity of each thread. A trigger inserts its rows, and activity-writer.ts updates them. */
export const ACTIVITY = "activity";

/**
 * A row of the table `thread_changes`, from which other processes read the changes of a thread: see change-reader.ts.
 */
interface ChangeRow {
  tenant: string;
  threadId: string;
  /** The kinds of changes, separated by spaces. */
  changes: string;
  /** The id of the process that made the changes. */
  source: string;
}
export const CHANGES = new SqlTable<ChangeRow>("thread_changes", {
  ...THREAD_COLUMNS,
  changes: ["change", "plain"],
  source: ["source", "plain"],
});

const HEADER_COLUMNS = {
  ...THREAD_COLUMNS,
  id: ["id", "plain"],
  parentId: ["parent_id", "plain"],
  runId: ["run_id", "plain"],
  role: ["role", "plain"],
  digest: ["digest", "plain"],
} as const;
export const HEADERS = new SqlTable<Rows.MessageHeader>("messages", HEADER_COLUMNS);
export const MESSAGES = new SqlTable<Rows.MessageRow>("messages", { ...HEADER_COLUMNS, body: ["body", "plain"] });

export const RUNS = new SqlTable<Rows.RunRow>("runs", {
  ...THREAD_COLUMNS,
  id: ["id", "plain"],
  state: ["state", "plain"],
  mode: ["mode", "plain"],
  forks: ["forks", "boolean"],
  forkFromId: ["fork_from_id", "plain"],
  idempotencyKey: ["idempotency_key", "plain"],
  epoch: ["epoch", "integer"],
  leaseUntil: ["lease_until", "integer"],
  createdAt: ["created_at", "plain"],
  finishedAt: ["finished_at", "integer"],
  error: ["error", "plain"],
  usage: ["usage", "plain"],
  metadata: ["metadata", "plain"],
  firstDeltaId: ["first_delta_id", "plain"],
  lastDeltaId: ["last_delta_id", "plain"],
  lastSeq: ["last_seq", "integer"],
  compacted: ["compacted", "boolean"],
});

/** The columns of the table `runs` that `LedgerReads.usages` reads. */
export const USAGES = new SqlTable<Rows.RunUsage>("runs", {
  threadId: ["thread_id", "plain"],
  id: ["id", "plain"],
  state: ["state", "plain"],
  usage: ["usage", "plain"],
});

export const LOG = new SqlTable<Rows.LogRow>("log", {
  ...THREAD_COLUMNS,
  id: ["id", "plain"],
  runId: ["run_id", "plain"],
  kind: ["kind", "plain"],
  body: ["body", "plain"],
});

export const KEYS = new SqlTable<Rows.KeyRow>("idempotency_keys", {
  ...THREAD_COLUMNS,
  key: ["name", "plain"],
  hash: ["hash", "plain"],
  result: ["result", "plain"],
  createdAt: ["created_at", "integer"],
});

export const ALIASES = new SqlTable<Rows.AliasRow>("aliases", {
  tenant: ["tenant", "plain"],
  name: ["name", "plain"],
  threadId: ["thread_id", "plain"],
  runId: ["run_id", "plain"],
});

export const WORK = new SqlTable<Rows.WorkRow>("work", {
  ...THREAD_COLUMNS,
  wants: ["wants", "integer"],
  wantedAt: ["wanted_at", "integer"],
  holder: ["holder", "plain"],
  leaseId: ["lease_id", "plain"],
  leaseUntil: ["lease_until", "integer"],
});

export const BLOBS = new SqlTable<Rows.BlobRow>("blobs", {
  tenant: ["tenant", "plain"],
  hash: ["hash", "plain"],
  blobId: ["blob_id", "plain"],
  size: ["size", "integer"],
  createdAt: ["created_at", "integer"],
});

export const CHUNKS = new SqlTable<Rows.ChunkRow>("blob_chunks", {
  tenant: ["tenant", "plain"],
  blobId: ["blob_id", "plain"],
  position: ["position", "integer"],
  bytes: ["bytes", "plain"],
});

export const BLOB_REFS = new SqlTable<Rows.BlobRefRow>("blob_refs", {
  ...THREAD_COLUMNS,
  messageId: ["message_id", "plain"],
  hash: ["hash", "plain"],
});

export const QUARANTINE = new SqlTable<Rows.QuarantineRow>("quarantine", {
  ...THREAD_COLUMNS,
  messageId: ["message_id", "plain"],
  reason: ["reason", "plain"],
  body: ["body", "plain"],
  foundAt: ["found_at", "plain"],
});
