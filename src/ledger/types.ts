// Declares the public types of a ledger: the interface `Ledger`, its options and results.
import type { JsonObject, Message, StoredMessage } from "../model/index.ts";
import type { FollowOptions, LedgerEvent } from "./follow/types.ts";
import type { LedgerProblem } from "./ledger-options.ts";
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
export type { LedgerOptions, LedgerProblem, LedgerTimers } from "./ledger-options.ts";
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

/** Selects the runs of a thread to list. */
export interface RunsPage {
  /** The maximum number of runs. If there are more, the newest are listed. */
  last?: number | undefined;
  /** True to list only live runs, which are created or streaming. */
  live?: boolean | undefined;
}

/** The options of `ledger.append`. */
export interface AppendOptions {
  /**
   * The parent of the first message. Default: the active leaf. Under any other message, the new messages become a new
   * branch, and this branch becomes active; null starts a new root.
   */
  parentMessageId?: string | null | undefined;
  /**
   * The id that the active leaf must have; null if the active path must be empty. Otherwise the append fails with
   * "conflict".
   */
  expectedLeaf?: string | null;
  idempotencyKey?: string | undefined;
}

/** The options of `ledger.transcript`. */
export interface TranscriptOptions {
  /** The path to read: "active" (default), or the id of the message that ends the path. */
  branch?: string | undefined;
  /** The maximum number of messages. If the path has more messages, the last messages are returned. */
  limit?: number | undefined;
  /** The id of a message on the path. Only messages before it are returned. */
  before?: string | undefined;
  /**
   * "inline" (default) returns contents as they were appended; "reference" returns media parts with a reference to
   * their blob instead of their data.
   */
  blobs?: "inline" | "reference" | undefined;
}
/** The options of `ledger.context`. */
export interface ContextOptions {
  branch?: string | undefined;
  /**
   * The maximum number of messages (B99). The leading system and developer messages are always included, and they are
   * counted. Of the remaining messages, the longest end is included that fits and in which every tool result has its
   * call. If this end does not start with a user message, the nearest earlier user message without tool results is put
   * before the end and counted; the messages between them are omitted. If no end fits, the result is the leading
   * instructions only, even if they exceed the maximum.
   */
  maxMessages?: number | undefined;
  /** True to include interrupted turns, the partial answers of failed and cancelled runs. Default false (B90). */
  interrupted?: boolean | undefined;
}
/** All messages of a thread, and the id of its active leaf. */
export interface Tree {
  messages: StoredMessage[];
  activeLeafId: string | null;
}

/** The result of `findThread`. */
export interface ThreadMatch {
  /** The thread that the history continues; null if no thread matches. */
  threadId: string | null;
  /** The stored message that the new messages of the history follow; null if no thread matches. */
  parentMessageId: string | null;
  /** The number of leading messages of the given history that are stored. */
  known: number;
  /** The complete history, in which data that the client dropped is restored (B11). */
  messages: Message[];
  /** True if `messages` differ from the given history. Ids that the client did not send are not compared. */
  restored: boolean;
}
/** The options of `findThread`. */
export interface FindThreadOptions {
  /** The caller's scope. Among equally long matches, threads of this scope are preferred. */
  scope?: string | undefined;
  /**
   * The threads to search: all threads of the tenant (default), or only the threads of `scope`, which is then required.
   * Dropped data is restored from the matching thread, so with "tenant" two users of a tenant with identical histories
   * may receive each other's hidden reasoning.
   */
  within?: "tenant" | "scope" | undefined;
  /** The only thread that can match. Any of its branches may match. */
  threadId?: string | undefined;
}

/** A run that `recover` ended. */
export interface RecoveredRun {
  tenant: string;
  runId: string;
  threadId: string;
  /** The partial output of the run, stored as an interrupted turn. */
  messages: StoredMessage[];
}

/** The options of `ledger.import`. */
export interface ImportOptions {
  /** Called with the id of each new thread after the thread was written. */
  onThread?: ((threadId: string) => void) | undefined;
}

/** The options of `ledger.purge`. */
export interface PurgeOptions {
  threadId?: string | undefined;
  /**
   * "replaced" deletes messages of superseded runs, messages that lead only to them or follow them, and interrupted
   * turns without successors. It never deletes appended branches, nor messages on the path of the active leaf, of a
   * committed run or of a live run's fork point. "thread" deletes complete threads. A thread with a live run or a valid
   * work lease is not deleted: if `threadId` names it, the purge fails with "conflict"; otherwise the thread is
   * skipped. Both values also delete the runs of which all messages were deleted, unreferenced blobs (see `graceMs`),
   * and idempotency keys older than one day.
   */
  what: "replaced" | "thread";
  /**
   * Deletes only data that was created before this time (ISO 8601 or a Date). With "thread", deletes a thread only if
   * all of its data was created before this time.
   */
  before?: string | Date | undefined;
  /**
   * The minimum age of an unreferenced blob that is deleted: for a newer blob, the message that references it may not
   * be written yet. Default one day.
   */
  graceMs?: number | undefined;
  /** True to count the data that would be deleted, without deleting it. */
  dryRun?: boolean | undefined;
}

