// The contract of a store. A store holds rows and makes writes atomic; the ledger gives them their meaning. To add a
// store, implement `LedgerStore` and run `storeConformance` of koine/testkit against it.
//
// Rules for all methods: a tenant sees only its own rows; ids are compared as bytes; lists have the order that the
// method documents; values are returned exactly as written; there are no foreign keys between rows. A method returns
// its value or a promise of it.
// Errors are LedgerErrors with the codes "busy", "disk-full", "read-only", "unavailable", "corrupt", "closed".
import type { ThreadChange } from "../overview/types.ts";
import type * as Rows from "./rows.ts";
import type { ActivityPage, IdRange, SearchHit, SearchQuery, ThreadsPage, TitlesPage } from "./queries.ts";
import type { Awaitable, Steps } from "./steps.ts";

/** Identifies a thread. */
export interface ThreadKey {
  tenant: string;
  threadId: string;
}

/**
 * The reads of a store. Each sees every write that was committed before the call and no uncommitted one; inside
 * `write`, also the writes of its own transaction.
 */
export interface LedgerReads {
  /**
   * Returns the thread and the end of its history in one snapshot: every message and log row up to `lastId` is readable
   * from then on.
   */
  thread(key: ThreadKey): Awaitable<Rows.ThreadHead | undefined>;
  /**
   * Lists threads of a tenant by id, largest first, below `before`. Ids made by Koine are newest first; a caller's own
   * ids need not be. `kind` filters by kind; null matches threads without a kind.
   */
  threads(tenant: string, page: ThreadsPage): Awaitable<Rows.ThreadRow[]>;
  /**
   * Lists titled threads of a tenant by id, largest first, below `before`. With `term` (ASCII, lower case) only titles
   * that contain it in any case, and all titles with non-ASCII characters.
   */
  titles(tenant: string, page: TitlesPage): Awaitable<Pick<Rows.ThreadRow, "id" | "title">[]>;
  /** Counts the messages of each range; one result per thread, in any order. */
  countMessages(tenant: string, ranges: readonly Rows.MessageCountRange[]): Awaitable<Rows.MessageCount[]>;

  message(key: ThreadKey, id: string): Awaitable<Rows.MessageRow | undefined>;
  messages(key: ThreadKey, range: IdRange): Awaitable<Rows.MessageRow[]>;
  /** Like `messages`, without bodies. */
  headers(key: ThreadKey, range: IdRange): Awaitable<Rows.MessageHeader[]>;
  /**
   * Finds the tenant's assistant messages with one of these digests, newest id first; with `scope`, only in threads of
   * that scope.
   */
  findDigests(
    tenant: string,
    digests: readonly string[],
    limit: number,
    scope?: string,
  ): Awaitable<Rows.MessageHeader[]>;

  run(tenant: string, id: string): Awaitable<Rows.RunRow | undefined>;
  /** Lists the runs of a thread, oldest first; with `last`, only that many of the newest. */
  runs(key: ThreadKey, last?: number): Awaitable<Rows.RunRow[]>;
  /** Lists the created and streaming runs of a thread, oldest first. Must not scan the other runs. */
  liveRuns(key: ThreadKey): Awaitable<Rows.RunRow[]>;
  /** Lists the ids of a thread's runs in this state, oldest first. */
  runIds(key: ThreadKey, state: Rows.RunState): Awaitable<string[]>;
  /** Returns the newest `limit` runs of each thread, in any order. */
  lastRuns(tenant: string, threadIds: readonly string[], limit: number): Awaitable<Rows.RunRow[]>;
  /** Returns the usage of the newest `limit` runs of each thread that come before the run `before`, in any order. */
  usages(
    tenant: string,
    positions: readonly { threadId: string; before: string }[],
    limit: number,
  ): Awaitable<Rows.RunUsage[]>;
  /**
   * Returns the runs of each thread whose state changed, according to the log rows after `after`; each run once, in any
   * order.
   */
  changedRuns(tenant: string, positions: readonly { threadId: string; after: string }[]): Awaitable<Rows.RunRow[]>;
  /** Returns created and streaming runs whose lease ended before `now`; without `tenant`, of every tenant. */
  expiredRuns(now: number, limit: number, tenant?: string): Awaitable<Rows.RunRow[]>;
  /** Returns runs that finished before `finishedBefore` and whose deltas are still in the log. */
  compactableRuns(finishedBefore: number, limit: number, tenant?: string): Awaitable<Rows.RunRow[]>;
  /**
   * Finds a compacted run of the thread whose first delta was at or before `upTo` and whose last delta was after
   * `after`.
   */
  compactedRun(key: ThreadKey, range: { after: string; upTo: string }): Awaitable<Rows.RunRow | undefined>;

