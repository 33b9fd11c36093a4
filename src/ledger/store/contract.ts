// Defines the contract of a store. A store holds rows and makes writes atomic; only the ledger interprets the rows. To
// add a store, implement `LedgerStore` and run `storeConformance` of koine/testkit against it.
//
// Rules for all methods: a method for one tenant sees only the rows of that tenant; ids are compared as bytes; lists
// have the order that the method documents; values are returned exactly as written; there are no foreign keys between
// rows. A method returns its value or a promise of it.
// Errors are LedgerErrors with the codes "busy", "disk-full", "read-only", "unavailable", "corrupt", "closed".
import type { ThreadChange } from "../overview/types.ts";
import type * as Rows from "./rows.ts";
import type { ActivityPage, IdRange, SearchHit, SearchQuery, ThreadsPage, TitlesPage } from "./queries.ts";
import type { Awaitable, Steps } from "./steps.ts";

/** The tenant and the id that identify a thread. */
export interface ThreadKey {
  tenant: string;
  threadId: string;
}

/**
 * The reads of a store. A read sees every write that was committed before the call and no uncommitted write; inside
 * `write`, a read also sees the earlier writes of the same transaction.
 */
export interface LedgerReads {
  /**
   * Returns the thread with its newest message id and its last id, or undefined if the thread does not exist. After
   * this call, every message and log row up to `lastId` can be read.
   */
  thread(key: ThreadKey): Awaitable<Rows.ThreadHead | undefined>;
  /**
   * Lists threads of a tenant in descending order of their ids, only ids smaller than `before`. Threads whose ids Koine
   * made are thus listed newest first; ids that callers choose may have any order. `kind` filters by kind; null matches
   * threads without a kind.
   */
  threads(tenant: string, page: ThreadsPage): Awaitable<Rows.ThreadRow[]>;
  /**
   * Lists the ids and titles of a tenant's threads in descending order of the ids, only ids smaller than `before`.
   * Threads without a title are left out. `term` (ASCII, lower case) selects the titles that contain it in any case,
   * and all titles with non-ASCII characters, which the caller must compare.
   */
  titles(tenant: string, page: TitlesPage): Awaitable<Pick<Rows.ThreadRow, "id" | "title">[]>;
  /** Counts the messages in each range. Returns one result per range, in any order. */
  countMessages(tenant: string, ranges: readonly Rows.MessageCountRange[]): Awaitable<Rows.MessageCount[]>;

  message(key: ThreadKey, id: string): Awaitable<Rows.MessageRow | undefined>;
  messages(key: ThreadKey, range: IdRange): Awaitable<Rows.MessageRow[]>;
  /** Lists the messages of a range without their bodies. */
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
  /** Lists the runs of a thread, oldest first; with `last`, only the newest `last` runs. */
  runs(key: ThreadKey, last?: number): Awaitable<Rows.RunRow[]>;
  /** Lists the created and streaming runs of a thread, oldest first. Must not scan the other runs. */
  liveRuns(key: ThreadKey): Awaitable<Rows.RunRow[]>;
  /** Lists the ids of a thread's runs in this state, oldest first. */
  runIds(key: ThreadKey, state: Rows.RunState): Awaitable<string[]>;
  /** Returns the newest `limit` runs of each thread, in any order. */
  lastRuns(tenant: string, threadIds: readonly string[], limit: number): Awaitable<Rows.RunRow[]>;
  /**
   * Returns, for each position, the usage of the thread's newest `limit` runs whose ids are smaller than `before`, a
   * run id. The order is arbitrary.
   */
  usages(
    tenant: string,
    positions: readonly { threadId: string; before: string }[],
    limit: number,
  ): Awaitable<Rows.RunUsage[]>;
  /**
   * Returns the runs whose state changed after the log position `after` of their thread. Each run is returned once, in
   * any order.
   */
  changedRuns(tenant: string, positions: readonly { threadId: string; after: string }[]): Awaitable<Rows.RunRow[]>;
  /** Returns created and streaming runs whose lease ended before `now`; without `tenant`, runs of every tenant. */
  expiredRuns(now: number, limit: number, tenant?: string): Awaitable<Rows.RunRow[]>;
  /** Returns runs that finished before `finishedBefore` and whose deltas are still in the log. */
  compactableRuns(finishedBefore: number, limit: number, tenant?: string): Awaitable<Rows.RunRow[]>;
  /**
   * Finds a compacted run of the thread whose first delta was at or before `upTo` and whose last delta was after
   * `after`.
   */
  compactedRun(key: ThreadKey, range: { after: string; upTo: string }): Awaitable<Rows.RunRow | undefined>;

