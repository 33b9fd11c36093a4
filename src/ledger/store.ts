// The contract of a store. A store keeps rows and makes writes atomic; what they mean is the ledger's business. To make
// a store, implement this and run `storeConformance` of koine/testkit against it.
//
// Common to all methods: every row is seen by its own tenant alone; ids are compared as bytes; lists are in the order
// that the method names; values come back exactly as they were written; rows stand by themselves, and none needs another
// to be there. A method may answer at once or with a promise.
// Errors are LedgerErrors: "busy", "disk-full", "read-only", "unavailable", "corrupt", "closed".
import type { ThreadChange } from "./overview/types.ts";
import type {
  ActiveThread,
  AliasRow,
  BlobRefRow,
  BlobRow,
  ChunkRow,
  DeletionCounts,
  KeyRow,
  ListedHead,
  LogRow,
  MessageHeader,
  MessageRow,
  QuarantineRow,
  RunChanges,
  RunRow,
  RunState,
  RunUsage,
  MessageCountRange,
  ThreadHead,
  ThreadRow,
  MessageCount,
  WorkChanges,
  WorkRow,
} from "./rows.ts";
import type { Awaitable, Steps } from "./steps.ts";

/** Names a thread. */
export interface ThreadKey {
  tenant: string;
  threadId: string;
}

/** A stretch of a thread's history, by id. */
export interface IdRange {
  /** Only rows with a larger id. */
  after?: string;
  /** Only rows with this id or a smaller one. */
  upTo?: string;
  /** Default "up": oldest first. */
  order?: "up" | "down";
  limit: number;
}

/** Some of a tenant's threads. */
export interface ThreadsPage {
  before?: string;
  kind?: string | null;
  limit: number;
}

/** Some of a tenant's threads, in the order of what happened last. */
export interface ActivityPage {
  /** Only those that come after this one. */
  before?: { lastActivity: string; id: string };
  kind?: string | null;
  limit: number;
}

/** Some of a tenant's titles. */
export interface TitlesPage {
  before?: string;
  word?: string;
  limit: number;
}

/** Reads. Each sees everything that was committed before it was called, and nothing half-done; within `write`, also what the same work has written. */
export interface LedgerReads {
  /** The thread and where its history ends, from one moment: every message and log row up to `lastId` can be read from now on. */
  thread(key: ThreadKey): Awaitable<ThreadHead | undefined>;
  /**
   * Threads of a tenant, by id, largest first, below `before`. Ids that Koine made are newest first; a caller's own need
   * not be. Where a kind is named, only those of that kind; null: those without one.
   */
  threads(tenant: string, page: ThreadsPage): Awaitable<ThreadRow[]>;
  /**
   * Threads of a tenant that have a title, by id, largest first, below `before`. Where a word is named (ASCII, in small
   * letters), only those that hold it, whatever their case, and those that hold characters beyond ASCII.
   */
  titles(tenant: string, page: TitlesPage): Awaitable<Pick<ThreadRow, "id" | "title">[]>;
  /** How many messages each thread holds; each thread once, in any order. */
  tallies(tenant: string, places: readonly MessageCountRange[]): Awaitable<MessageCount[]>;

  message(key: ThreadKey, id: string): Awaitable<MessageRow | undefined>;
  messages(key: ThreadKey, stretch: IdRange): Awaitable<MessageRow[]>;
  /** As `messages`, without bodies. */
  headers(key: ThreadKey, stretch: IdRange): Awaitable<MessageHeader[]>;
  /**
   * Assistant messages of the tenant that have one of these digests, newest id first; where a scope is named, only those
   * in threads of that scope.
   */
  findDigests(tenant: string, digests: readonly string[], limit: number, scope?: string): Awaitable<MessageHeader[]>;

  run(tenant: string, id: string): Awaitable<RunRow | undefined>;
  /** Runs of a thread, oldest first; only the last so many where a number is named. */
  runs(key: ThreadKey, last?: number): Awaitable<RunRow[]>;
  /** Runs of a thread that are created or streaming, oldest first: without a look at the others. */
  liveRuns(key: ThreadKey): Awaitable<RunRow[]>;
  /** The ids of a thread's runs that are in this state, oldest first. */
  runIds(key: ThreadKey, state: RunState): Awaitable<string[]>;
  /** The last so many runs of each thread, in any order. */
  lastRuns(tenant: string, threadIds: readonly string[], limit: number): Awaitable<RunRow[]>;
  /** What the last so many runs of each thread cost, of those before one of them; in any order. */
  usages(tenant: string, places: readonly { threadId: string; before: string }[], limit: number): Awaitable<RunUsage[]>;
  /** Runs of each thread whose state changed: those of which the log after a place tells; each once, in any order. */
  changedRuns(tenant: string, places: readonly { threadId: string; after: string }[]): Awaitable<RunRow[]>;
  /** Runs that are created or streaming and whose lease ended before `now`; of every tenant where none is named. */
  expiredRuns(now: number, limit: number, tenant?: string): Awaitable<RunRow[]>;
  /** Finished runs whose deltas are still in the log and that ended before `finishedBefore`. */
  compactableRuns(finishedBefore: number, limit: number, tenant?: string): Awaitable<RunRow[]>;
  /** A run of the thread whose deltas are gone from the log: the first was at `upTo` or before it, the last after `after`. */
  compactedRun(key: ThreadKey, place: { after: string; upTo: string }): Awaitable<RunRow | undefined>;

