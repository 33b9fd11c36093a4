// How rows lie in tables: for each field its column and kind, both ways. Reads name the columns in the order of the
// fields here, so that a row that comes back as a list of values is put together without a look at names.
import type {
  AliasRow,
  BlobRefRow,
  BlobRow,
  ChunkRow,
  KeyRow,
  LogRow,
  MessageHeader,
  MessageRow,
  QuarantineRow,
  RunRow,
  RunUsage,
  ThreadRow,
  WorkRow,
} from "../../rows.ts";
import type { SqlRow, SqlValue } from "./engine.ts";

/** Booleans are stored as 0 and 1. Integers of 64 bits may come back as text. */
type Kind = "plain" | "integer" | "boolean";
type KindOf<Value> = Value extends boolean ? "boolean" : NonNullable<Value> extends number ? "integer" : "plain";

type Columns<Row> = { readonly [Field in keyof Row]-?: readonly [column: string, kind: KindOf<Row[Field]>] };

/** A table, or the columns of one that a read asks for. */
export class Table<Row extends object> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly fields: readonly (keyof Row & string)[];
  readonly #kinds: readonly Kind[];
  readonly #plain: boolean;
  readonly #byField: Columns<Row>;

  constructor(name: string, columns: Columns<Row>) {
    this.name = name;
    this.#byField = columns;
    // The keys of a Columns<Row> are the fields of Row.
    this.fields = Object.keys(columns) as (keyof Row & string)[];
    this.columns = this.fields.map((field) => columns[field][0]);
    this.#kinds = this.fields.map((field) => columns[field][1]);
    this.#plain = this.#kinds.every((kind) => kind === "plain");
  }

  /** The columns as a SELECT names them, of the table that is called `alias` where there are several. */
  list(alias?: string): string {
    return this.columns.map((column) => (alias === undefined ? column : `${alias}.${column}`)).join(", ");
  }

  column(field: keyof Row): string {
    return this.#byField[field][0];
  }

  /** A field's value as it is stored. */
  encodeField(field: keyof Row, value: unknown): SqlValue {
    return encodeValue(this.#byField[field][1], value);
  }

  /** The values of a row, in the order of the columns. */
  encode(row: Row): SqlValue[] {
    const values: SqlValue[] = [];
    for (let at = 0; at < this.fields.length; at++) {
      // Both lists are as long as each other.
      values.push(encodeValue(this.#kinds[at] as Kind, row[this.fields[at] as keyof Row]));
    }
    return values;
  }

  /** The row whose values were read in the order of the columns. */
  decode(values: SqlRow): Row {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < this.fields.length; at++) {
      const value = values[at] as SqlValue;
      row[this.fields[at] as string] = this.#plain ? value : decodeValue(this.#kinds[at] as Kind, value);
    }
    // Every field was set to what its column holds, and the columns hold what `encode` was given.
    return row as Row;
  }
}

function encodeValue(kind: Kind, value: unknown): SqlValue {
  // Rows hold only what a column takes: text, numbers, null and bytes.
  return kind === "boolean" ? Number(value) : (value as SqlValue);
}

function decodeValue(kind: Kind, value: SqlValue): unknown {
  if (kind === "plain" || value === null) return value;
  return kind === "boolean" ? Number(value) !== 0 : Number(value);
}

const inThread = { tenant: ["tenant", "plain"], threadId: ["thread_id", "plain"] } as const;

export const THREADS = new Table<ThreadRow>("threads", {
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

/** When something last happened in each thread: written behind by activity.ts, and made with its thread by a trigger. */
export const ACTIVITY = "activity";

/** What happened to a thread, for other processes: see change-reader.ts. */
interface ChangeRow {
  tenant: string;
  threadId: string;
  /** Its changes, with a space between them. */
  changes: string;
  /** The process that did it. */
  source: string;
}
export const CHANGES = new Table<ChangeRow>("thread_changes", {
  ...inThread,
  changes: ["change", "plain"],
  source: ["source", "plain"],
});

const header = {
  ...inThread,
  id: ["id", "plain"],
  parentId: ["parent_id", "plain"],
  runId: ["run_id", "plain"],
  role: ["role", "plain"],
  digest: ["digest", "plain"],
} as const;
export const HEADERS = new Table<MessageHeader>("messages", header);
export const MESSAGES = new Table<MessageRow>("messages", { ...header, body: ["body", "plain"] });

export const RUNS = new Table<RunRow>("runs", {
  ...inThread,
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

/** What a run cost. */
export const USAGES = new Table<RunUsage>("runs", {
  threadId: ["thread_id", "plain"],
  id: ["id", "plain"],
  state: ["state", "plain"],
  usage: ["usage", "plain"],
});

export const LOG = new Table<LogRow>("log", {
  ...inThread,
  id: ["id", "plain"],
  runId: ["run_id", "plain"],
  kind: ["kind", "plain"],
  body: ["body", "plain"],
});

export const KEYS = new Table<KeyRow>("idempotency_keys", {
  ...inThread,
  key: ["name", "plain"],
  hash: ["hash", "plain"],
  result: ["result", "plain"],
  createdAt: ["created_at", "integer"],
});

export const ALIASES = new Table<AliasRow>("aliases", {
  tenant: ["tenant", "plain"],
  name: ["name", "plain"],
  threadId: ["thread_id", "plain"],
  runId: ["run_id", "plain"],
});

export const WORK = new Table<WorkRow>("work", {
  ...inThread,
  wants: ["wants", "integer"],
  wantedAt: ["wanted_at", "integer"],
  holder: ["holder", "plain"],
  leaseId: ["lease_id", "plain"],
  leaseUntil: ["lease_until", "integer"],
});

export const BLOBS = new Table<BlobRow>("blobs", {
  tenant: ["tenant", "plain"],
  hash: ["hash", "plain"],
  blobId: ["blob_id", "plain"],
  size: ["size", "integer"],
  createdAt: ["created_at", "integer"],
});

export const CHUNKS = new Table<ChunkRow>("blob_chunks", {
  tenant: ["tenant", "plain"],
  blobId: ["blob_id", "plain"],
  position: ["position", "integer"],
  bytes: ["bytes", "plain"],
});

export const BLOB_REFS = new Table<BlobRefRow>("blob_refs", {
  ...inThread,
  messageId: ["message_id", "plain"],
  hash: ["hash", "plain"],
});

export const QUARANTINE = new Table<QuarantineRow>("quarantine", {
  ...inThread,
  messageId: ["message_id", "plain"],
  reason: ["reason", "plain"],
  body: ["body", "plain"],
  foundAt: ["found_at", "plain"],
});
