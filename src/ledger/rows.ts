// What a store keeps: the rows, as every store sees them. Bodies are JSON text, never parsed by a store, so that a
// damaged one harms only itself and digits survive. Every row belongs to a tenant.

/** A conversation. */
export interface ThreadRow {
  tenant: string;
  id: string;
  title: string | null;
  /** The caller's own division of a tenant: a user, a token. */
  scope: string | null;
  /** What the thread is for; null: a conversation. */
  kind: string | null;
  /** JSON object, or null. */
  metadata: string | null;
  /** ISO 8601. */
  createdAt: string;
  /** Whether `leafId` is the active leaf. Where not, the newest message is: appending to a thread then writes no row here. */
  pinned: boolean;
  leafId: string | null;
}

/** A thread together with where its history ends. */
export interface ThreadHead extends ThreadRow {
  newestMessageId: string | null;
  /** The largest id that any message or log row of the thread ever had; "" where there was none. New ids must be larger. */
  lastId: string;
}

/** A thread and when something last happened in it. */
export interface ActiveThread extends ThreadRow {
  /** The largest id of its messages, runs' changes of state and entries, or how an id of its creation begins; "" where none is known. */
  lastActivity: string;
}

/** A thread as lists need it. */
export interface ListedHead extends ThreadHead, ActiveThread {
  /** Another one whenever messages or runs were deleted from it. */
  purges: number;
}

/** So many messages of a thread are looked at for the first of a user's. */
export const FIRST_MESSAGES = 16;

/** Some of a thread's messages, to be counted: those after one, up to another. */
export interface MessageCountRange {
  threadId: string;
  after: string;
  upTo: string;
  /** Whether what a user said first is wanted. */
  first: boolean;
}
export interface MessageCount {
  threadId: string;
  messages: number;
  /** The body of the thread's first message of a user's, looked for among its first messages; null where there is none. */
  firstUserBody: string | null;
}

/** What a run cost. */
export interface RunUsage {
  threadId: string;
  id: string;
  state: RunState;
  usage: string | null;
}

/** A message without its content: enough to walk the tree. */
export interface MessageHeader {
  tenant: string;
  threadId: string;
  id: string;
  parentId: string | null;
  runId: string | null;
  role: string;
  /** The identity of the conversation up to and including this message, or a mark where there is none yet: see identity/marks.ts. */
  digest: string;
}
export interface MessageRow extends MessageHeader {
  /** The StoredMessage as JSON, without `id` and `parentMessageId`. */
  body: string;
}

export const RUN_STATES = ["created", "streaming", "committed", "failed", "cancelled", "superseded"] as const;
export type RunState = (typeof RUN_STATES)[number];
export type RunMode = "replace" | "branch";

export interface RunRow {
  tenant: string;
  threadId: string;
  id: string;
  state: RunState;
  mode: RunMode;
  /** Whether the run forks. A fork from null is at the root; a run that does not fork chains to the active leaf. */
  forks: boolean;
  forkFromId: string | null;
  idempotencyKey: string | null;
  /** Grows with every takeover; a writer with an older one is fenced off. */
  epoch: number;
  /** Milliseconds since 1970; the writer is taken for dead after it. */
  leaseUntil: number;
  createdAt: string;
  /** Milliseconds since 1970 when the run ended; null while it lives. */
  finishedAt: number | null;
  /** JSON, or null. */
  error: string | null;
  usage: string | null;
  metadata: string | null;
  /** Ids of the first and last delta row of the log; kept when the rows are compacted. */
  firstDeltaId: string | null;
  lastDeltaId: string | null;
  /** The `seq` of the last delta; -1 before the first. */
  lastSeq: number;
  /** Whether the deltas are gone from the log. */
  compacted: boolean;
}

/** What may change in a run. */
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

/** A batch of deltas, a change of a run's state or an entry of the caller's own, in the order of the thread. */
export interface LogRow {
  tenant: string;
  threadId: string;
  /** A ULID from the same sequence as the thread's messages. */
  id: string;
  /** "" of entries. */
  runId: string;
  kind: "delta" | "run" | "entry";
  /** JSON; see log.ts. */
  body: string;
}

/** Another name for a run. */
export interface AliasRow {
  tenant: string;
  name: string;
  threadId: string;
  runId: string;
}

/** That there is work to do on a thread, and who does it. */
export interface WorkRow {
  tenant: string;
  threadId: string;
  /** How often it was wanted: who has done it sees whether there is more. */
  wants: number;
  /** Milliseconds since 1970: when it was first wanted, or let go of last. */
  wantedAt: number;
  /** Who has it, in the words of whoever took it; null where nobody does. */
  holder: string | null;
  /** Another one with every takeover: a holder with an older one is fenced off. */
  leaseId: string | null;
  /** Milliseconds since 1970; the holder is taken for dead after it. 0 where nobody holds it. */
  leaseUntil: number;
}

/** What may change in work. */
export type WorkChanges = Partial<Pick<WorkRow, "wants" | "wantedAt" | "holder" | "leaseId" | "leaseUntil">>;

/** An idempotency key, what it was used for and what came of it. */
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
  /** Names the chunks, so that an upload can be written before its hash is known. */
  blobId: string;
  size: number;
  /** Milliseconds since 1970. */
  createdAt: number;
}
/** That a message holds a blob. */
export interface BlobRefRow {
  tenant: string;
  threadId: string;
  messageId: string;
  hash: string;
}
export interface ChunkRow {
  tenant: string;
  blobId: string;
  /** From 0. */
  position: number;
  bytes: Uint8Array;
}

/** A record that could not be read, and why. The record itself stays where it is. */
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

/** What was deleted, or would be. */
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

export const NOTHING_DELETED: Readonly<DeletionCounts> = {
  threads: 0,
  messages: 0,
  runs: 0,
  logRows: 0,
  keys: 0,
  blobs: 0,
  bytes: 0,
};
