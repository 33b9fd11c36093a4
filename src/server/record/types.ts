// Interfaces between the gateway and the recorder.
import type { Attempt } from "../../client/index.ts";
import type { Delta, Loss, Message, ProviderError, ModelRequest, ModelResponse } from "../../model/index.ts";
import type { Caller } from "../types.ts";

/** A call to record. */
export interface RecordedCall {
  caller: Caller;
  /** The client's request, decoded. */
  request: ModelRequest;
  /** The client's dialect. */
  dialect: string;
  /** The header `x-koine-thread`: the id of the thread to continue. If the thread does not exist, it is created. */
  thread?: string | undefined;
  /**
   * The id of the message of `thread` that the answer follows. The messages of the request must be the path to this
   * message, because they are not compared with the thread.
   */
  after?: string | undefined;
  /** The `previous_response_id`: the answer that the messages follow. If it is unknown, `open` throws "not-found". */
  previousResponse?: string | undefined;
  /** The `idempotency-key` header. */
  idempotencyKey?: string | undefined;
  /** True if the client may refer to the answer later (Responses: `store` is not false). */
  referable?: boolean | undefined;
  /** The client's `user-agent`, shown to people who inspect the record. */
  userAgent?: string | undefined;
}

/** A complete answer to record. */
export interface RecordedAnswer {
  /** The whole answer; undefined for a stream, whose deltas were passed to `push`. */
  response?: ModelResponse | undefined;
  /** The assembled answer of a stream, if known, so that it is not assembled again. */
  streamed?: ModelResponse | undefined;
  provider: string;
  model: string;
  attempts: readonly Attempt[];
  /** The losses of the request in the provider's dialect, and of the answer in the client's dialect. */
  losses: readonly Loss[];
  /** The response id that the client received. */
  responseId?: string | undefined;
}

/** The recording of one call. Only `ready`, `finish` and `fail` wait for writes, and only they may reject. */
export interface Recording {
  /** The thread id, which is known before the thread is written, because it is sent in a header. */
  readonly threadId: string;
  /** The run id, which is known before the run is written, because it is sent in a header. */
  readonly runId: string;
  /** The whole history, with dropped parts restored (B11) and `previous_response_id` resolved. */
  readonly messages: readonly Message[];
  /** True if the history differs from the client's, so the client's body cannot be forwarded. */
  readonly isHistoryChanged: boolean;
  /** The answer of an earlier call with the same idempotency key. If it is set, the call is not sent to a provider. */
  readonly earlierAnswer: ModelResponse | undefined;
  /**
   * Aborted when the run is cancelled, or when it cannot be recorded and the policy is "refuse". The reason is a
   * `ServerError`, usually "aborted" or "unavailable".
   */
  readonly cancelled: AbortSignal;
  /**
   * Starts the recording of a stream: thread, input and run are written in the background, so that other readers can
   * follow the stream. `begin` is not called for whole answers.
   */
  begin(target: { provider: string; model: string }): void;
  /**
   * Waits until a stream may be sent. Must be called before the first byte is sent. If the last write succeeded,
   * resolves at once. Otherwise rejects if this run cannot be written either and the policy is "refuse".
   */
  ready(): Promise<void>;
  push(deltas: readonly Delta[]): void;
  /**
   * Records the answer and resolves when it is durable. If that fails or takes longer than `maxWaitMs`, rejects if the
   * policy is "refuse", and otherwise resolves. Rejects with "aborted" if the run was cancelled.
   */
  finish(answer: RecordedAnswer): Promise<void>;
  /** Records the error, and the partial answer of a stream, which is marked as interrupted. */
  fail(error: ProviderError, outcome: Omit<RecordedAnswer, "response" | "responseId">): Promise<void>;
}

export interface Recorder {
  /** Opens the recording of a call. Returns undefined if the call cannot be recorded and the policy is "serve". */
  open(call: RecordedCall): Promise<Recording | undefined>;
  /**
   * Returns the whole history of an unrecorded call with `previousResponse`; undefined if the response is unknown.
   * Writes nothing.
   */
  resolveHistory?(call: RecordedCall): Promise<readonly Message[] | undefined>;
  /**
   * Writes the runs of open streams with this thread id or run id. Otherwise a stream is written only some time after
   * its start, so `writePendingRuns` must be called before the ledger is read for a client.
   */
  writePendingRuns(caller: Caller, threadOrRunId: string): Promise<void>;
  /** Cancels a live run of any instance. Returns false if there is no live run with this id. */
  cancel(caller: Caller, runId: string): Promise<boolean>;
  /** Waits for all pending writes. */
  close(): Promise<void>;
}