  /**
   * Lists log rows. `runId` selects the rows of one run; `runId: ""` selects journal entries, for which the store must
   * not scan the other rows.
   */
  log(key: ThreadKey, range: IdRange & { runId?: string }): Awaitable<Rows.LogRow[]>;
  alias(tenant: string, name: string): Awaitable<Rows.AliasRow | undefined>;
  /** Lists the aliases of a thread's runs, by name. */
  aliases(key: ThreadKey): Awaitable<Rows.AliasRow[]>;
  work(key: ThreadKey): Awaitable<Rows.WorkRow | undefined>;
  /**
   * Returns work rows that have no lease or whose lease ended before `now`, the earliest request first; without
   * `tenant`, work rows of every tenant.
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
   * Returns the same as `thread`, and locks the thread: no other transaction can write to the thread until this
   * transaction ends. Must be called before any other read of the thread in this transaction.
   */
  lockThread(key: ThreadKey): Awaitable<Rows.ThreadHead | undefined>;
  /** Inserts a thread. Throws "conflict" if the tenant has a thread with this id. */
  insertThread(row: Rows.ThreadRow): Awaitable<void>;
  /** Updates a thread; does nothing if the thread does not exist. Idempotent. */
  updateThread(
    key: ThreadKey,
    changes: Partial<Pick<Rows.ThreadRow, "pinned" | "leafId" | "title" | "scope" | "metadata">>,
  ): Awaitable<void>;

  /** Inserts all messages, or throws "conflict" and inserts none if the thread has a message with one of their ids. */
  insertMessages(rows: readonly Rows.MessageRow[]): Awaitable<void>;
  /** Inserts a run. Throws "conflict" if the thread has a run with this id. */
  insertRun(row: Rows.RunRow): Awaitable<void>;
  /** Updates the run if its epoch is `epoch`; otherwise changes nothing and returns false. */
  updateRun(key: ThreadKey, id: string, epoch: number, changes: Rows.RunChanges): Awaitable<boolean>;
  insertLog(rows: readonly Rows.LogRow[]): Awaitable<void>;
  /**
   * Deletes the log rows with deltas of a run and returns their number. With `within`, deletes only rows whose ids are
   * from `first` to `last`, without a scan of the rest of the log. Log rows of state changes remain. Idempotent.
   */
  deleteDeltas(key: ThreadKey, runId: string, within?: { first: string; last: string }): Awaitable<number>;
  /** Inserts an idempotency key. Throws "conflict" if the thread has this key. */
  insertKey(row: Rows.KeyRow): Awaitable<void>;
  /** Inserts an alias; replaces an existing alias of the tenant with the same name. */
  putAlias(row: Rows.AliasRow): Awaitable<void>;
  /**
   * Inserts an alias if its name is free. Returns the alias that then has the name; no other transaction can change
   * that alias until this transaction ends.
   */
  claimAlias(row: Rows.AliasRow): Awaitable<Rows.AliasRow>;
  /** Deletes an alias; returns true if it existed. */
  deleteAlias(tenant: string, name: string): Awaitable<boolean>;

  /** Inserts a work row; if the thread has a work row already, only increments the `wants` of that row. */
  addWork(row: Rows.WorkRow): Awaitable<void>;
  /** Updates the work row if its lease is `leaseId`; otherwise changes nothing and returns false. */
  updateWork(key: ThreadKey, leaseId: string | null, changes: Rows.WorkChanges): Awaitable<boolean>;
  /** Deletes the work row if its lease is `leaseId` and its `wants` equals `wants`; otherwise returns false. */
  deleteWork(key: ThreadKey, leaseId: string, wants: number): Awaitable<boolean>;

