// The border between whoever serves calls and whoever records them.
import type { Attempt } from "../../client/index.ts";
import type { Delta, Loss, Message, ProviderError, ModelRequest, Response } from "../../model/index.ts";
import type { Caller } from "../types.ts";

/** A call that is to be recorded. */
export interface RecordedCall {
  caller: Caller;
  /** As the client said it, decoded. */
  request: ModelRequest;
  /** The dialect that the client speaks. */
  dialect: string;
  /** `x-koine-thread`: the thread to go on with; one that is not there is made under this id. */
  thread?: string | undefined;
  /** The message of `thread` that the answer follows: the request's messages are its path, and nothing is recognised. */
  after?: string | undefined;
  /** `previous_response_id`: the answer that the messages follow. Unknown: a ServerError "not-found". */
  previousResponse?: string | undefined;
  /** `idempotency-key`. */
  idempotencyKey?: string | undefined;
  /** Whether the client wants to refer to the answer later (Responses: `store` is not false). */
  referable?: boolean | undefined;
  /** The client's `user-agent`, for people who look at the record. */
  userAgent?: string | undefined;
}

/** How a call ended well. */
export interface RecordedAnswer {
  /** The whole answer. Streams need not give it: their deltas came to it. */
  response?: Response | undefined;
  /** What the deltas of a stream came to, where it is known: it need not be put together again. */
  streamed?: Response | undefined;
  provider: string;
  model: string;
  attempts: readonly Attempt[];
  /** Of the request at the provider, and of the answer at the client. */
  losses: readonly Loss[];
  /** The ids under which the client knows the answer. */
  responseId?: string | undefined;
}

/**
 * One call on its way into the ledger. Nothing here waits for the disk but `ready` and the endings, and nothing but those
 * and `Recorder.open` throws.
 */
export interface Recording {
  /** Known from the start, for headers; written later. */
  readonly threadId: string;
  readonly runId: string;
  /** The whole history, with what the client dropped restored (B11), and what a previous response stands for. */
  readonly messages: readonly Message[];
  /** Whether that is other than what the client sent: its bytes cannot be passed on then. */
  readonly changed: boolean;
  /** A call with the same idempotency key that was answered before: it is answered from the record, and nothing is asked. */
  readonly earlier: Response | undefined;
  /**
   * Aborted when somebody cancels the run, or where it cannot be recorded any more and such calls are refused: the
   * upstream call ends. The reason is a ServerError, "aborted" or "unavailable".
   */
  readonly cancelled: AbortSignal;
  /** A stream begins: thread, input and run are written behind, and readers elsewhere can follow. Whole calls need it not. */
  begin(facts: { provider: string; model: string }): void;
  /**
   * Before the first byte goes out. Rejects with "unavailable" where runs could not be written the last time, this one
   * cannot be either, and such calls are refused. As long as the ledger works, nobody waits for it here.
   */
  ready(): Promise<void>;
  push(deltas: readonly Delta[]): void;
  /** Resolves when all of it is durable, or the longest wait is over; rejects as `ready`. */
  finish(answer: RecordedAnswer): Promise<void>;
  /** What had arrived is kept, marked interrupted. */
  fail(error: ProviderError, facts: Omit<RecordedAnswer, "response" | "responseId">): Promise<void>;
}

export interface Recorder {
  /** Recognises the history; reads only. undefined: the call is not recorded (by the configuration's policy "serve"). */
  open(call: RecordedCall): Promise<Recording | undefined>;
  /**
   * The whole history of a call that goes on from `previousResponse` and is not recorded itself: reads only. undefined:
   * no such answer is known here.
   */
  resolve?(call: RecordedCall): Promise<readonly Message[] | undefined>;
  /**
   * Streams are written a moment after they began, or at their end if that comes first: those of this thread, or the one
   * of this run, that are under way here are written now, so that whoever reads the ledger next finds them.
   */
  reveal(caller: Caller, threadOrRunId: string): Promise<void>;
  /** Ends a live run, wherever it runs; false where none of that id is alive. */
  cancel(caller: Caller, runId: string): Promise<boolean>;
  /** Waits for everything that is being written. */
  close(): Promise<void>;
}