/** The options of `ledger.search`. */
export interface SearchOptions {
  threadId?: string | undefined;
  /** True if the last word may be the beginning of a longer word, for a search while the user types. Default false. */
  prefix?: boolean | undefined;
  /** The maximum number of hits. Default 20. */
  limit?: number | undefined;
}

/** The numbers of imported records of each kind. */
export interface ImportResult {
  threads: number;
  messages: number;
  runs: number;
  blobs: number;
  /** The number of blobs that existed already, and of the threads, messages and runs of threads that were known. */
  known: number;
}

/** Durable, branching transcripts over a store. */
export interface Ledger {
  readonly tenant: string;
  /** Returns a ledger of the given tenant on the same store. Closing one of the two ledgers closes both. */
  forTenant(tenant: string): Ledger;

  /**
   * Creates a thread with its first journal entries and messages in one transaction.
   *
   * @example
   * ```ts
   * import { system } from "koine";
   * import { openLedger } from "koine/ledger";
   *
   * const ledger = await openLedger("memory:");
   * const thread = await ledger.createThread({ title: "Weather" }, { messages: [system("Be brief.")] });
   * console.log(thread.title); // Weather
   * console.log((await ledger.transcript(thread.id)).length); // 1
   * await ledger.close();
   * ```
   */
  createThread(thread?: NewThread, first?: InitialContent): Promise<Thread>;
  /** Returns a thread. Throws "unknown-thread" if it does not exist. */
  thread(threadId: string): Promise<Thread>;
  /**
   * Lists threads by id, largest first. For ids that Koine created this means newest first; ids that the caller chose
   * sort as text.
   */
  threads(page?: ThreadPage): Promise<Thread[]>;
  /** Changes the title or metadata of a thread. */
  updateThread(threadId: string, changes: ThreadChanges): Promise<Thread>;
  /** Lists a page of threads by id or by last activity, optionally with summaries. */
  listThreads(page?: ThreadListPage): Promise<ThreadList>;
  /** Finds threads whose title or messages contain all words of the query; the last word may be a prefix. */
  searchThreads(query: string, options?: ThreadSearchOptions): Promise<ThreadSearchResult>;
  /**
   * Yields changes of the tenant's threads by any process; the same change of a thread is yielded at most once per 250
   * ms. The promise resolves when watching has started. The iteration ends when `signal` aborts or `return()` is
   * called. With more than 10,000 unread changes the iteration fails with "busy", and the caller must watch again.
   */
  watch(options?: WatchOptions): Promise<AsyncIterableIterator<ThreadChange>>;

  /**
   * Appends messages to a thread. The result shares `parts` with the given messages: changing them later changes the
   * result, but not the stored data.
   *
   * @example
   * ```ts
   * import { assistant, user } from "koine";
   * import { openLedger } from "koine/ledger";
   *
   * const ledger = await openLedger("memory:");
   * const { id } = await ledger.createThread();
   * const [question, answer] = await ledger.append(id, [user("Hello"), assistant("Hi.")]);
   * console.log(answer?.parentMessageId === question?.id); // true
   * await ledger.close();
   * ```
   */
  append(threadId: string, messages: readonly Message[], options?: AppendOptions): Promise<StoredMessage[]>;
  /**
   * Returns the messages of a path, oldest first.
   *
   * @example
   * ```ts
   * import { assistant, getText, user } from "koine";
   * import { openLedger } from "koine/ledger";
   *
   * const ledger = await openLedger("memory:");
   * const { id } = await ledger.createThread();
   * await ledger.append(id, [user("Hello"), assistant("Hi.")]);
   * const messages = await ledger.transcript(id);
   * console.log(messages.map((message) => `${message.role}: ${getText(message)}`)); // ["user: Hello","assistant: Hi."]
   * await ledger.close();
   * ```
   */
  transcript(threadId: string, options?: TranscriptOptions): Promise<StoredMessage[]>;
  /** Returns the messages for the next model call: a path without interrupted turns, shortened to `maxMessages`. */
  context(threadId: string, options?: ContextOptions): Promise<StoredMessage[]>;
  /** Returns all messages of a thread and its active leaf. */
  tree(threadId: string): Promise<Tree>;
  /** Returns a thread's tree without the contents of messages, and the cursor from which to follow the thread. */
  outline(threadId: string): Promise<Outline>;
  /** Makes a message the active leaf; null empties the active path. */
  select(threadId: string, messageId: string | null): Promise<void>;

