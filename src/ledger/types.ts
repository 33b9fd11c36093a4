// The public face of a ledger: what goes in and what comes out of its methods.
import type { Clock } from "../assembly/index.ts";
import type { JsonObject, Message, MessageDelta, StoredMessage } from "../model/index.ts";
import type {
  ThreadSearchOptions,
  ThreadSearchResult,
  Outline,
  ThreadChange,
  ThreadList,
  ThreadListPage,
  WatchOptions,
} from "./overview/types.ts";
import type { DeletionCounts } from "./rows.ts";
import type { NewRecord, NewRun, RecordResult, Run, RunInfo } from "./runs/types.ts";
import type { SearchHit } from "./store.ts";

export type * from "./overview/types.ts";
export type * from "./runs/types.ts";

/** How a ledger is opened. */
export interface LedgerOptions {
  /** Default "default". Nothing of another tenant is ever seen. */
  tenant?: string | undefined;
  clock?: Clock | undefined;
  /** How long a writer may be silent before its run counts as abandoned. Default 30 s; renewed every third of it. */
  leaseMs?: number | undefined;
  /**
   * SQLite: "full" (default) survives a power cut, "normal" survives `kill -9` but may lose the last moments of a power cut.
   * Postgres: with "full" a commit waits for the server's disk even where its `synchronous_commit` is "off"; "normal"
   * leaves it to the server's setting. Stronger settings, which wait for standbys, are never weakened.
   */
  sync?: "full" | "normal" | undefined;
  /** Strings of a message that are longer are stored once by content. Default 32,768 characters. */
  blobThreshold?: number | undefined;
  /** How long a lock of another process is waited for. Default 10 s. */
  busyMs?: number | undefined;
  /** The longest that deltas wait for company before they are written. Default 10 ms. */
  flushMs?: number | undefined;
  /** How long nothing must have been written before new messages are indexed for search. Default 1 s; false: only when somebody searches. */
  indexMs?: number | false | undefined;
  /** How long the deltas of a finished run can still be followed. Default 60 s. */
  deltaRetentionMs?: number | undefined;
  /** Postgres: the schema that holds the tables (default "koine"), and the most connections (default 10). */
  schema?: string | undefined;
  connections?: number | undefined;
  /** Changes nothing, tables included: those that are missing, or older than this Koine, are an error "schema-too-old". Default false. */
  readOnly?: boolean | undefined;
  /** Hears of records that could not be read. */
  onProblem?: ((problem: LedgerProblem) => void) | undefined;
}

/** A record that could not be read; the rest of its thread can. */
export interface LedgerProblem {
  tenant: string;
  threadId: string;
  messageId: string;
  reason: string;
}

export interface NewThread {
  /** Default: a new ULID. One that is taken is a conflict. */
  id?: string | undefined;
  title?: string | undefined;
  /** A user or token within the tenant; `recognise` prefers threads of the same one. */
  scope?: string | undefined;
  /** What it is for, where it is no plain conversation: "task". Threads can be listed by it. */
  kind?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}
