// The public types of a ledger: the Ledger interface, its options and results.
import type { Clock } from "../assembly/index.ts";
import type { JsonObject, Message, StoredMessage } from "../model/index.ts";
import type { FollowOptions, LedgerEvent } from "./follow/types.ts";
import type {
  ThreadSearchOptions,
  ThreadSearchResult,
  Outline,
  ThreadChange,
  ThreadList,
  ThreadListPage,
  WatchOptions,
} from "./overview/types.ts";
import type { DeletionCounts } from "./store/rows.ts";
import type { NewRecord, NewRun, RecordResult, Run, RunInfo } from "./runs/types.ts";
import type { SearchHit } from "./store/queries.ts";
import type {
  JournalEntry,
  InitialContent,
  LogOptions,
  LogResult,
  NewThread,
  Thread,
  ThreadChanges,
  ThreadPage,
} from "./threads/types.ts";
import type { ClaimWorkOptions, WorkLease } from "./work-queue/types.ts";

export type { FollowOptions, LedgerEvent } from "./follow/types.ts";
export type {
  ListedThread,
  Outline,
  OutlinedMessage,
  ThreadChange,
  ThreadList,
  ThreadListPage,
  ThreadSearchOptions,
  ThreadSearchResult,
  ThreadSummary,
  WatchOptions,
} from "./overview/types.ts";
export type {
  CommitOptions,
  CommitResult,
  EndResult,
  NewRecord,
  NewRun,
  RecordResult,
  Run,
  RunInfo,
  RunInput,
} from "./runs/types.ts";
export type {
  InitialContent,
  JournalEntry,
  LogOptions,
  LogResult,
  NewThread,
  Thread,
  ThreadChanges,
  ThreadPage,
} from "./threads/types.ts";
export type { ClaimWorkOptions, WorkLease } from "./work-queue/types.ts";

/** The options of `openLedger` and `createLedger`. */
export interface LedgerOptions {
  /** Default "default". A ledger never reads rows of another tenant. */
  tenant?: string | undefined;
  clock?: Clock | undefined;
  /** The timers of `flushMs` and of compaction. Default: the real ones; tests can replace them. */
  timers?: LedgerTimers | undefined;
  /**
   * The time without a renewal after which a writer counts as dead and its run as abandoned. Default 30 s; renewed
   * every third of it.
   */
  leaseMs?: number | undefined;
  /**
   * Durability of a commit. SQLite: "full" (default) survives a power failure; "normal" survives `kill -9` but may lose
   * the last commits before a power failure. Postgres: with "full" a commit waits for the server's disk even if
   * `synchronous_commit` is "off"; "normal" uses the server's setting. Stronger settings, which wait for standbys, are
   * never weakened.
   */
  sync?: "full" | "normal" | undefined;
  /** Strings of a message longer than this are stored once, by content hash. Default 32,768 characters. */
  blobThreshold?: number | undefined;
  /** The maximum wait for a lock of another process. Default 10 s. */
  busyMs?: number | undefined;
  /** The maximum time that deltas wait to be written in a batch. Default 10 ms. */
  flushMs?: number | undefined;
  /**
   * The pause after the last write before new messages are indexed for search. Default 1 s; false: index only before a
   * search.
   */
  indexMs?: number | false | undefined;
  /** The time during which the deltas of a finished run can still be followed. Default 60 s. */
  deltaRetentionMs?: number | undefined;
  /** Postgres: the schema of the tables (default "koine") and the maximum number of connections (default 10). */
  schema?: string | undefined;
  connections?: number | undefined;
  /** Changes nothing, not even tables: missing or older tables are an error "schema-too-old". Default false. */
  readOnly?: boolean | undefined;
  /** Called for each record that could not be read. */
  onProblem?: ((problem: LedgerProblem) => void) | undefined;
}

/** A monotonic clock in milliseconds, and timers by it. */
export interface LedgerTimers {
  now(): number;
  /** Calls back once after `ms`. The returned function cancels the timer. */
  after(callback: () => void, ms: number): () => void;
}

/** A record that could not be read; the rest of its thread is readable. */
export interface LedgerProblem {
  tenant: string;
  threadId: string;
  messageId: string;
  reason: string;
}

/** Selects the runs of a thread to list. */
export interface RunsPage {
  /** Only this many of the newest. */
  last?: number | undefined;
  /** Only created and streaming runs. */
  live?: boolean | undefined;
}

/** The options of `ledger.append`. */
export interface AppendOptions {
  /**
   * The parent of the first message. Default: the active leaf. Another message starts a branch and makes it active;
   * null starts a new root.
   */
  parentMessageId?: string | null | undefined;
  /** The active leaf must be this one (null: the thread is empty); otherwise a conflict. */
  expectedLeaf?: string | null;
  idempotencyKey?: string | undefined;
}