  /** Of one run where it is named; "": entries alone, without a look at the others. */
  log(key: ThreadKey, stretch: IdRange & { runId?: string }): Awaitable<LogRow[]>;
  alias(tenant: string, name: string): Awaitable<AliasRow | undefined>;
  /** The other names of a thread's runs, by name. */
  aliases(key: ThreadKey): Awaitable<AliasRow[]>;
  work(key: ThreadKey): Awaitable<WorkRow | undefined>;
  /** Work whose lease ended before `now`, what was wanted first first; of every tenant where none is named. */
  openWork(now: number, limit: number, tenant?: string): Awaitable<WorkRow[]>;
  idempotencyKey(key: ThreadKey, name: string): Awaitable<KeyRow | undefined>;

  blob(tenant: string, hash: string): Awaitable<BlobRow | undefined>;
  chunk(tenant: string, blobId: string, position: number): Awaitable<ChunkRow | undefined>;
  /** The blobs that messages of a thread hold, by message id then hash. */
  blobRefs(key: ThreadKey): Awaitable<BlobRefRow[]>;
  quarantined(tenant: string, limit: number): Awaitable<QuarantineRow[]>;
}

/** What work inside `write` may do. Every method takes effect with the whole work or not at all. */
export interface LedgerTransaction extends LedgerReads {
  /** `thread`, and no other writer writes to this thread until the work is over. Take it before any other read of the thread. */
  lockThread(key: ThreadKey): Awaitable<ThreadHead | undefined>;
  /** An id that is taken is a "conflict". */
  insertThread(row: ThreadRow): Awaitable<void>;
  /** Idempotent. */
  updateThread(
    key: ThreadKey,
    changes: Partial<Pick<ThreadRow, "pinned" | "leafId" | "title" | "scope" | "metadata">>,
  ): Awaitable<void>;

  /** All or none; an id that is taken within the thread is a "conflict". */
  insertMessages(rows: readonly MessageRow[]): Awaitable<void>;
  /** An id that is taken within the thread is a "conflict". */
  insertRun(row: RunRow): Awaitable<void>;
  /** Changes a run whose epoch is `epoch`; false where it is another, and then nothing changed. */
  updateRun(key: ThreadKey, id: string, epoch: number, changes: RunChanges): Awaitable<boolean>;
  insertLog(rows: readonly LogRow[]): Awaitable<void>;
  /**
   * Deletes the delta rows of a run, and gives their number; only those from `first` to `last` where these are given, and
   * then without a look at the rest of the log. Idempotent. Changes of state stay.
   */
  deleteDeltas(key: ThreadKey, runId: string, within?: { first: string; last: string }): Awaitable<number>;
  /** A key that is taken within the thread is a "conflict". */
  insertKey(row: KeyRow): Awaitable<void>;
  /** The last row of a tenant and name stays. */
  putAlias(row: AliasRow): Awaitable<void>;
  /** Inserts the row where nobody has the name. Gives the row that has it, which no other writer changes until the work is over. */
  claimAlias(row: AliasRow): Awaitable<AliasRow>;
  /** Says whether it was there. */
  deleteAlias(tenant: string, name: string): Awaitable<boolean>;

  /** Inserts the row; where the thread has one, counts `wants` of that one up by one, and nothing else changes. */
  addWork(row: WorkRow): Awaitable<void>;
  /** Changes work whose lease is `leaseId`; false where it is another or there is none, and then nothing changed. */
  updateWork(key: ThreadKey, leaseId: string | null, changes: WorkChanges): Awaitable<boolean>;
  /** Deletes work whose lease is `leaseId` and that was wanted just so often; false where it is not so. */
  deleteWork(key: ThreadKey, leaseId: string, wants: number): Awaitable<boolean>;

