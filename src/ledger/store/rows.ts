// Declares the rows that every store holds. A body is JSON text that a store never parses, so a damaged body affects
// only its own row, and the digits of numbers stay exact. Every row belongs to a tenant.

/** A thread, without its messages. */
export interface ThreadRow {
  tenant: string;
  id: string;
  title: string | null;
  /** The user or token, within the tenant, that the thread belongs to; null if there is none. */
  scope: string | null;
  /** The purpose of the thread, such as "task"; null for a plain conversation. */
  kind: string | null;
  /** The metadata that the caller attached to the thread, as a JSON object; null if there is none. */
  metadata: string | null;
  /** The time when the thread was created, as ISO 8601. */
  createdAt: string;
  /**
   * True if `leafId` is the active leaf. If false, the newest message is the active leaf, and an append need not write
   * the thread row.
   */
  pinned: boolean;
  leafId: string | null;
}

/** A thread with the ids of its newest rows. */
export interface ThreadHead extends ThreadRow {
  newestMessageId: string | null;
  /**
   * The largest id that any message or log row of the thread ever had; "" if it never had one. New ids must be larger.
   */
  lastId: string;
}

/** A thread and its last activity. */
export interface ActiveThread extends ThreadRow {
  /**
   * The largest id of the thread's messages, run state changes and journal entries. A thread without any of them has
   * the id prefix of its creation time, or "" if that time is invalid.
   */
  lastActivity: string;
}

/** A thread with the fields that thread lists need. */
export interface ListedHead extends ThreadHead, ActiveThread {
  /** A number that changes whenever messages or runs of the thread are deleted; cached summaries are then invalid. */
  purges: number;
}

/** The number of messages at the beginning of a thread among which `countMessages` looks for a user message. */
export const FIRST_MESSAGES = 16;

/** A range of a thread's messages to count: ids after `after`, up to `upTo`. */
export interface MessageCountRange {
  threadId: string;
  after: string;
  upTo: string;
  /** True if the result must contain the body of the thread's first user message. */
  first: boolean;
}
/** The number of messages in a range. */
export interface MessageCount {
  threadId: string;
  messages: number;
  /**
   * The body of the first user message among the first `FIRST_MESSAGES` messages of the thread; null if there is no
   * such message or it was not requested.
   */
  firstUserBody: string | null;
}

/** The id, state and token usage of a run. */
export interface RunUsage {
  threadId: string;
  id: string;
  state: RunState;
  usage: string | null;
}

/** A message without its body. Contains all fields that are needed to find the paths of a thread. */
export interface MessageHeader {
  tenant: string;
  threadId: string;
  id: string;
  parentId: string | null;
  runId: string | null;
  role: string;
  /**
   * The digest of the conversation up to and including this message, or a marker if the message has no digest: see
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
/**
 * "replace": the run's messages replace the messages after its fork point on the active path. "branch": the run's
 * messages are added as a further branch, and the active path does not change.
 */
export type RunMode = "replace" | "branch";

/** A run of a thread. */
export interface RunRow {
  tenant: string;
  threadId: string;
  id: string;
  state: RunState;
  mode: RunMode;
  /**
   * True if the run has a fork point; `forkFromId: null` then means the root. False if the run's messages follow the
   * active leaf.
   */
  forks: boolean;
  forkFromId: string | null;
  idempotencyKey: string | null;
  /** A number that increases whenever a process takes over the run; a writer with an older epoch is rejected. */
  epoch: number;
  /** The end of the writer's lease, in milliseconds since 1970. After this time the writer counts as dead. */
  leaseUntil: number;
  createdAt: string;
  /** The time when the run ended, in milliseconds since 1970; null while the run is live. */
  finishedAt: number | null;
  /** The error that ended the run, as JSON; null if there was none. */
  error: string | null;
  /** The token usage of the run, as JSON; null if it is unknown. */
  usage: string | null;
  /** The metadata of the run, as a JSON object; null if there is none. */
  metadata: string | null;
  /** The id of the run's first log row with deltas; remains set when the deltas are deleted from the log. */
  firstDeltaId: string | null;
  /** The id of the run's last log row with deltas; remains set when the deltas are deleted from the log. */
  lastDeltaId: string | null;
  /** The `seq` of the run's last delta; -1 if the run has no deltas. */
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
  /** A ULID from the same sequence as the ids of the thread's messages. */
  id: string;
  /** The run that wrote the row; "" for journal entries. */
  runId: string;
  kind: "delta" | "run" | "entry";
  /** The content of the row, as JSON. runs/log-bodies.ts encodes the bodies of deltas and of run state changes. */
  body: string;
}

/** An alias of a run. */
export interface AliasRow {
  tenant: string;
  name: string;
  threadId: string;
  runId: string;
}

/** A request for work on a thread, and the lease of the worker that claimed the work. */
export interface WorkRow {
  tenant: string;
  threadId: string;
  /** The number of requests for work. A worker compares it to detect requests that were made after its claim. */
  wants: number;
  /** The time of the first request or of the last release of the lease, in milliseconds since 1970. */
  wantedAt: number;
  /** The name that the worker with the lease gave itself; null without a lease. */
  holder: string | null;
  /** The id of the lease, new with every claim; a worker with an older lease is rejected. Null without a lease. */
  leaseId: string | null;
  /** The end of the lease, in milliseconds since 1970. After this time the worker counts as dead. 0 without a lease. */
  leaseUntil: number;
}

/** The fields of a work row that can change. */
export type WorkChanges = Partial<Pick<WorkRow, "wants" | "wantedAt" | "holder" | "leaseId" | "leaseUntil">>;

/** An idempotency key, the hash of the call that used it, and the result of that call. */
export interface KeyRow {
  tenant: string;
  threadId: string;
  key: string;
  /** The hash of the call's arguments, by which a repeated call is distinguished from a different call. */
  hash: string;
  /** The ids in the result of the call, as JSON, for example { runId } or { messageIds }. */
  result: string;
  /** The time of the call, in milliseconds since 1970. */
  createdAt: number;
}

/** A blob, stored once per tenant and content. Its bytes are in `ChunkRow`s. */
export interface BlobRow {
  tenant: string;
  /** "sha256-" and 64 hex digits. */
  hash: string;
  /** The id of the blob's chunks. Chunks do not use the hash, which is known only at the end of an upload. */
  blobId: string;
  size: number;
  /** The time when the blob was inserted or last refreshed, in milliseconds since 1970. */
  createdAt: number;
}
/** A reference from a message to a blob. */
export interface BlobRefRow {
  tenant: string;
  threadId: string;
  messageId: string;
  hash: string;
}
/** One of the pieces in which the bytes of a blob are stored. */
export interface ChunkRow {
  tenant: string;
  blobId: string;
  /** The index of the chunk within the blob, from 0. */
  position: number;
  bytes: Uint8Array;
}

/** A copy of the body of a message that could not be read, and the reason. The message row is not changed. */
export interface QuarantineRow {
  tenant: string;
  threadId: string;
  messageId: string;
  reason: string;
  /** The unreadable body, unchanged. */
  body: string;
  /** The time when the fault was found, as ISO 8601. */
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
  /** The total size of the deleted bodies and blobs, in bytes. */
  bytes: number;
}

/** Deletion counts that are all zero. */
export const NOTHING_DELETED: Readonly<DeletionCounts> = {
  threads: 0,
  messages: 0,
  runs: 0,
  logRows: 0,
  keys: 0,
  blobs: 0,
  bytes: 0,
};
