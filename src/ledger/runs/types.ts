// The public types of runs: new runs, their info and results, and whole calls for `ledger.record`.
import type { Delta, Message, MessageDelta, ProviderError, StoredMessage, Usage } from "../../model/index.ts";
import type { RunMode, RunState } from "../store/rows.ts";
import type { NewThread } from "../types.ts";

/** Messages to append before a run, which answers them. */
export interface RunInput {
  messages: readonly Message[];
  /** The parent of the first message, as in `AppendOptions`. Default: the active leaf. */
  parentMessageId?: string | null | undefined;
}

/** The fields of a new run. */
export interface NewRun {
  threadId: string;
  /** Creates the thread in the same write if none with this id exists. */
  thread?: NewThread | undefined;
  /** A ULID, as `ledger.newId()` returns. Default: a new one. An existing id is a conflict. */
  id?: string | undefined;
  /** Appended in the same write, before the run; the last of them is the run's fork point. */
  input?: RunInput | undefined;
  /** Aliases by which `runByAlias` finds the run. */
  alias?: string | readonly string[] | undefined;
  /**
   * An alias that only one run at a time may have: if it belongs to a run that is live or committed, the call is a
   * conflict (path "claim") and nothing is written.
   */
  claim?: string | undefined;
  /** The message that the run answers; null for the root. Default: the leaf that is active at the commit. */
  forkFromMessageId?: string | null | undefined;
  /**
   * "replace" (default): the answer takes the place of the messages after the fork point. "branch": it is added beside
   * them, and the active leaf stays.
   */
  mode?: RunMode | undefined;
  /** The same key and request attaches to the earlier run; another request is a conflict. */
  idempotencyKey?: string | undefined;
  /** The active leaf must be this one; otherwise a conflict. */
  expectedLeaf?: string | null;
  /** True if no other run of the thread may have a live writer; otherwise a conflict. */
  exclusive?: boolean | undefined;
  /** The caller's own data, such as model, losses or a changed system prompt. */
  metadata?: Record<string, unknown> | undefined;
}

/** A run as callers see it. */
export interface RunInfo {
  id: string;
  threadId: string;
  state: RunState;
  mode: RunMode;
  /** Absent if the run follows the active leaf. */
  forkFromMessageId?: string | null;
  idempotencyKey?: string;
  createdAt: string;
  /** ISO 8601. */
  finishedAt?: string;
  error?: ProviderError;
  /** Also present for failed and cancelled runs (B67). */
  usage?: Usage;
  metadata?: Record<string, unknown>;
  /** Increases with each takeover. */
  epoch: number;
  /**
   * The `seq` of the last written delta; -1 before the first. After an "unknown" outcome it shows which deltas were
   * written.
   */
  lastSeq: number;
}

/** The messages of a committed run, and the runs that it superseded. */
export interface CommitResult {
  messages: StoredMessage[];
  supersededRunIds: string[];
}
/** The messages of a failed or cancelled run: its interrupted turn, stored beside the active path (B90). */
export interface EndResult {
  messages: StoredMessage[];
}
/** The options of `Run.commit`. */
export interface CommitOptions {
  /** The active leaf must be this one; otherwise a conflict, and the run stays live. */
  expectedLeaf?: string | null;
  /** Merged into the run's metadata. */
  metadata?: Record<string, unknown> | undefined;
  /**
   * Aliases by which `runByAlias` finds the run: the ids that a client knows the answer by. An alias of another run
   * moves to this one.
   */
  alias?: string | readonly string[] | undefined;
}

/** The writer of a live run. */
export interface Run {
  readonly id: string;
  readonly threadId: string;
  /** The state known to this writer; `ledger.run(id)` reads the store. */
  readonly info: RunInfo;
  /** True if an idempotency key led to an earlier run: this handle can only read, and writes fail with "fenced". */
  readonly attached: boolean;
  /**
   * Appends deltas; resolves when they are durable. An illegal delta rejects the whole batch, and the run continues
   * without it.
   */
  append(deltas: readonly (Delta | MessageDelta)[]): Promise<void>;
  /** Like `append`, for streams that must not wait: an error is thrown by `commit`, which then commits nothing. */
  push(deltas: readonly (Delta | MessageDelta)[]): void;
  /**
   * Merges fields into the run's metadata, key by key. Resolves when they and all earlier deltas are durable. For data
   * that a successor of this writer needs, such as the tools that were started.
   */
  mergeMetadata(fields: Record<string, unknown>): Promise<void>;
  /**
   * Commits the assembled deltas, or the given messages; an empty list stores only the usage. A repeated call returns
   * the same result.
   */
  commit(messages?: readonly Message[], options?: CommitOptions): Promise<CommitResult>;
  /**
   * Ends the run as failed. Accepts any thrown value: a ProviderError, an Error, a string; other values are described.
   */
  fail(error: unknown): Promise<EndResult>;
  /** Ends the run as cancelled. */
  cancel(): Promise<EndResult>;
  /** Renews the lease now; the ledger also does so automatically while the run is live. */
  heartbeat(): Promise<void>;
  /**
   * Gives up the run without ending it: a successor can resume it at once, and this writer is rejected from then on.
   * Never rejects; if the store cannot be written, the lease expires.
   */
  release(): Promise<void>;
}

/** A whole call for `ledger.record`. */
export interface NewRecord {
  /** The thread. Optional if `thread` has an id or is to get a new one. */
  threadId?: string | undefined;
  /** Creates the thread in the same write if none with this id exists. */
  thread?: NewThread | undefined;
  /** Like `NewRun.id`. */
  runId?: string | undefined;
  /** Appended before the answer, which follows the last of them. */
  input?: RunInput | undefined;
  /** Without input: as in `NewRun`. */
  forkFromMessageId?: string | null | undefined;
  mode?: RunMode | undefined;
  expectedLeaf?: string | null;
  /** The answer. For a failed call: the partial answer, stored beside the active path as an interrupted turn (B90). */
  messages: readonly Message[];
  /** Default: the usage in the messages' metadata. */
  usage?: Usage | undefined;
  /** Default "committed"; with an `error`, "failed". */
  state?: "committed" | "failed" | "cancelled" | undefined;
  /** Any value that `Run.fail` accepts. */
  error?: unknown;
  metadata?: Record<string, unknown> | undefined;
  alias?: string | readonly string[] | undefined;
  /** The same key and request returns the recorded call and writes nothing; another request is a conflict. */
  idempotencyKey?: string | undefined;
}
/** The result of `ledger.record`. */
export interface RecordResult extends CommitResult {
  threadId: string;
  run: RunInfo;
  /** The input as it was stored. */
  input: StoredMessage[];
  /** True if an idempotency key led to a call that was recorded before. */
  attached: boolean;
}