  /**
   * Lists log rows. With `runId`, only rows of that run; `runId: ""` selects journal entries and must not scan the
   * other rows.
   */
  log(key: ThreadKey, range: IdRange & { runId?: string }): Awaitable<Rows.LogRow[]>;
  alias(tenant: string, name: string): Awaitable<Rows.AliasRow | undefined>;
  /** Lists the aliases of a thread's runs, by name. */
  aliases(key: ThreadKey): Awaitable<Rows.AliasRow[]>;
  work(key: ThreadKey): Awaitable<Rows.WorkRow | undefined>;
  /**
   * Returns requested work whose lease ended before `now`, the earliest request first; without `tenant`, of every
   * tenant.
   */
  openWork(now: number, limit: number, tenant?: string): Awaitable<Rows.WorkRow[]>;
  idempotencyKey(key: ThreadKey, name: string): Awaitable<Rows.KeyRow | undefined>;

  blob(tenant: string, hash: string): Awaitable<Rows.BlobRow | undefined>;
  chunk(tenant: string, blobId: string, position: number): Awaitable<Rows.ChunkRow | undefined>;
  /** Lists the blob references of a thread's messages, by message id, then by hash. */
  blobRefs(key: ThreadKey): Awaitable<Rows.BlobRefRow[]>;
  quarantined(tenant: string, limit: number): Awaitable<Rows.QuarantineRow[]>;
}

/** The operations of a transaction inside `write`. All of them take effect together or not at all. */
export interface LedgerTransaction extends LedgerReads {
  /**
   * Like `thread`, and locks the thread: no other transaction writes to it until this one ends. Must come before any
   * other read of the thread.
   */
  lockThread(key: ThreadKey): Awaitable<Rows.ThreadHead | undefined>;
  /** Inserts a thread. An existing id is a "conflict". */
  insertThread(row: Rows.ThreadRow): Awaitable<void>;
  /** Updates a thread. Idempotent. */
  updateThread(
    key: ThreadKey,
    changes: Partial<Pick<Rows.ThreadRow, "pinned" | "leafId" | "title" | "scope" | "metadata">>,
  ): Awaitable<void>;

  /** Inserts all rows or none; an id that exists in the thread is a "conflict". */
  insertMessages(rows: readonly Rows.MessageRow[]): Awaitable<void>;
  /** Inserts a run. An id that exists in the thread is a "conflict". */
  insertRun(row: Rows.RunRow): Awaitable<void>;
  /** Updates the run if its epoch is `epoch`; otherwise changes nothing and returns false. */
  updateRun(key: ThreadKey, id: string, epoch: number, changes: Rows.RunChanges): Awaitable<boolean>;
  insertLog(rows: readonly Rows.LogRow[]): Awaitable<void>;
  /**
   * Deletes the delta rows of a run and returns their number; with `within`, only rows from `first` to `last`, without
   * a scan of the rest of the log. Keeps the rows of state changes. Idempotent.
   */
  deleteDeltas(key: ThreadKey, runId: string, within?: { first: string; last: string }): Awaitable<number>;
  /** Inserts an idempotency key. A key that exists in the thread is a "conflict". */
  insertKey(row: Rows.KeyRow): Awaitable<void>;
  /** Inserts or replaces the row with this tenant and name. */
  putAlias(row: Rows.AliasRow): Awaitable<void>;
  /**
   * Inserts the row if the name is free. Returns the row that owns the name; no other transaction can change it until
   * this one ends.
   */
  claimAlias(row: Rows.AliasRow): Awaitable<Rows.AliasRow>;
  /** Deletes an alias; returns true if it existed. */
  deleteAlias(tenant: string, name: string): Awaitable<boolean>;

  /** Inserts the row; if the thread has one already, only increments its `wants`. */
  addWork(row: Rows.WorkRow): Awaitable<void>;
  /** Updates the work row if its lease is `leaseId`; otherwise changes nothing and returns false. */
  updateWork(key: ThreadKey, leaseId: string | null, changes: Rows.WorkChanges): Awaitable<boolean>;
  /** Deletes the work row if its lease is `leaseId` and its `wants` equals `wants`; otherwise returns false. */
  deleteWork(key: ThreadKey, leaseId: string, wants: number): Awaitable<boolean>;

