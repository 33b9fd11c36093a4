// The rows of a store, the same for every store. Bodies are JSON text that a store never parses: a damaged body affects
// only its own row, and the digits of numbers stay exact. Every row belongs to a tenant.

/** A conversation. */
export interface ThreadRow {
  tenant: string;
  id: string;
  title: string | null;
  /** A user or token within the tenant. */
  scope: string | null;
  /** The purpose of the thread, such as "task"; null for a plain conversation. */
  kind: string | null;
  /** JSON object, or null. */
  metadata: string | null;
  /** ISO 8601. */
  createdAt: string;
  /**
   * True if `leafId` is the active leaf. If false, the newest message is the active leaf, so that an append does not
   * write the thread row.
   */
  pinned: boolean;
  leafId: string | null;
}

/** A thread and the end of its history. */
export interface ThreadHead extends ThreadRow {
  newestMessageId: string | null;
  /**
   * The largest id that any message or log row of the thread ever had; "" if there was none. New ids must be larger.
   */
  lastId: string;
}

/** A thread and its last activity. */
export interface ActiveThread extends ThreadRow {
  /**
   * The largest id of its messages, run state changes and journal entries, or the id prefix of its creation time; "" if
   * unknown.
   */
  lastActivity: string;
}

/** A thread with the fields that thread lists need. */
export interface ListedHead extends ThreadHead, ActiveThread {
  /** Changes whenever messages or runs of the thread are deleted. */
  purges: number;
}

/** The number of a thread's first messages that are searched for the first user message. */
export const FIRST_MESSAGES = 16;

/** A range of a thread's messages to count: ids after `after`, up to `upTo`. */
export interface MessageCountRange {
  threadId: string;
  after: string;
  upTo: string;
  /** True if the first user message is needed. */
  first: boolean;
}
/** The number of messages in a range. */
export interface MessageCount {
  threadId: string;
  messages: number;
  /** The body of the thread's first user message, searched among its first messages; null if there is none. */
  firstUserBody: string | null;
}

/** The token usage of a run. */
export interface RunUsage {
  threadId: string;
  id: string;
  state: RunState;
  usage: string | null;
}

/** A message without its body: enough to walk the tree. */
export interface MessageHeader {
  tenant: string;
  threadId: string;
  id: string;
  parentId: string | null;
  runId: string | null;
  role: string;
  /**
   * The digest of the conversation up to and including this message, or a marker if there is none yet: see
   * identity/digest-markers.ts.
   */
  digest: string;
}
/** A stored message. */
export interface MessageRow extends MessageHeader {
  /** The StoredMessage as JSON, without `id` and `parentMessageId`. */
  body: string;
}

/** The states of a run. */
export const RUN_STATES = ["created", "streaming", "committed", "failed", "cancelled", "superseded"] as const;
/** One of `RUN_STATES`. */
export type RunState = (typeof RUN_STATES)[number];
/** "replace": the run's messages take the place of those after its fork point. "branch": they are added beside them. */
export type RunMode = "replace" | "branch";

/** A run of a thread. */
export interface RunRow {
  tenant: string;
  threadId: string;
  id: string;
  state: RunState;
  mode: RunMode;
  /**
   * True if the run has a fork point; `forkFromId: null` then means the root. Otherwise its messages follow the active
   * leaf.
   */
  forks: boolean;
  forkFromId: string | null;
  idempotencyKey: string | null;
  /** Increases with every takeover; a writer with an older epoch is rejected. */
  epoch: number;
  /** Milliseconds since 1970; after this time the writer counts as dead. */
  leaseUntil: number;
  createdAt: string;
  /** Milliseconds since 1970 when the run ended; null while it is live. */
  finishedAt: number | null;
  /** JSON, or null. */
  error: string | null;
  usage: string | null;
  metadata: string | null;
  /** The ids of the first and last delta row in the log; unchanged when the rows are compacted. */
  firstDeltaId: string | null;
  lastDeltaId: string | null;
  /** The `seq` of the last delta; -1 before the first. */
  lastSeq: number;
  /** True if the deltas were deleted from the log. */
  compacted: boolean;
}

/** The fields of a run that can change. */
export type RunChanges = Partial<
  Pick<
    RunRow,
    | "state"
    | "epoch"
    | "leaseUntil"
    | "finishedAt"
    | "error"
    | "usage"
    | "metadata"
    | "firstDeltaId"
    | "lastDeltaId"
    | "lastSeq"
    | "compacted"
  >
>;

/** One row of a thread's log: a batch of deltas, a state change of a run, or a journal entry of the caller. */
export interface LogRow {
  tenant: string;
  threadId: string;
  /** A ULID from the same sequence as the thread's messages. */
  id: string;
  /** "" for journal entries. */
  runId: string;
  kind: "delta" | "run" | "entry";
  /** JSON; see runs/log-bodies.ts. */
  body: string;
}

/** An alias of a run. */
export interface AliasRow {
  tenant: string;
  name: string;
  threadId: string;
  runId: string;
}

/** Requested work on a thread and its lease. */
export interface WorkRow {
  tenant: string;
  threadId: string;
  /** The number of requests: a worker compares it to detect requests that came after its claim. */
  wants: number;
  /** Milliseconds since 1970 of the first request, or of the last release. */
  wantedAt: number;
  /** The worker that has the lease, as the worker named itself; null if there is none. */
  holder: string | null;
  /** Changes with every claim; a worker with an older lease is rejected. */
  leaseId: string | null;
  /** Milliseconds since 1970; after this time the worker counts as dead. 0 without a lease. */
  leaseUntil: number;
}

/** The fields of a work row that can change. */
export type WorkChanges = Partial<Pick<WorkRow, "wants" | "wantedAt" | "holder" | "leaseId" | "leaseUntil">>;

/** An idempotency key, the hash of its request, and the result. */
export interface KeyRow {
  tenant: string;
  threadId: string;
  key: string;
  /** Hash of the request. */
  hash: string;
  /** JSON: { runId } or { messageIds }. */
  result: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** Bytes, stored once per tenant and content. */
export interface BlobRow {
  tenant: string;
  /** "sha256-" and 64 hex digits. */
  hash: string;
  /** The id of the chunks; it differs from the hash, which is known only after an upload. */
  blobId: string;
  size: number;
  /** Milliseconds since 1970. */
  createdAt: number;
}
/** A reference from a message to a blob. */
export interface BlobRefRow {
  tenant: string;
  threadId: string;
  messageId: string;
  hash: string;
}
/** A piece of a blob's bytes. */
export interface ChunkRow {
  tenant: string;
  blobId: string;
  /** From 0. */
  position: number;
  bytes: Uint8Array;
}

/** A record that could not be read, and the reason. The record itself is not changed. */
export interface QuarantineRow {
  tenant: string;
  threadId: string;
  messageId: string;
  reason: string;
  /** The body as found. */
  body: string;
  /** ISO 8601. */
  foundAt: string;
}

/** The numbers of deleted rows, or of rows that a dry run would delete. */
export interface DeletionCounts {
  threads: number;
  messages: number;
  runs: number;
  logRows: number;
  keys: number;
  blobs: number;
  /** Bytes of bodies and blobs. */
  bytes: number;
}

/** Zero for every count. */
export const NOTHING_DELETED: Readonly<DeletionCounts> = {
  threads: 0,
  messages: 0,
  runs: 0,
  logRows: 0,
  keys: 0,
  blobs: 0,
  bytes: 0,
};
