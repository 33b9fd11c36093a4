// Records one call in the ledger. A stream that lasts longer than `beginMs` is written while it arrives; any other
// answer is written once, at its end. If a write fails, `record.onFailure` determines whether the call is refused, or
// served with an entry in the log.
import { assemble } from "../../assembly/index.ts";
import { messageFromResponse } from "../../ledger/index.ts";
import type { NewRecord, NewRun, RecordResult, Run } from "../../ledger/index.ts";
import type { Delta, Message, ProviderError, ModelResponse, StoredMessage } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { createOutcomeMetadata } from "./outcome-metadata.ts";
import { responseAlias } from "./run-aliases.ts";
import type { DescribedRequest, RecordingInput } from "./recording-input.ts";
import { moveToNewThread, type ThreadPosition } from "./thread-position.ts";
import { readItemIdsOfDeltas, readItemIds, isReferable, itemAliases } from "./item-references.ts";
import { isKeyClaimedError, isGoneError, isTakenOverError, toRecordError } from "./record-errors.ts";
import { DeltaWriter } from "./delta-writer.ts";
import type { RequestFacts } from "./request-facts.ts";
import { readRunMessages } from "./stored-answer.ts";
import type { RecordedAnswer, RecordedCall, Recording } from "./types.ts";
import { withTimeout } from "./with-timeout.ts";
import { retryIfUnknown } from "./retry-if-unknown.ts";

/** State and callbacks that all recordings of a recorder share. */
export interface RecordingContext {
  readonly onFailure: "refuse" | "serve";
  readonly maxWaitMs: number;
  /** The time in milliseconds after which an open stream is written while it arrives. */
  readonly beginMs: number;
  readonly requestFacts: RequestFacts;
  /** Returns true if the last write to the ledger succeeded. */
  isLedgerWritable(): boolean;
  /**
   * Adds `bytes`, which may be negative, to the unwritten bytes of all recordings. Returns false if the sum exceeds the
   * recorder's limit `maxPendingBytes`.
   */
  reserveBytes(bytes: number): boolean;
  /** Reports that a call could not be recorded, or could not be recorded in time. */
  reportFailure(recording: CallRecording, error: unknown): void;
  /** Reports that a call is written to a new thread, because its thread `from` was deleted. */
  reportMove(recording: CallRecording, from: string): void;
  /** Receives a recording whose last write has started. `over` resolves when it has ended, and never rejects. */
  trackEnd(recording: CallRecording, over: Promise<RecordEndState>): void;
}

/** The state in which a recording ended; "lost" means that the run could not be written. */
export type RecordEndState = "committed" | "failed" | "cancelled" | "lost";

type FailureOutcome = Omit<RecordedAnswer, "response" | "responseId">;
type WrittenMessages = Promise<readonly StoredMessage[]>;

/** The number of unwritten bytes above which a stream is written even before `beginMs` has passed. */
const LARGE_STREAM_BYTES = 65_536;

export class CallRecording implements Recording {
  threadId: string;
  readonly runId: string;
  readonly messages: readonly Message[];
  readonly isHistoryChanged: boolean;
  readonly earlierAnswer: ModelResponse | undefined = undefined;
  readonly call: RecordedCall;
  readonly input: RecordingInput;
  /** The id of the message that the answer follows; undefined until that message is written. */
  inputId: string | undefined;
  readonly #context: RecordingContext;
  readonly #deltaWriter: DeltaWriter;
  readonly #cancelling = new AbortController();
  /** The thread, parent message and new messages to write. Changes to a new thread if the thread was deleted. */
  #position: ThreadPosition;
  #described: Promise<DescribedRequest>;
  /** The target that `begin` received; undefined for a whole answer, for which `begin` is not called. */
  #firstTarget: { provider?: string; model?: string } | undefined;
  /** The timer that writes the run of a stream after `beginMs`. */
  #timer: NodeJS.Timeout | undefined;
  /** The provider's item ids of the answer; empty if the client cannot refer to items of the answer later. */
  #itemIds: string[] = [];
  #isCancelled = false;
  /** Resolves when the end of the call has been recorded; undefined until the call has ended. */
  #endPromise: Promise<void> | undefined;