  /** Inserts a blob unless the tenant has one with this hash. Returns true if it was inserted. Idempotent. */
  insertBlob(row: Rows.BlobRow): Awaitable<boolean>;
  /**
   * Marks an existing blob as in use: raises its time to `createdAt` and protects it from deletion until the
   * transaction ends. Returns true if the blob exists. Idempotent.
   */
  refreshBlob(tenant: string, hash: string, createdAt: number): Awaitable<boolean>;
  insertChunk(row: Rows.ChunkRow): Awaitable<void>;
  deleteChunks(tenant: string, blobId: string): Awaitable<void>;
  /**
   * Inserts blob references. Existing blobs among them are protected from deletion until the transaction ends.
   * Idempotent.
   */
  insertBlobRefs(rows: readonly Rows.BlobRefRow[]): Awaitable<void>;
  /** Stores an unreadable record; one row per message. Idempotent. */
  quarantine(row: Rows.QuarantineRow): Awaitable<void>;

  /** Deletes these messages, their blob references, quarantine rows and search entries. Idempotent. */
  deleteMessages(key: ThreadKey, ids: readonly string[]): Awaitable<Rows.DeletionCounts>;
  /** Deletes these runs, their log rows and aliases. Idempotent. */
  deleteRuns(key: ThreadKey, ids: readonly string[]): Awaitable<Rows.DeletionCounts>;
  /** Deletes a thread and all its rows except blobs. Idempotent. */
  deleteThread(key: ThreadKey): Awaitable<Rows.DeletionCounts>;
  /** Deletes idempotency keys older than `before` (milliseconds). */
  deleteKeys(tenant: string, before: number): Awaitable<Rows.DeletionCounts>;
  /**
   * Deletes those of these blobs, with their chunks, that no message references and that are older than `before`
   * (milliseconds). Idempotent.
   */
  deleteBlobs(tenant: string, hashes: readonly string[], before: number): Awaitable<Rows.DeletionCounts>;
  /**
   * Deletes all blobs of the tenant that no message references and that are older than `before` (milliseconds), and
   * chunks of uploads that were never finished; a `blobId` is a ULID and contains their age.
   */
  deleteUnreferencedBlobs(tenant: string, before: number): Awaitable<Rows.DeletionCounts>;
}

/** The database of a ledger. */
export interface LedgerStore {
  /** The store's name in messages to people: "memory", "sqlite", "postgres". */
  readonly name: string;
  readonly reads: LedgerReads;

  /**
   * Runs `work` as one transaction: all of it is durable when the promise resolves, or none of it is ever visible. If
   * `work` throws, its writes are undone and the promise rejects with its error. A store may run `work` again from the
   * start (after a deadlock, or to commit several callers together), so it must have no side effects.
   */
  write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T>;

  /**
   * Calls `wake` when the thread may have new rows, written by any process. Calls may be early, late or superfluous.
   * Returns a function that stops it.
   */
  watch(key: ThreadKey, wake: () => void): () => void;

  /**
   * Lists threads of a tenant, latest activity first; on a tie, the larger id first. Includes all activity that this
   * process committed before the call; activity of other processes may be delayed. Every thread is listed. After a
   * crash a thread may have the position of an earlier activity until its next one. Writes nothing and waits for no
   * writer.
   */
  activeThreads(tenant: string, page: ActivityPage): Promise<Rows.ActiveThread[]>;
  /** Returns the existing threads among these ids, in any order, with last activity as in `activeThreads`. */
  heads(tenant: string, ids: readonly string[]): Promise<Rows.ListedHead[]>;
  /**
   * Reports committed changes of the tenant's threads by any process, from the moment the promise resolves. May be
   * delayed and may repeat a change. Resolves with a function that stops it.
   */
  watchThreads(tenant: string, notify: (changes: readonly ThreadChange[]) => void): Promise<() => void>;

  /**
   * Adds up to `limit` messages to the search index and returns how many it added. Idempotent. `readText` returns a
   * message's text, or undefined if it is not loaded yet: the store calls it for several messages at once and then
   * indexes none of the missing ones, so that the caller can load all of them and call again.
   */
  indexMessages(readText: (row: Rows.MessageRow) => string | undefined, limit: number): Promise<number>;
  /** Finds indexed messages, best match first. */
  search(query: SearchQuery): Promise<SearchHit[]>;

  /** Returns the space of deleted rows to the file system. */
  vacuum(): Promise<void>;
  /** Waits for pending writes, then closes. Idempotent; all other calls then fail with "closed". */
  close(): Promise<void>;
}