/** What a thread begins with. */
export interface InitialContent {
  /** Entries of its journal; they come before the messages. */
  entries?: readonly JsonObject[] | undefined;
  messages?: readonly Message[] | undefined;
  /** As `ledger.want`. */
  want?: boolean | undefined;
  /** Of the tenant. The same key and request gives the thread that was made before; another request is a conflict. */
  idempotencyKey?: string | undefined;
}
export interface Thread {
  id: string;
  title: string | null;
  scope: string | null;
  kind: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  activeLeafId: string | null;
}
/** What may change in a thread; null removes. */
export interface ThreadChanges {
  title?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** What goes with entries of the journal, in the same write. */
export interface LogOptions {
  /** Messages that are appended, after the entries. */
  append?: ({ messages: readonly Message[] } & Omit<AppendOptions, "idempotencyKey">) | undefined;
  /** As `ledger.want`. */
  want?: boolean | undefined;
  /** The last entry of the thread must have this cursor (null: there is none); else a conflict. */
  expectedEntry?: string | null;
  /** The work must still be held; else the write is "fenced". */
  holding?: WorkLease | undefined;
  /** The same key and request gives what was logged before; another request is a conflict. */
  idempotencyKey?: string | undefined;
}
export interface LogResult {
  /** Of the entries, as `follow` gives them. */
  cursors: string[];
  messages: StoredMessage[];
}
/** One entry of a thread's journal. */
export interface Entry {
  cursor: string;
  /** undefined where it cannot be read: readers pass over it, and keep their place (B91). */
  entry: JsonObject | undefined;
}

export interface ClaimWorkOptions {
  /** Who takes it, for people. */
  holder: string;
  /** Only that of this thread. Default: what was wanted first. */
  threadId?: string | undefined;
  /** Default: the ledger's. Renewed by the ledger every third of it while the work is held. */
  leaseMs?: number | undefined;
  /** Of any tenant. */
  everyTenant?: boolean | undefined;
}
/** Work that is wanted on a thread, in the hands of the one who does it. */
export interface WorkLease {
  readonly threadId: string;
  readonly tenant: string;
  /** Of that tenant. */
  readonly ledger: Ledger;
  /** Aborted when somebody else may hold the work. Not by `release` and `done`. */
  readonly lost: AbortSignal;
  /** Renews the lease now; "fenced" where somebody else holds the work. */
  renew(): Promise<void>;
  /** Lets go of it; it is still wanted, and whoever takes it next need not wait. It never rejects. */
  release(): Promise<void>;
  /**
   * Says that it is done. false: more was wanted since it was taken, or since this was last asked; it is still held, and
   * there is more to do. "fenced" where somebody else holds it.
   */
  done(): Promise<boolean>;
}

/** Which runs of a thread to list. */
export interface RunsPage {
  /** The last so many. */
  last?: number | undefined;
  /** Only those that are created or streaming. */
  live?: boolean | undefined;
}

/** Which threads to list. */
export interface ThreadPage {
  /** Default 50. */
  limit?: number | undefined;
  /** Only those with a smaller id. */
  before?: string | undefined;
  /** Only those of this kind; null: those without one. */
  kind?: string | null | undefined;
}

export interface AppendOptions {
  /** Another message than the active leaf makes a branch and makes it active; null makes a root. */
  parentMessageId?: string | null | undefined;
  /** The active leaf must be this one (null: the thread is empty); else a conflict. */
  expectedLeaf?: string | null;
  idempotencyKey?: string | undefined;
}

export interface TranscriptOptions {
  /** "active" (default), or a message id: the path that ends there. */
  branch?: string | undefined;
  /** The last so many. */
  limit?: number | undefined;
  /** Only what stands before this message. */
  before?: string | undefined;
  /** "inline" (default) gives contents back as they were appended, "reference" leaves `blob` in their place. */
  blobs?: "inline" | "reference" | undefined;
}
export interface ContextOptions {
  branch?: string | undefined;
  /**
   * At most so many (B99). The system and developer messages that the path begins with stay, and count. Of the rest the
   * longest end is kept that fits and in which every result has its call. Where it does not begin with a user message,
   * the nearest one above is kept in front of it, and counts; what stood between them is left out. Where no such end
   * fits, only the leading instructions are given, even if they are more.
   */
  maxMessages?: number | undefined;
  /** Whether interrupted turns are part of it. Default false (B90). */
  interrupted?: boolean | undefined;
}
export interface Tree {
  messages: StoredMessage[];
  activeLeafId: string | null;
}

/** What `recognise` found. */
export interface ThreadMatch {
  /** null where the history is new. */
  threadId: string | null;
  /** The message that the new ones follow; null at the root. */
  parentMessageId: string | null;
  /** How many of the given messages are known. */
  known: number;
  /** The whole history, with what the client dropped restored (B11). */
  messages: Message[];
  /** Whether they are other than those given: ids that the client did not give do not count. */
  restored: boolean;
}
export interface FindThreadOptions {
  /** Of matches that are equally long, threads of this scope win. */
  scope?: string | undefined;
  /**
   * Where to look: in all threads of the tenant (default), or only in those of `scope`, which must then be given. What the
   * client dropped is restored from the thread that is found: with "tenant", two users of a tenant who had the same words
   * said to them may be given each other's hidden reasoning.
   */
  within?: "tenant" | "scope" | undefined;
  /** Only this thread counts, on whichever branch. */
  threadId?: string | undefined;
}

export interface FollowOptions {
  threadId: string;
  /** Only this run; the iterator ends with it. */
  runId?: string | undefined;
  /** A cursor of an earlier event; absent: from the beginning. "now" begins with what comes next. */
  after?: string | undefined;
  /** Whether a cursor that is no place of this thread is refused ("cursor-invalid"). Default: it is one between two others. */
  known?: boolean | undefined;
  /** What happens where deltas after the cursor were compacted away: "cursor-gone" (default), or they are passed over. */
  gaps?: "throw" | "skip" | undefined;
  /** As in `TranscriptOptions`. */
  blobs?: "inline" | "reference" | undefined;
  signal?: AbortSignal | undefined;
}
/** `cursor` resumes after the event. */
export type LedgerEvent =
  | { cursor: string; type: "delta"; runId: string; delta: MessageDelta }
  | { cursor: string; type: "message"; runId?: string; message: StoredMessage }
  | { cursor: string; type: "run"; runId: string; run: RunInfo }
  | { cursor: string; type: "entry"; entry: JsonObject };

export interface RecoveredRun {
  tenant: string;
  runId: string;
  threadId: string;
  /** The partial turn that was saved. */
  messages: StoredMessage[];
}

export interface ImportOptions {
  /** Hears of each thread that is new here, once it is there. */
  onThread?: ((threadId: string) => void) | undefined;
}

export interface PurgeOptions {
  threadId?: string | undefined;
  /**
   * "replaced": messages of superseded runs with what led only to them and what followed them, and partial turns that
   * nothing follows; never what is on the path of the active leaf, a committed run or a live run's fork point, nor
   * branches that were appended. "thread": everything; a thread with a live run, or on which somebody works, is a
   * conflict, or passed over where none is named. Runs without messages go along, and so do blobs that nobody holds and keys, of more than a day ago.
   */
  what: "replaced" | "thread";
  /** Only what was created before (ISO 8601 or a date); a thread only where all of it was. */
  before?: string | Date | undefined;
  /** How long ago a blob must have been put to go: a message that names it may be on its way. Default one day. */
  graceMs?: number | undefined;
  /** Counts, and deletes nothing. */
  dryRun?: boolean | undefined;
}

export interface SearchOptions {
  threadId?: string | undefined;
  /** Whether the last word may be the beginning of one: for searches while somebody types. Default false. */
  prefix?: boolean | undefined;
  /** Default 20. */
  limit?: number | undefined;
}

export interface ImportResult {
  threads: number;
  messages: number;
  runs: number;
  blobs: number;
  /** Records that were there already, and the same. */
  known: number;
}

export interface Ledger {
  readonly tenant: string;
  /** The same store, seen by another tenant. Closing either closes both. */
  forTenant(tenant: string): Ledger;