/** The options of `ledger.transcript`. */
export interface TranscriptOptions {
  /** "active" (default), or a message id: the path that ends with it. */
  branch?: string | undefined;
  /** Only this many of the last messages. */
  limit?: number | undefined;
  /** Only messages before this one. */
  before?: string | undefined;
  /**
   * "inline" (default) returns contents as they were appended; "reference" returns `blob` references in their place.
   */
  blobs?: "inline" | "reference" | undefined;
}
/** The options of `ledger.context`. */
export interface ContextOptions {
  branch?: string | undefined;
  /**
   * The maximum number of messages (B99). The leading system and developer messages are always included and count. Of
   * the rest, the longest end is included that fits and in which every tool result has its call. If it does not start
   * with a user message, the nearest earlier user message is put before it and counts; the messages between them are
   * omitted. If no such end fits, the result is the leading instructions only, even if they exceed the maximum.
   */
  maxMessages?: number | undefined;
  /** True to include interrupted turns. Default false (B90). */
  interrupted?: boolean | undefined;
}
/** All messages of a thread and its active leaf. */
export interface Tree {
  messages: StoredMessage[];
  activeLeafId: string | null;
}

/** The result of `findThread`. */
export interface ThreadMatch {
  /** null if no thread matches. */
  threadId: string | null;
  /** The parent of the new messages; null for the root. */
  parentMessageId: string | null;
  /** The number of leading messages of the given history that are stored. */
  known: number;
  /** The whole history, with the data that the client dropped restored (B11). */
  messages: Message[];
  /** True if `messages` differ from the given ones; ids that the client did not send are not compared. */
  restored: boolean;
}
/** The options of `findThread`. */
export interface FindThreadOptions {
  /** Among equally long matches, threads of this scope are preferred. */
  scope?: string | undefined;
  /**
   * The threads to search: all of the tenant (default), or only those of `scope`, which is then required. Dropped data
   * is restored from the matching thread: with "tenant", two users of a tenant with identical histories may receive
   * each other's hidden reasoning.
   */
  within?: "tenant" | "scope" | undefined;
  /** Only this thread can match, on any of its branches. */
  threadId?: string | undefined;
}

/** A run that `recover` ended. */
export interface RecoveredRun {
  tenant: string;
  runId: string;
  threadId: string;
  /** The interrupted turn that was salvaged. */
  messages: StoredMessage[];
}

/** The options of `ledger.import`. */
export interface ImportOptions {
  /** Called for each new thread after it was written. */
  onThread?: ((threadId: string) => void) | undefined;
}

/** The options of `ledger.purge`. */
export interface PurgeOptions {
  threadId?: string | undefined;
  /**
   * "replaced" deletes messages of superseded runs, messages that lead only to them or follow them, and interrupted
   * turns without successors; never messages on the path of the active leaf, of a committed run or of a live run's fork
   * point, nor appended branches. "thread" deletes everything; a thread with a live run or a valid work lease is a
   * conflict, or is skipped if no thread is named. Both also delete runs without messages, and unreferenced blobs and
   * idempotency keys older than one day.
   */
  what: "replaced" | "thread";
  /** Only data created before this time (ISO 8601 or a date); a thread only if all of it was. */
  before?: string | Date | undefined;
  /** The minimum age of a deleted blob: a message that references it may not be written yet. Default one day. */
  graceMs?: number | undefined;
  /** Counts and deletes nothing. */
  dryRun?: boolean | undefined;
}

/** The options of `ledger.search`. */
export interface SearchOptions {
  threadId?: string | undefined;
  /** True if the last word may be a prefix, for a search while the user types. Default false. */
  prefix?: boolean | undefined;
  /** Default 20. */
  limit?: number | undefined;
}

/** The numbers of imported records. */
export interface ImportResult {
  threads: number;
  messages: number;
  runs: number;
  blobs: number;
  /** Records that existed already and are equal. */
  known: number;
}

/** Durable, branching transcripts over a store. */
export interface Ledger {
  readonly tenant: string;
  /** Returns a ledger of another tenant on the same store. Closing either closes both. */
  forTenant(tenant: string): Ledger;

  /** Creates a thread with its first entries and messages in one write: all of it or nothing. */
  createThread(thread?: NewThread, first?: InitialContent): Promise<Thread>;
  /** Returns a thread; "unknown-thread" if it does not exist. */
  thread(threadId: string): Promise<Thread>;
  /**
   * Lists threads by id, largest first, below `before`. Ids made by Koine are newest first; a caller's own ids sort as
   * they are.
   */
  threads(page?: ThreadPage): Promise<Thread[]>;
  /** Changes the title or metadata of a thread. */
  updateThread(threadId: string, changes: ThreadChanges): Promise<Thread>;
  /** Lists a page of threads by id or by last activity, optionally with summaries. */
  listThreads(page?: ThreadListPage): Promise<ThreadList>;
  /** Finds threads whose title or messages contain all words of the query; the last word may be a prefix. */
  searchThreads(query: string, options?: ThreadSearchOptions): Promise<ThreadSearchResult>;
  /**
   * Yields changes of the tenant's threads by any process from now on; the same change of a thread at most once per 250
   * ms. Resolves when watching has started; ends at `signal` and at `return()`. After 10,000 unread changes it fails
   * with "busy" and must be started again.
   */
  watch(options?: WatchOptions): Promise<AsyncIterableIterator<ThreadChange>>;

