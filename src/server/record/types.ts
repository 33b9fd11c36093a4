// Defines the interfaces between the gateway and the recorder.
import type { Attempt } from "../../client/index.ts";
import type { Delta, Loss, Message, ProviderError, ModelRequest, ModelResponse } from "../../model/index.ts";
import type { Caller } from "../types.ts";

/** A call to record. */
export interface RecordedCall {
  caller: Caller;
  /** The decoded request of the client. */
  request: ModelRequest;
  /** The client's dialect. */
  dialect: string;
  /** The id of the thread to continue, from the header `x-koine-thread`. An unknown thread is created. */
  thread?: string | undefined;
  /**
   * The id of the message of `thread` that the answer follows. The messages of the request must be the path to this
   * message, because they are not compared with the thread.
   */
  after?: string | undefined;
  /**
   * The `previous_response_id` of the request: the id of the answer that the messages follow. `Recorder.open` throws "not-found" for an
   * unknown id.
   */
  previousResponse?: string | undefined;
  /** The value of the `idempotency-key` header. */
  idempotencyKey?: string | undefined;
  /** False if the client cannot refer to the answer later (Responses: `store` is false). */
  referable?: boolean | undefined;
  /** The client's `user-agent`, which is stored with the run for people who inspect it. */
  userAgent?: string | undefined;
}

/** A complete answer to record. */
export interface RecordedAnswer {
  /** The whole answer; undefined for a stream, whose deltas were passed to `push`. */
  response?: ModelResponse | undefined;
  /** The assembled answer of a stream; undefined if the recorder must assemble it from the deltas. */
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
  /** The thread id. It is known before the thread is written, because a reply header contains it. */
  readonly threadId: string;
  /** The run id. It is known before the run is written, because a reply header contains it. */
  readonly runId: string;
  /** The whole history, with dropped parts restored (B11) and `previous_response_id` resolved. */
  readonly messages: readonly Message[];
  /** True if the history differs from the client's history, so that the client's body cannot be forwarded. */
  readonly isHistoryChanged: boolean;
  /**
   * The answer of an earlier call with the same idempotency key, which is replayed instead of calling a provider.
   * Undefined if there is no earlier call.
   */
  readonly earlierAnswer: ModelResponse | undefined;
  /**
   * The signal that is aborted when the run is cancelled, or when it cannot be recorded and `record.onFailure` is
   * "refuse". The reason of the signal is a `ServerError`, usually "aborted" or "unavailable".
   */
  readonly cancelled: AbortSignal;
  /**
   * Starts the recording of a stream: thread, input and run are written in the background, so that other readers can
   * follow the stream. Must not be called for a whole answer.
   */
  begin(target: { provider: string; model: string }): void;
  /**
   * Waits until a stream may be sent; must be called before its first byte is sent. Resolves at once if
   * `record.onFailure` is "serve", or if the last write to the ledger succeeded and the write of this run has not
   * started. Otherwise waits for the write of the run, and rejects if it fails.
   */
  ready(): Promise<void>;
  push(deltas: readonly Delta[]): void;
  /**
   * Records the answer and resolves when the answer is durable. If the write fails or takes longer than `maxWaitMs`,
   * rejects if `record.onFailure` is "refuse", and otherwise resolves. Rejects with "aborted" if the run was cancelled.
   */
  finish(answer: RecordedAnswer): Promise<void>;
  /** Records the error and the partial answer of a stream. The partial answer is marked as interrupted. */
  fail(error: ProviderError, outcome: Omit<RecordedAnswer, "response" | "responseId">): Promise<void>;
}

export interface Recorder {
  /**
   * Opens the recording of a call. Returns undefined if the call cannot be recorded and `record.onFailure` is "serve".
   */
  open(call: RecordedCall): Promise<Recording | undefined>;
  /**
   * Returns the whole history of an unrecorded call with `previousResponse`; undefined if the response is unknown.
   * Writes nothing.
   */
  resolveHistory?(call: RecordedCall): Promise<readonly Message[] | undefined>;
  /**
   * Writes the runs of open streams with this thread id or run id. Must be called before the ledger is read for a
   * client, because a stream is otherwise written only some time after its start.
   */
  writePendingRuns(caller: Caller, threadOrRunId: string): Promise<void>;
  /** Cancels a live run of any instance. Returns false if there is no live run with this id. */
  cancel(caller: Caller, runId: string): Promise<boolean>;
  /** Waits for all pending writes. */
  close(): Promise<void>;
}
