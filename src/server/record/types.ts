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
  /** `x-koine-thread`: the thread to continue; created with this id if it does not exist. */
  thread?: string | undefined;
  /** The message of `thread` that the answer follows. The request's messages are its path, so no history is matched. */
  after?: string | undefined;
  /** `previous_response_id`: the answer that the messages follow. An unknown one is a ServerError "not-found". */
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
  /** The whole answer; undefined for streams, whose deltas were pushed. */
  response?: ModelResponse | undefined;
  /** The assembled answer of a stream, if known, so that it is not assembled again. */
  streamed?: ModelResponse | undefined;
  provider: string;
  model: string;
  attempts: readonly Attempt[];
  /** Losses of the request at the provider, and of the answer at the client. */
  losses: readonly Loss[];
  /** The id of the answer at the client. */
  responseId?: string | undefined;
}

/**
 * The recording of one call. Only `ready`, `finish` and `fail` wait for the disk; only those and `Recorder.open` throw.
 */
export interface Recording {
  /** Known from the start, for headers; written later. */
  readonly threadId: string;
  readonly runId: string;
  /** The whole history, with dropped parts restored (B11) and `previous_response_id` resolved. */
  readonly messages: readonly Message[];
  /** True if the history differs from the client's, so that its body cannot be forwarded. */
  readonly isHistoryChanged: boolean;
  /** The answer of an earlier call with the same idempotency key; the call is answered with it and not sent. */
  readonly earlierAnswer: ModelResponse | undefined;
  /**
   * Aborted when the run is cancelled, or cannot be recorded and the policy is "refuse". The reason is a ServerError,
   * "aborted" or "unavailable".
   */
  readonly cancelled: AbortSignal;
  /**
   * Starts a stream: thread, input and run are written in the background, so that other readers can follow. Not needed
   * for whole answers.
   */
  begin(target: { provider: string; model: string }): void;
  /**
   * Call it before the first byte is sent. Rejects with "unavailable" if the last write failed, this run cannot be
   * written either, and the policy is "refuse". It does not wait while the ledger is writable.
   */
  ready(): Promise<void>;
  push(deltas: readonly Delta[]): void;
  /** Resolves when the answer is durable, or after the longest wait; rejects like `ready`. */
  finish(answer: RecordedAnswer): Promise<void>;
  /** Stores the partial answer, marked interrupted. */
  fail(error: ProviderError, outcome: Omit<RecordedAnswer, "response" | "responseId">): Promise<void>;
}

export interface Recorder {
  /** Finds the position of a call; only reads. undefined: the call is not recorded, because of the policy "serve". */
  open(call: RecordedCall): Promise<Recording | undefined>;
  /**
   * Returns the whole history of an unrecorded call with `previousResponse`; only reads. undefined: the response is
   * unknown.
   */
  resolveHistory?(call: RecordedCall): Promise<readonly Message[] | undefined>;
  /**
   * Writes the open streams of a thread, or of one run, now. Streams are otherwise written shortly after their start or
   * at their end; readers of the ledger call this first.
   */
  writePendingRuns(caller: Caller, threadOrRunId: string): Promise<void>;
  /** Cancels a live run of any instance; false if no such run is live. */
  cancel(caller: Caller, runId: string): Promise<boolean>;
  /** Waits for all pending writes. */
  close(): Promise<void>;
}