  /** Inserts a blob unless the tenant has a blob with this hash. Returns true if the blob was inserted. Idempotent. */
  insertBlob(row: Rows.BlobRow): Awaitable<boolean>;
  /**
   * Marks an existing blob as in use: sets its `createdAt` to the given time unless it is later already, and protects
   * the blob from deletion until the transaction ends. Returns true if the blob exists. Idempotent.
   */
  refreshBlob(tenant: string, hash: string, createdAt: number): Awaitable<boolean>;
  insertChunk(row: Rows.ChunkRow): Awaitable<void>;
  deleteChunks(tenant: string, blobId: string): Awaitable<void>;
  /**
   * Inserts references from messages to blobs. Referenced blobs that exist are protected from deletion until the
   * transaction ends. Idempotent.
   */
  insertBlobRefs(rows: readonly Rows.BlobRefRow[]): Awaitable<void>;
  /** Stores a copy of an unreadable message; does nothing if the message has a quarantine row already. */
  quarantine(row: Rows.QuarantineRow): Awaitable<void>;

  /** Deletes messages with their blob references, quarantine rows and search entries. Idempotent. */
  deleteMessages(key: ThreadKey, ids: readonly string[]): Awaitable<Rows.DeletionCounts>;
  /** Deletes runs with their log rows and aliases. Idempotent. */
  deleteRuns(key: ThreadKey, ids: readonly string[]): Awaitable<Rows.DeletionCounts>;
  /** Deletes a thread and all rows that belong to it, except blobs. Idempotent. */
  deleteThread(key: ThreadKey): Awaitable<Rows.DeletionCounts>;
  /** Deletes the idempotency keys of a tenant that were created before `before` (milliseconds since 1970). */
  deleteKeys(tenant: string, before: number): Awaitable<Rows.DeletionCounts>;
  /**
   * Deletes blobs and their chunks, except blobs that a message references and blobs whose `createdAt` is not earlier
   * than `before` (milliseconds since 1970). Idempotent.
   */
  deleteBlobs(tenant: string, hashes: readonly string[], before: number): Awaitable<Rows.DeletionCounts>;
  /**
   * Deletes all blobs of the tenant that no message references and whose `createdAt` is earlier than `before`
   * (milliseconds since 1970). Also deletes the chunks of unfinished uploads that began before `before`; a `blobId` is
   * a ULID, which contains the time of the upload.
   */
  deleteUnreferencedBlobs(tenant: string, before: number): Awaitable<Rows.DeletionCounts>;
}

/** The database of a ledger. */
export interface LedgerStore {
  /** The kind of store, for messages to users: "memory", "sqlite", "postgres". */
  readonly name: string;
  readonly reads: LedgerReads;

  /**
   * Runs `work` as one transaction: either all of its writes are durable when the promise resolves, or none of them is
   * ever visible. If `work` throws, its writes are undone and the promise rejects with the thrown error. A store may
   * run `work` again from the start (after a deadlock, or to commit several callers together), so `work` must have no
   * side effects.
   */
  write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T>;

  /**
   * Calls `wake` when the thread may have new rows, written by any process. Calls may be early, late or superfluous.
   * Returns a function that ends the watch.
   */
  watch(key: ThreadKey, wake: () => void): () => void;

  /**
   * Lists threads of a tenant, latest activity first; on a tie, the larger id first. Includes all activity that this
   * process committed before the call; activity of other processes may be delayed. Every thread is listed. After a
   * crash a thread may be listed at the position of an earlier activity until its next activity. Writes nothing and
   * does not wait for writers.
   */
  activeThreads(tenant: string, page: ActivityPage): Promise<Rows.ActiveThread[]>;
  /** Returns the threads with these ids that exist, in any order, each with its last activity as in `activeThreads`. */
  heads(tenant: string, ids: readonly string[]): Promise<Rows.ListedHead[]>;
  /**
   * Calls `notify` with the changes of the tenant's threads that any process commits, from the moment the returned
   * promise resolves. A call may be delayed and may repeat a change. Resolves with a function that ends the watch.
   */
  watchThreads(tenant: string, notify: (changes: readonly ThreadChange[]) => void): Promise<() => void>;

  /**
   * Adds up to `limit` messages to the search index and returns their number. Idempotent. `readText` returns the text
   * of a message, or undefined if the text is not loaded yet. The store calls `readText` for a batch of messages and
   * indexes none of them if a text is missing, so that the caller can load all missing texts and call again.
   */
  indexMessages(readText: (row: Rows.MessageRow) => string | undefined, limit: number): Promise<number>;
  /** Finds indexed messages, best match first. */
  search(query: SearchQuery): Promise<SearchHit[]>;

  /** Returns the space of deleted rows to the file system. */
  vacuum(): Promise<void>;
  /** Waits for pending writes, then closes the store. Idempotent; all other methods then throw "closed". */
  close(): Promise<void>;
}