  /** Idempotent: the first row of a tenant and hash stays. Says whether this one was written. */
  insertBlob(row: BlobRow): Awaitable<boolean>;
  /**
   * Somebody relies on a blob that is there: its time becomes `createdAt` where it is older, and it stays until the work
   * is over. Says whether it is there. Idempotent.
   */
  refreshBlob(tenant: string, hash: string, createdAt: number): Awaitable<boolean>;
  insertChunk(row: ChunkRow): Awaitable<void>;
  deleteChunks(tenant: string, blobId: string): Awaitable<void>;
  /** Idempotent. The blobs that it names and that are there stay until the work is over: who deletes blobs waits for it. */
  insertBlobRefs(rows: readonly BlobRefRow[]): Awaitable<void>;
  /** Idempotent: one row per message. */
  quarantine(row: QuarantineRow): Awaitable<void>;

  /** Deletes these messages, their blob references, quarantine rows and search entries. Idempotent. */
  deleteMessages(key: ThreadKey, ids: readonly string[]): Awaitable<DeletionCounts>;
  /** Deletes these runs, their log rows and other names. Idempotent. */
  deleteRuns(key: ThreadKey, ids: readonly string[]): Awaitable<DeletionCounts>;
  /** Deletes a thread with everything in it, but not the blobs. Idempotent. */
  deleteThread(key: ThreadKey): Awaitable<DeletionCounts>;
  /** Deletes keys that are older than `before` (milliseconds). */
  deleteKeys(tenant: string, before: number): Awaitable<DeletionCounts>;
  /** Deletes these blobs and their chunks where no message holds them and they are older than `before` (milliseconds). Idempotent. */
  deleteBlobs(tenant: string, hashes: readonly string[], before: number): Awaitable<DeletionCounts>;
  /**
   * Deletes blobs of the tenant that no message holds and that are older than `before` (milliseconds), and chunks of
   * uploads that never became a blob; a `blobId` is a ULID and tells their age.
   */
  deleteLooseBlobs(tenant: string, before: number): Awaitable<DeletionCounts>;
}

export interface SearchQuery {
  tenant: string;
  /** Words; all of them must occur. Never an expression: quotes and operators are words too. */
  text: string;
  /** Whether the last word may be the beginning of one. */
  prefix?: boolean;
  threadId?: string;
  /** At most so many of one thread. */
  perThread?: number;
  limit: number;
}
export interface SearchHit {
  threadId: string;
  messageId: string;
  /** A stretch of the text around what was found. */
  snippet: string;
}

export interface LedgerStore {
  /** For messages to people: "memory", "sqlite", "postgres". */
  readonly name: string;
  readonly reads: LedgerReads;

  /**
   * Runs work as one transaction: all of it is durable when the promise resolves, or none of it ever shows. Work that
   * throws is undone, and its error is the caller's. A store may run work again from the start (after a deadlock, or to
   * commit several callers' work together), so that work must have no effects of its own.
   */
  write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T>;

  /** Calls `wake` when the thread may have new rows, whichever process wrote them. May be early, late or too often; the returned function ends it. */
  watch(key: ThreadKey, wake: () => void): () => void;

  /**
   * Threads of a tenant, those in which something happened last first; of those with the same last activity, the larger id.
   * Everything that was committed here before the call counts; what other processes did may take a moment. Every thread is
   * among them, whoever made it; after a crash it may be where it was before its last entries, until something else happens
   * in it. Writes nothing, and waits for no writer.
   */
  activeThreads(tenant: string, page: ActivityPage): Promise<ActiveThread[]>;
  /** These threads, those that are there, in any order; what happened last as `activeThreads` has it. */
  heads(tenant: string, ids: readonly string[]): Promise<ListedHead[]>;
  /**
   * Tells what happens to the tenant's threads, once it is committed, whichever process did it: everything after the
   * promise resolves. May be late, and tell a change more than once. What it resolves with ends it.
   */
  watchThreads(tenant: string, tell: (changes: readonly ThreadChange[]) => void): Promise<() => void>;

  /**
   * Brings the search index up to date with up to `limit` messages; gives how many it took. Idempotent. `textOf` gives a
   * message's words, or undefined where they are not at hand: the store asks for several messages together, and then
   * takes none of those, so that the caller can fetch what all of them lack and call again.
   */
  indexMessages(textOf: (row: MessageRow) => string | undefined, limit: number): Promise<number>;
  /** Best first. Finds what was indexed. */
  search(query: SearchQuery): Promise<SearchHit[]>;

  /** Gives the room of deleted rows back to the disk. */
  vacuum(): Promise<void>;
  /** Waits for writes under way. Idempotent; everything else then fails with "closed". */
  close(): Promise<void>;
}