  /**
   * Appends messages to a thread. The result shares `parts` with the given messages: later changes of them change the
   * result, but not the stored data.
   */
  append(threadId: string, messages: readonly Message[], options?: AppendOptions): Promise<StoredMessage[]>;
  /** Returns the messages of a path, oldest first. */
  transcript(threadId: string, options?: TranscriptOptions): Promise<StoredMessage[]>;
  /** Returns the messages for the next model call: a path without interrupted turns, shortened to `maxMessages`. */
  context(threadId: string, options?: ContextOptions): Promise<StoredMessage[]>;
  /** Returns all messages of a thread. */
  tree(threadId: string): Promise<Tree>;
  /** Returns a thread's tree without contents, and the cursor to follow it from. */
  outline(threadId: string): Promise<Outline>;
  /** Makes a message the active leaf; null empties the active path. */
  select(threadId: string, messageId: string | null): Promise<void>;

  /** Returns a new id for a thread, message or run: larger than all ids made before this millisecond. */
  newId(): string;
  /** Begins a run and returns its writer. */
  beginRun(run: NewRun): Promise<Run>;
  /**
   * Records a whole call in one write, equivalent to `createThread`, `append`, `beginRun` and `commit` or `fail`.
   * Followers see only the finished run.
   */
  record(call: NewRecord): Promise<RecordResult>;
  /**
   * Takes over a run whose writer's lease expired; the former writer is rejected from then on. `force` ignores the
   * lease.
   */
  resumeRun(runId: string, options?: { force?: boolean | undefined }): Promise<Run>;
  /** Returns a run; "unknown-run" if it does not exist. */
  run(runId: string): Promise<RunInfo>;
  /** Lists the runs of a thread, oldest first. */
  runs(threadId: string, page?: RunsPage): Promise<RunInfo[]>;
  /** Finds the run that received this alias last. */
  runByAlias(name: string): Promise<RunInfo | undefined>;
  /** Deletes an alias; the run stays. Returns true if the alias existed. */
  dropAlias(name: string): Promise<boolean>;
  /** Ends the runs whose writers died; their partial output is stored as an interrupted turn. */
  recover(options?: { everyTenant?: boolean | undefined }): Promise<RecoveredRun[]>;
  /**
   * Deletes the deltas of runs that finished long enough ago and returns the number of runs. Also happens
   * automatically.
   */
  compact(): Promise<number>;

  /** Writes journal entries of the caller into the thread; they stay as long as the thread. */
  log(threadId: string, entries: readonly JsonObject[], options?: LogOptions): Promise<LogResult>;
  /** Lists journal entries after a cursor, oldest first; a page that is not full is the last. Default limit: 100. */
  entries(threadId: string, page?: { after?: string | undefined; limit?: number | undefined }): Promise<JournalEntry[]>;
  /** Requests work on the thread. The request stays until a worker has claimed and completed it. */
  requestWork(threadId: string): Promise<void>;
  /** Claims requested work without a valid lease; undefined if there is none. Work has at most one lease at a time. */
  claimWork(options: ClaimWorkOptions): Promise<WorkLease | undefined>;

  /** Yields the events of a thread after a cursor, then continues live. */
  follow(options: FollowOptions): AsyncIterableIterator<LedgerEvent>;
  /** Finds the thread and branch that a client's history continues. */
  findThread(messages: readonly Message[], options?: FindThreadOptions): Promise<ThreadMatch>;

  /** Stores bytes as a blob, once per content. */
  putBlob(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ blob: string; size: number }>;
  /** Yields the bytes of a blob. */
  blob(reference: string): AsyncIterable<Uint8Array>;

  /**
   * Finds messages that contain all words of the query, best match first. A query of more than 64 different words or
   * 4096 characters fails with "invalid-input".
   */
  search(query: string, options?: SearchOptions): Promise<SearchHit[]>;
  /**
   * Yields JSON lines, each with its line feed. Live runs, deltas, leases, work requests and idempotency keys are not
   * exported.
   */
  export(threadId: string): AsyncIterable<string>;
  /**
   * Imports the lines of one or several exports, each thread completely or not at all. An existing thread with the same
   * content stays unchanged; one with fewer or other messages is a conflict.
   */
  import(lines: Iterable<string> | AsyncIterable<string>, options?: ImportOptions): Promise<ImportResult>;
  /** Deletes replaced messages or whole threads permanently. */
  purge(options: PurgeOptions): Promise<DeletionCounts>;
  /** Returns the space of deleted rows to the file system. */
  vacuum(): Promise<void>;
  /** Reads every record of a thread, or of all threads, and reports those that cannot be read. */
  verify(threadId?: string): Promise<LedgerProblem[]>;
  /** Waits for pending writes and closes the store. */
  close(): Promise<void>;
}