  /**
   * Returns a new id for a thread, message or run. It sorts after all ids that the ledger created in earlier
   * milliseconds.
   */
  newId(): string;
  /**
   * Begins a run and returns its writer.
   *
   * @example
   * ```ts
   * import { getText, user } from "koine";
   * import { createClient, demo } from "koine/client";
   * import { openLedger } from "koine/ledger";
   *
   * const ledger = await openLedger("memory:");
   * const client = createClient({ providers: { demo: demo() } });
   * const { id: threadId } = await ledger.createThread();
   * await ledger.append(threadId, [user("say Hello.")]);
   * const run = await ledger.beginRun({ threadId });
   * const messages = await ledger.context(threadId);
   * for await (const delta of client.stream({ model: "demo/koine", messages })) run.push([delta]);
   * const committed = await run.commit();
   * console.log(committed.messages.map(getText)); // ["Hello."]
   * await client.close();
   * await ledger.close();
   * ```
   */
  beginRun(run: NewRun): Promise<Run>;
  /**
   * Records a complete model call in one transaction, equivalent to `createThread`, `append`, `beginRun` and `commit`
   * or `fail`. Followers see only the finished run.
   */
  record(call: NewRecord): Promise<RecordResult>;
  /**
   * Takes over a run whose writer's lease has expired. The former writer can no longer write to the run. `force` takes
   * over the run even if the lease is valid.
   */
  resumeRun(runId: string, options?: { force?: boolean | undefined }): Promise<Run>;
  /** Returns a run. Throws "unknown-run" if it does not exist. */
  run(runId: string): Promise<RunInfo>;
  /** Lists the runs of a thread, oldest first. */
  runs(threadId: string, page?: RunsPage): Promise<RunInfo[]>;
  /** Returns the run that received this alias last; undefined if no run has it. */
  runByAlias(name: string): Promise<RunInfo | undefined>;
  /** Deletes an alias, but not its run. Returns true if the alias existed. */
  dropAlias(name: string): Promise<boolean>;
  /** Ends the runs whose writers died; their partial output is stored as an interrupted turn. */
  recover(options?: { everyTenant?: boolean | undefined }): Promise<RecoveredRun[]>;
  /**
   * Deletes the deltas of runs that ended more than `deltaRetentionMs` ago, and returns the number of those runs. The
   * ledger also does this automatically.
   */
  compact(): Promise<number>;

  /** Adds the caller's entries to the journal of a thread. Entries are deleted only together with the thread. */
  log(threadId: string, entries: readonly JsonObject[], options?: LogOptions): Promise<LogResult>;
  /**
   * Lists journal entries after a cursor, oldest first. A page with fewer entries than `limit` (default 100) is the
   * last page.
   */
  entries(threadId: string, page?: { after?: string | undefined; limit?: number | undefined }): Promise<JournalEntry[]>;
  /** Requests work on the thread. The request is stored until a worker has claimed and completed the work. */
  requestWork(threadId: string): Promise<void>;
  /**
   * Claims requested work that has no valid lease; returns undefined if there is no such work. Work has at most one
   * valid lease at a time.
   */
  claimWork(options: ClaimWorkOptions): Promise<WorkLease | undefined>;

  /** Yields the events of a thread after a cursor, and then each new event. */
  follow(options: FollowOptions): AsyncIterableIterator<LedgerEvent>;
  /** Finds the thread and branch that a client's history continues. */
  findThread(messages: readonly Message[], options?: FindThreadOptions): Promise<ThreadMatch>;

  /** Stores bytes as a blob. Equal bytes are stored once. */
  putBlob(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ blob: string; size: number }>;
  /** Yields the bytes of a blob. */
  blob(reference: string): AsyncIterable<Uint8Array>;

  /**
   * Finds messages that contain all words of the query, best match first. A query of more than 64 different words or
   * 4096 characters fails with "invalid-input".
   */
  search(query: string, options?: SearchOptions): Promise<SearchHit[]>;
  /**
   * Yields a thread as JSON lines, each with a line feed at its end. Live runs, deltas, leases, work requests and
   * idempotency keys are not exported.
   */
  export(threadId: string): AsyncIterable<string>;
  /**
   * Imports the lines of one or several exports, each thread completely or not at all. An existing thread with the same
   * content is not changed; an existing thread with fewer or different messages is a conflict.
   */
  import(lines: Iterable<string> | AsyncIterable<string>, options?: ImportOptions): Promise<ImportResult>;
  /** Deletes replaced messages or complete threads permanently. */
  purge(options: PurgeOptions): Promise<DeletionCounts>;
  /** Returns the space of deleted rows to the file system. */
  vacuum(): Promise<void>;
  /** Reads every record of a thread, or of all threads, and returns a problem for each record that cannot be read. */
  verify(threadId?: string): Promise<LedgerProblem[]>;
  /** Waits for pending writes and closes the store. */
  close(): Promise<void>;
}