  /** With what it begins with, in one write: it is there with all of that, or not at all. */
  createThread(thread?: NewThread, first?: InitialContent): Promise<Thread>;
  thread(threadId: string): Promise<Thread>;
  /** By id, largest first, below `before`. Ids that Koine made are thereby newest first; the caller's own sort as they are. */
  threads(page?: ThreadPage): Promise<Thread[]>;
  updateThread(threadId: string, changes: ThreadChanges): Promise<Thread>;
  /** A page of threads, in the order of their ids or of what happened last, with a summary of each where that is wanted. */
  listThreads(page?: ThreadListPage): Promise<ThreadList>;
  /** Threads whose title or messages have all words of the query; the last word may be the beginning of one. */
  findThreads(query: string, options?: ThreadSearchOptions): Promise<ThreadSearchResult>;
  /**
   * What happens to the tenant's threads from now on, whichever process does it; the same change of a thread at most once
   * in a quarter of a second. Resolves when it has begun; ends at `signal` and at `return()`. Whoever does not read gets
   * "busy" after 10,000 changes, and begins anew.
   */
  watch(options?: WatchOptions): Promise<AsyncIterableIterator<ThreadChange>>;

  /** What it gives shares `parts` with the messages given: who changes those afterwards changes it, but not what is stored. */
  append(threadId: string, messages: readonly Message[], options?: AppendOptions): Promise<StoredMessage[]>;
  transcript(threadId: string, options?: TranscriptOptions): Promise<StoredMessage[]>;
  context(threadId: string, options?: ContextOptions): Promise<StoredMessage[]>;
  tree(threadId: string): Promise<Tree>;
  /** The tree in short, and from where to follow the thread. */
  outline(threadId: string): Promise<Outline>;
  select(threadId: string, messageId: string | null): Promise<void>;

