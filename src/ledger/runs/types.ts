// Runs as callers see them: what begins one, what it is, what it leaves, and whole calls that are recorded at once.
import type { Delta, Message, MessageDelta, ProviderError, StoredMessage, Usage } from "../../model/index.ts";
import type { RunMode, RunState } from "../rows.ts";
import type { NewThread } from "../types.ts";

/** Messages that a run answers. */
export interface RunInput {
  messages: readonly Message[];
  /** As in `AppendOptions`: absent, they follow the active leaf. */
  parentMessageId?: string | null | undefined;
}

export interface NewRun {
  threadId: string;
  /** How the thread is made, in the same write, where there is none of this id. */
  thread?: NewThread | undefined;
  /** A ULID, as `ledger.newId()` makes them. Default: a new one. One that is taken is a conflict. */
  id?: string | undefined;
  /** Appended in the same write, before the run; the run forks from the last of them. */
  input?: RunInput | undefined;
  /** Names by which `runByAlias` finds the run. */
  alias?: string | readonly string[] | undefined;
  /**
   * A name that one run at a time may have: where another run has it that is not at its end, or was committed, that is a
   * conflict ("claim"), and nothing is written.
   */
  claim?: string | undefined;
  /** null forks at the root; absent chains to the leaf that is active at commit. */
  forkFromMessageId?: string | null | undefined;
  /** "replace" (default): the answer takes the place of what followed. "branch": it stands beside it, and the active leaf stays. */
  mode?: RunMode | undefined;
  /** The same key and request attaches to the run that was begun; another request is a conflict. */
  idempotencyKey?: string | undefined;
  /** The active leaf must be this one; else a conflict. */
  expectedLeaf?: string | null;
  /** No other run of the thread may have a writer that is alive; else a conflict. For work that two must not do at once. */
  alone?: boolean | undefined;
  /** The caller's own facts: model, losses, a changed system prompt. */
  metadata?: Record<string, unknown> | undefined;
}

export interface RunInfo {
  id: string;
  threadId: string;
  state: RunState;
  mode: RunMode;
  /** Absent where the run chains to the active leaf. */
  forkFromMessageId?: string | null;
  idempotencyKey?: string;
  createdAt: string;
  /** ISO 8601. */
  finishedAt?: string;
  error?: ProviderError;
  /** Kept also for runs that failed or were cancelled (B67). */
  usage?: Usage;
  metadata?: Record<string, unknown>;
  /** Grows with each takeover. */
  epoch: number;
  /** The `seq` of the last delta that was written; -1 before the first. After an "unknown" outcome it tells what was. */
  lastSeq: number;
}

export interface CommitResult {
  messages: StoredMessage[];
  supersededRunIds: string[];
}
/** What a run that failed or was cancelled leaves: its partial turn, marked interrupted, beside the active path (B90). */
export interface EndResult {
  messages: StoredMessage[];
}
export interface CommitOptions {
  /** The active leaf must be this one; else a conflict, and the run lives on. */
  expectedLeaf?: string | null;
  /** Merged into the run's. */
  metadata?: Record<string, unknown> | undefined;
  /** Names by which `runByAlias` finds the run: the ids that a client knows its answer by. A name that another run had is this one's now. */
  alias?: string | readonly string[] | undefined;
}

/** A live run, in the hands of its writer. */
export interface Run {
  readonly id: string;
  readonly threadId: string;
  /** As this handle knows it; `ledger.run(id)` asks the store. */
  readonly info: RunInfo;
  /** Whether an idempotency key led to a run that was begun before; then this handle reads, and writing is fenced. */
  readonly attached: boolean;
  /** Resolves once the deltas are durable. An illegal delta refuses the whole batch, and the run goes on without it. */
  append(deltas: readonly (Delta | MessageDelta)[]): Promise<void>;
  /** As `append`, for streams that must not wait: what goes wrong is thrown by `commit`, which then commits nothing. */
  push(deltas: readonly (Delta | MessageDelta)[]): void;
  /**
   * Merges facts into the run's metadata, key by key. Resolves once they are durable, with every delta before them: what
   * whoever takes the run over must know, such as which tools were started.
   */
  note(facts: Record<string, unknown>): Promise<void>;
  /** Writes what the deltas assembled to, or the messages given; of an empty list only what it cost. Again: the same result. */
  commit(messages?: readonly Message[], options?: CommitOptions): Promise<CommitResult>;
  /** Takes whatever was caught: a ProviderError, an Error, a string; anything else is described. */
  fail(error: unknown): Promise<EndResult>;
  cancel(): Promise<EndResult>;
  /** Renews the lease now; the ledger does so by itself while the run lives. */
  heartbeat(): Promise<void>;
  /**
   * Lets go of the run without ending it: whoever resumes it need not wait, and this handle is fenced off. It never
   * rejects; where the store cannot be written to, the lease ends by itself.
   */
  release(): Promise<void>;
}

/** A whole call, for `ledger.record`. */
export interface NewRecord {
  /** The thread. May be left out where `thread` names it, or is to be given a new id. */
  threadId?: string | undefined;
  /** How the thread is made, in the same write, where there is none of this id. */
  thread?: NewThread | undefined;
  /** As `NewRun.id`. */
  runId?: string | undefined;
  /** Appended before the answer, which follows the last of them. */
  input?: RunInput | undefined;
  /** Without input: as in `NewRun`. */
  forkFromMessageId?: string | null | undefined;
  mode?: RunMode | undefined;
  expectedLeaf?: string | null;
  /** The answer. Of a call that failed: what had arrived, which is kept beside the active path, marked interrupted (B90). */
  messages: readonly Message[];
  /** Default: what the messages say. */
  usage?: Usage | undefined;
  /** Default "committed"; with an `error`, "failed". */
  state?: "committed" | "failed" | "cancelled" | undefined;
  /** As `Run.fail` takes it. */
  error?: unknown;
  metadata?: Record<string, unknown> | undefined;
  alias?: string | readonly string[] | undefined;
  /** The same key and request in the thread gives what was recorded, and writes nothing; another request is a conflict. */
  idempotencyKey?: string | undefined;
}
export interface RecordResult extends CommitResult {
  threadId: string;
  run: RunInfo;
  /** The input as it was stored. */
  input: StoredMessage[];
  /** Whether an idempotency key led to a call that was recorded before. */
  attached: boolean;
}
