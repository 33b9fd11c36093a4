// Declares the public types of runs: new runs, their info and results, and complete calls for `ledger.record`.
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
  /** The fields of the thread, which is created in the same transaction if it does not exist. */
  thread?: NewThread | undefined;
  /** The id of the run, a ULID as returned by `ledger.newId()`. Default: a new id. An existing id is a conflict. */
  id?: string | undefined;
  /** Messages to append in the same transaction before the run. The last message is the run's fork point. */
  input?: RunInput | undefined;
  /** Aliases by which `runByAlias` finds the run. */
  alias?: string | readonly string[] | undefined;
  /**
   * An alias that only one run at a time may have. If it belongs to a run that is live or committed, the call fails
   * with "conflict" (path "claim"), and nothing is written.
   */
  claim?: string | undefined;
  /**
   * The message that the run answers; null for the root. Default: the message that is the active leaf at the commit.
   */
  forkFromMessageId?: string | null | undefined;
  /**
   * "replace" (default): the answer replaces the messages after the fork point on the active path. "branch": the answer
   * is a further branch, and the active leaf is not changed.
   */
  mode?: RunMode | undefined;
  /**
   * A repeated call with the same key and content attaches to the run of the first call; the same key with different
   * content is a conflict.
   */
  idempotencyKey?: string | undefined;
  /**
   * The id that the active leaf must have; null if the active path must be empty. Otherwise the call fails with
   * "conflict".
   */
  expectedLeaf?: string | null;
  /** True to fail with "conflict" if another run of the thread has a live writer. */
  exclusive?: boolean | undefined;
  /** The caller's own data, such as model, losses or a changed system prompt. */
  metadata?: Record<string, unknown> | undefined;
}

/** The state, result and metadata of a run. */
export interface RunInfo {
  id: string;
  threadId: string;
  state: RunState;
  mode: RunMode;
  /** The fork point, null for the root; absent if the run's messages follow the active leaf. */
  forkFromMessageId?: string | null;
  idempotencyKey?: string;
  createdAt: string;
  /** The time at which the run ended, in ISO 8601; absent for a live run. */
  finishedAt?: string;
  error?: ProviderError;
  /** The token usage; also present for failed and cancelled runs (B67). */
  usage?: Usage;
  metadata?: Record<string, unknown>;
  /** The number of the writer's lease; it increases with each takeover. */
  epoch: number;
  /**
   * The `seq` of the last written delta; -1 before the first. After a write with the outcome "unknown" it shows which
   * deltas were written.
   */
  lastSeq: number;
}

/** The messages of a committed run, and the runs that it superseded. */
export interface CommitResult {
  messages: StoredMessage[];
  supersededRunIds: string[];
}
/** The messages of a failed or cancelled run: its interrupted turn, which is not on the active path (B90). */
export interface EndResult {
  messages: StoredMessage[];
}
/** The options of `Run.commit`. */
export interface CommitOptions {
  /**
   * The id that the active leaf must have; null if the active path must be empty. Otherwise the commit fails with
   * "conflict", and the run stays live.
   */
  expectedLeaf?: string | null;
  /** Fields to merge into the run's metadata. */
  metadata?: Record<string, unknown> | undefined;
  /**
   * Aliases by which `runByAlias` finds the run, such as the ids that a client knows the answer by. An alias of another
   * run moves to this run.
   */
  alias?: string | readonly string[] | undefined;
}

/** The writer of a live run. */
export interface Run {
  readonly id: string;
  readonly threadId: string;
  /** The run as this writer knows it; `ledger.run(id)` reads the store. */
  readonly info: RunInfo;
  /**
   * True if an idempotency key led to an earlier run. This handle can then only read; its writes fail with "fenced".
   */
  readonly attached: boolean;
  /**
   * Appends deltas; resolves when they are durable. If one delta is illegal, the call rejects and none of its deltas
   * are appended; the run continues.
   */
  append(deltas: readonly (Delta | MessageDelta)[]): Promise<void>;
  /**
   * Appends deltas without waiting until they are durable. An error is thrown later by `commit`, which then commits
   * nothing.
   */
  push(deltas: readonly (Delta | MessageDelta)[]): void;
  /**
   * Merges fields into the run's metadata; a given field replaces the field of the same name. Resolves when the fields
   * and all earlier deltas are durable. For data that the next writer of the run needs, such as the tools that were
   * started.
   */
  mergeMetadata(fields: Record<string, unknown>): Promise<void>;
  /**
   * Commits the messages assembled from the deltas, or the given messages. An empty list commits no messages and stores
   * only the usage of the deltas. A repeated call returns the result of the first call.
   */
  commit(messages?: readonly Message[], options?: CommitOptions): Promise<CommitResult>;
  /**
   * Ends the run as failed. `error` can be any thrown value: a ProviderError, an Error or a string. Any other value is
   * stored as a description.
   */
  fail(error: unknown): Promise<EndResult>;
  /** Ends the run as cancelled. */
  cancel(): Promise<EndResult>;
  /** Renews the lease now. The ledger also renews it automatically while the run is live. */
  heartbeat(): Promise<void>;
  /**
   * Ends the lease, but not the run: another writer can resume the run at once, and this writer can no longer write.
   * Never rejects; if the store cannot be written, the lease ends when it expires.
   */
  release(): Promise<void>;
}

/** A complete model call for `ledger.record`. */
export interface NewRecord {
  /** The id of the thread; can be omitted if `thread` is given. */
  threadId?: string | undefined;
  /** The fields of the thread, which is created in the same transaction if it does not exist. */
  thread?: NewThread | undefined;
  /** The id of the run, as in `NewRun.id`. */
  runId?: string | undefined;
  /** Messages to append before the answer, which follows the last of them. */
  input?: RunInput | undefined;
  /** The message that the answer follows, as in `NewRun`; not allowed with `input`. */
  forkFromMessageId?: string | null | undefined;
  mode?: RunMode | undefined;
  expectedLeaf?: string | null;
  /**
   * The answer. For a failed or cancelled call, the partial answer, which is stored as an interrupted turn outside the
   * active path (B90).
   */
  messages: readonly Message[];
  /** The token usage. Default: the sum of the usage in the metadata of `messages`. */
  usage?: Usage | undefined;
  /** The final state of the run. Default "committed"; with an `error`, "failed". */
  state?: "committed" | "failed" | "cancelled" | undefined;
  /** The error of a failed call: any value that `Run.fail` accepts. */
  error?: unknown;
  metadata?: Record<string, unknown> | undefined;
  alias?: string | readonly string[] | undefined;
  /**
   * A repeated call with the same key and content writes nothing and returns the result of the first call; the same key
   * with different content is a conflict.
   */
  idempotencyKey?: string | undefined;
}
/** The result of `ledger.record`. */
export interface RecordResult extends CommitResult {
  threadId: string;
  run: RunInfo;
  /** The messages of the call's input, as they were stored. */
  input: StoredMessage[];
  /** True if an idempotency key led to a call that was recorded before; nothing was then written. */
  attached: boolean;
}