  constructor(context: RecordingContext, input: RecordingInput) {
    const { position, runId, call } = input;
    this.#context = context;
    this.input = input;
    this.call = call;
    this.threadId = position.threadId;
    this.#position = position;
    this.#described = this.#describe();
    this.runId = runId;
    this.messages = position.messages;
    this.isHistoryChanged = position.isHistoryChanged;
    this.#deltaWriter = new DeltaWriter({
      reserveBytes: (bytes) => context.reserveBytes(bytes),
      onLost: (error) => this.#onLost(error),
    });
  }

  #describe(): Promise<DescribedRequest> {
    const described = this.input.describe(this.#position);
    // The error is ignored here, because the write of the run awaits the same promise and reports the error.
    described.catch(() => undefined);
    return described;
  }

  get cancelled(): AbortSignal {
    return this.#cancelling.signal;
  }

  begin(target: { provider?: string; model?: string }): void {
    if (this.#firstTarget !== undefined || this.#endPromise !== undefined) return;
    this.#firstTarget = target;
    if (this.input.mustBeVisible || this.#context.beginMs <= 0) void this.start();
    else this.#timer = setTimeout(() => void this.start(), this.#context.beginMs);
  }

  /** Writes the run now, so that other readers of the ledger can follow it. */
  start(): Promise<unknown> {
    clearTimeout(this.#timer);
    const starting = this.#deltaWriter.startRun(() => this.#beginRun());
    // The error is ignored here, because `#onLost` handles it.
    starting.catch(() => undefined);
    return starting;
  }

  async ready(): Promise<void> {
    if (this.#firstTarget === undefined || this.#context.onFailure === "serve") return;
    // A stream does not wait if the write of its run has not started and the last write to the ledger succeeded.
    if (this.#deltaWriter.starting === undefined && this.#context.isLedgerWritable()) return;
    await withTimeout(this.start(), this.#context.maxWaitMs);
  }

  /** Writes the run and waits for the write. Used before the first attempt if the last write to the ledger failed. */
  async writeFirst(): Promise<void> {
    await withTimeout(this.start(), this.#context.maxWaitMs);
  }

  push(deltas: readonly Delta[]): void {
    if (isReferable(this.call)) this.#itemIds.push(...readItemIdsOfDeltas(deltas));
    this.#deltaWriter.push(deltas);
    if (this.#deltaWriter.starting === undefined && this.#deltaWriter.unwrittenBytes > LARGE_STREAM_BYTES)
      void this.start();
  }

  finish(answer: RecordedAnswer): Promise<void> {
    const { starting } = this.#deltaWriter;
    const { response } = answer;
    if (response !== undefined && isReferable(this.call)) this.#itemIds = readItemIds(response.message);
    if (this.#isCancelled && starting !== undefined) return this.#endCancelled();
    this.#endPromise ??= this.#end(
      "committed",
      starting === undefined ? this.#record(answer) : this.#commit(starting, answer),
    );
    return this.#endPromise;
  }

  fail(error: ProviderError, outcome: FailureOutcome): Promise<void> {
    this.#writePartial();
    const { starting } = this.#deltaWriter;
    const work = (): WrittenMessages =>
      starting === undefined ? this.#recordFailure(error, outcome) : this.#failRun(starting, error, outcome);
    this.#endPromise ??= this.#end(this.#isCancelled ? "cancelled" : "failed", work());
    // An error of this write is ignored, because the caller already has an error to send to the client.
    return this.#endPromise.catch(() => undefined);
  }

  /** Ends the recording of a run that `cancel` has already ended: writes nothing, and throws "aborted". */
  async #endCancelled(): Promise<void> {
    this.#endPromise ??= this.#end("cancelled", Promise.resolve([]));
    await this.#endPromise.catch(() => undefined);
    throw createCancelledError();
  }

  /** Cancels the call. Returns false if the call has already ended. */
  async cancel(): Promise<boolean> {
    if (this.#endPromise !== undefined) return false;
    this.#isCancelled = true;
    this.#writePartial();
    const { starting } = this.#deltaWriter;
    // If the write of the run has started, the run is cancelled here. Otherwise the abort below makes the call fail,
    // and `fail` then writes the cancelled run.
    if (starting !== undefined) this.#endPromise = this.#end("cancelled", cancelRun(starting));
    this.#cancelling.abort(createCancelledError());
    await this.#endPromise;
    return true;
  }

  /** Writes the run if the call is an open stream, so that other readers of the ledger can follow it. */
  async writeNow(): Promise<void> {
    if (this.#firstTarget !== undefined && this.#endPromise === undefined) await this.start();
  }

  /**
   * True if the call is open and nothing was written to its run for `ms` milliseconds. Without a write, the recording
   * does not notice that another process has ended the run.
   */
  isSilent(ms: number): boolean {
    return this.#endPromise === undefined && this.#deltaWriter.isSilent(ms);
  }

  /** Stops the recording if another process has ended the run or has taken over its lease. */
  async checkOwnership(): Promise<void> {
    this.#deltaWriter.noteWrite();
    const { state, epoch } = await this.call.caller.ledger.run(this.runId);
    const isOurs = (state === "created" || state === "streaming") && epoch === this.#deltaWriter.run?.info.epoch;
    if (!isOurs && this.#endPromise === undefined) this.#deltaWriter.stop(createCancelledError());
  }

  // ---- Writing a stream while it arrives ----

  #beginRun(): Promise<Run> {
    return this.#retryInNewThread(() => this.#beginHere());
  }

  async #beginHere(): Promise<Run> {
    const { call, runId, key } = this.input;
    const { alias: _, ...common } = await this.#runFields(undefined, { ...this.#firstTarget });
    const begin: NewRun = { ...common, id: runId, threadId: this.threadId };
    if (key !== undefined) begin.claim = key.alias;
    const run = await call.caller.ledger.beginRun(begin);
    this.inputId = run.info.forkFromMessageId ?? undefined;
    return run;
  }

  /** Starts the write of the run if deltas are buffered, so that the partial answer of the stream is stored. */
  #writePartial(): void {
    if (this.#endPromise === undefined && this.#deltaWriter.buffered.length > 0) void this.start();
  }

  #onLost(error: unknown): void {
    // If another instance has claimed the idempotency key, `Recorder.open` waits for its call; nothing is reported.
    if (isKeyClaimedError(error)) return;
    if (isTakenOverError(error) || isCancelError(error)) {
      this.#isCancelled = true;
      this.#cancelling.abort(createCancelledError());
    } else {
      this.#context.reportFailure(this, error);
      if (this.#context.onFailure === "refuse") this.#cancelling.abort(toRecordError(error));
    }
  }

  async #commit(starting: Promise<Run>, answer: RecordedAnswer): WrittenMessages {
    const run = await starting;
    const { failure: missing } = this.#deltaWriter;
    if (missing !== undefined) {
      // Some deltas of the stream could not be written, so the run is ended as failed with the deltas that it has. An
      // error of `run.fail` is ignored, because the error of the missing deltas is thrown.
      run.fail(missing.error).catch(() => undefined);
      throw missing.error;
    }
    const { response, provider, responseId } = answer;
    const messages = response === undefined ? undefined : [messageFromResponse(response, provider)];
    // When its write started, the run got the provider of the first target as metadata. If a fallback has streamed the
    // answer, the provider of the fallback replaces it.
    if (messages === undefined && provider !== run.info.metadata?.["provider"]) await run.mergeMetadata({ provider });
    const options = { metadata: createOutcomeMetadata(answer), ...this.#aliases(responseId) };
    return (await retryIfUnknown(() => run.commit(messages, options))).messages;
  }

  async #failRun(starting: Promise<Run>, error: ProviderError, outcome: FailureOutcome): WrittenMessages {
    const run = await starting;
    if (isTakenOverError(this.#deltaWriter.failure?.error)) return [];
    // An error of this write is ignored, because the run must be ended even if its metadata cannot be written.
    await run.mergeMetadata(createOutcomeMetadata(outcome)).catch(() => undefined);
    const { messages } = await (this.#isCancelled ? run.cancel() : run.fail(error));
    return messages;
  }

  // ---- Writing an answer once, at its end ----

  async #record(answer: RecordedAnswer): WrittenMessages {
    if (this.#deltaWriter.failure !== undefined) throw this.#deltaWriter.failure.error;
    const { provider, responseId } = answer;
    const response = answer.response ?? answer.streamed ?? this.#assembled();
    const messages = response === undefined ? [] : [messageFromResponse(response, provider)];
    return this.#retryInNewThread(async () =>
      this.#write({ messages, ...(await this.#runFields(responseId, createOutcomeMetadata(answer))) }),
    );
  }

  /** Assembles a stream that ended before the write of its run started; returns undefined for a whole answer. */
  #assembled(): ModelResponse | undefined {
    return this.#firstTarget === undefined ? undefined : assemble(this.#deltaWriter.buffered.flat());
  }

  async #recordFailure(error: ProviderError, outcome: FailureOutcome): WrittenMessages {
    const end = this.#isCancelled ? { state: "cancelled" as const } : { state: "failed" as const, error };
    return this.#retryInNewThread(async () =>
      this.#write({ messages: [], ...end, ...(await this.#runFields(undefined, createOutcomeMetadata(outcome))) }),
    );
  }

  async #write(record: NewRecord): WrittenMessages {
    const { threadId, runId } = this;
    const { ledger } = this.call.caller;
    const { input, messages } = await retryIfUnknown<Pick<RecordResult, "input" | "messages">>(
      () => ledger.record({ ...record, threadId, runId }),
      // Called if it is unknown whether the write succeeded: if the run exists, it did; otherwise `ledger.run` throws.
      async () => ({ input: [], messages: await readRunMessages(ledger, await ledger.run(runId)) }),
    );
    this.inputId = input.at(-1)?.id ?? this.#position.parentMessageId ?? undefined;
    return messages;
  }

  // ---- Shared by both ways of writing ----

  /** Runs `write`, and runs it again in a new thread if the call's thread was deleted in the meantime. */
  async #retryInNewThread<Value>(write: () => Promise<Value>): Promise<Value> {
    try {
      return await write();
    } catch (error) {
      if (!this.#moveIfGone(error)) throw error;
      return write();
    }
  }

  /**
   * Moves the call to a new thread if the error shows that the call's thread was deleted; returns false otherwise. Only
   * the first write can fail in this way, because a thread with a live run cannot be deleted.
   */
  #moveIfGone(error: unknown): boolean {
    const { threadId: from } = this;
    const position = this.#position;
    if (!isGoneError(error) || position.thread !== undefined) return false;
    this.#position = moveToNewThread(this.call, position);
    this.threadId = this.#position.threadId;
    this.#described = this.#describe();
    this.#context.reportMove(this, from);
    return true;
  }

  /** Returns the fields of the new run: its position, input, aliases and metadata. */
  async #runFields(
    responseId: string | undefined,
    outcome: Record<string, unknown>,
  ): Promise<Pick<NewRun, "thread" | "input" | "forkFromMessageId" | "metadata" | "alias">> {
    const { call, key } = this.input;
    const { thread, input, parentMessageId } = this.#position;
    const { runFields } = await this.#described;
    const metadata: Record<string, unknown> = { dialect: call.dialect, ...runFields, ...outcome };
    if (call.userAgent !== undefined) metadata["userAgent"] = call.userAgent;
    if (call.previousResponse !== undefined) metadata["previousResponseId"] = call.previousResponse;
    if (key !== undefined) metadata["requestHash"] = key.hash;
    const after =
      input.length === 0 ? { forkFromMessageId: parentMessageId } : { input: { messages: input, parentMessageId } };
    return { ...(thread && { thread }), ...after, ...this.#aliases(responseId), metadata };
  }

  /** Returns the aliases of the run: those of the response id, of the answer's items, and of the idempotency key. */
  #aliases(responseId: string | undefined): { alias: string[] } {
    const { call, key } = this.input;
    const alias: string[] = [];
    if (responseId !== undefined && responseId !== "" && isReferable(call)) {
      const { caller } = call;
      alias.push(responseAlias(caller, responseId), ...itemAliases(caller, responseId, this.#itemIds));
    }
    if (key !== undefined) alias.push(key.alias);
    return { alias };
  }

  async #end(state: RecordEndState, writing: WrittenMessages): Promise<void> {
    clearTimeout(this.#timer);
    this.#deltaWriter.end();
    const written = writing.then(async (messages) => {
      const { knownFields } = await this.#described;
      const last = messages.at(-1);
      if (last !== undefined) this.#context.requestFacts.remember(this.call.caller.ledger, last.id, knownFields);
    });
    const over = written.then(
      () => state,
      () => "lost" as const,
    );
    this.#context.trackEnd(
      this,
      over.finally(() => {
        this.#deltaWriter.release();
        this.input.key?.release();
      }),
    );
    try {
      await withTimeout(written, this.#context.maxWaitMs);
    } catch (error) {
      const refusal = toRecordError(error);
      const isKnown = this.#deltaWriter.failure !== undefined || refusal.code === "aborted";
      if (!isKnown) this.#context.reportFailure(this, error);
      if (this.#context.onFailure === "refuse" || refusal.code === "aborted") throw refusal;
    }
  }
}

async function cancelRun(starting: Promise<Run>): WrittenMessages {
  const run = await starting;
  return (await run.cancel()).messages;
}

function createCancelledError(): ServerError {
  return new ServerError("aborted", "The run was cancelled.");
}

function isCancelError(error: unknown): boolean {
  return error instanceof ServerError && error.code === "aborted";
}