  /** A new id, as threads, messages and runs have: larger than any that was made before this millisecond. */
  newId(): string;
  beginRun(run: NewRun): Promise<Run>;
  /**
   * A whole call in one write: what `createThread`, `append`, `beginRun` and `commit` or `fail` come to. Followers hear of
   * the run when it has ended.
   */
  record(call: NewRecord): Promise<RecordResult>;
  /** Takes over a run whose writer is silent; the former writer is fenced off. `force` does not wait for the lease. */
  resumeRun(runId: string, options?: { force?: boolean | undefined }): Promise<Run>;
  run(runId: string): Promise<RunInfo>;
  /** Oldest first. */
  runs(threadId: string, page?: RunsPage): Promise<RunInfo[]>;
  /** The run that was given this name last; undefined where there is none. */
  runByAlias(name: string): Promise<RunInfo | undefined>;
  /** Forgets a name; the run stays. Says whether it was there. */
  dropAlias(name: string): Promise<boolean>;
  /** Ends the runs whose writers are gone: what they had streamed is kept as an interrupted turn. */
  recover(options?: { everyTenant?: boolean | undefined }): Promise<RecoveredRun[]>;
  /** Drops the deltas of runs that finished long enough ago; happens by itself along the way. Gives the number of runs. */
  compact(): Promise<number>;

  /** Writes entries of the caller's own into the thread's history, where they stay as long as the thread does. */
  log(threadId: string, entries: readonly JsonObject[], options?: LogOptions): Promise<LogResult>;
  /** Entries of the journal, oldest first, after a cursor of the thread; a page that is not full is the last. Default: 100. */
  entries(threadId: string, page?: { after?: string | undefined; limit?: number | undefined }): Promise<Entry[]>;
  /** Says that there is work to do on the thread. It is wanted until somebody has taken it and says that it is done. */
  want(threadId: string): Promise<void>;
  /** Takes work that is wanted and that nobody holds; undefined where there is none. Each has one holder at a time. */
  takeWork(options: ClaimWorkOptions): Promise<WorkLease | undefined>;

  follow(options: FollowOptions): AsyncIterableIterator<LedgerEvent>;
  recognise(messages: readonly Message[], options?: FindThreadOptions): Promise<ThreadMatch>;

  putBlob(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ blob: string; size: number }>;
  blob(reference: string): AsyncIterable<Uint8Array>;

  /**
   * Messages that have all words of the query, best first. A query of more than 64 different words or 4096 characters is
   * refused ("invalid-input").
   */
  search(query: string, options?: SearchOptions): Promise<SearchHit[]>;
  /** JSON lines, each with its line feed. Without runs that are alive, deltas, leases, work and idempotency keys. */
  export(threadId: string): AsyncIterable<string>;
  /**
   * Takes the lines of one export or several, each thread whole or not at all. A thread that is there already with all
   * of it stays as it is; with less or other messages it is a conflict.
   */
  import(lines: Iterable<string> | AsyncIterable<string>, options?: ImportOptions): Promise<ImportResult>;
  purge(options: PurgeOptions): Promise<DeletionCounts>;
  vacuum(): Promise<void>;
  /** Reads every record of a thread, or of all, and reports those that cannot be read. */
  verify(threadId?: string): Promise<LedgerProblem[]>;
  close(): Promise<void>;
}
