// Opens recordings: finds the position of a call in a thread, or the answer of an earlier call with the same
// idempotency key. Also tracks the open recordings.
import { toHistory } from "../../ledger/identity/history-turns.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import type { Message, ModelResponse } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import type { Counter } from "../operations/metrics.ts";
import type { Caller, Services } from "../types.ts";
import { IdempotencyKeys, type EarlierAnswer, type ReservedKey } from "./idempotency-keys.ts";
import { PlainThreads } from "./plain-threads.ts";
import { LruMap } from "./lru-map.ts";
import { findThreadPosition, type ThreadPosition } from "./thread-position.ts";
import type { RecordingInput } from "./recording-input.ts";
import { type RecordingContext, CallRecording, type RecordEndState } from "./call-recording.ts";
import { resolveItemReferences } from "./item-references.ts";
import { isKeyClaimedError, isGoneError, isCallError, isTakenOverError, toRecordError } from "./record-errors.ts";
import { leadingInstructions, RequestFacts } from "./request-facts.ts";
import { checkSettings } from "./check-settings.ts";
import type { RecordedCall, Recorder, Recording } from "./types.ts";

export interface RecorderOptions {
  /** The maximum number of unwritten bytes of deltas, for all calls together. Default: 64 MiB. */
  maxPendingBytes?: number;
  /**
   * The interval in milliseconds at which a run without new deltas is checked, because another process may have ended
   * the run. Default: 3000.
   */
  checkIntervalMs?: number;
}

/** The maximum number of remembered first questions (histories without an answer) whose call failed. */
const MAX_UNANSWERED = 1000;
/**
 * The labels of the counter of recorded calls, by state. The label objects are constants, because a counter finds the
 * series of its labels by object identity.
 */
const STATE_LABELS: Readonly<Record<RecordEndState, { state: RecordEndState }>> = {
  committed: { state: "committed" },
  failed: { state: "failed" },
  cancelled: { state: "cancelled" },
  lost: { state: "lost" },
};

export function createRecorder(services: Services, options: RecorderOptions = {}): Recorder {
  return new LedgerRecorder(services, options);
}

class LedgerRecorder implements Recorder {
  readonly #services: Services;
  readonly #options: Required<RecorderOptions>;
  readonly #context: RecordingContext;
  readonly #keys: IdempotencyKeys;
  readonly #recordedCounter: Counter;
  readonly #failureCounter: Counter;
  readonly #requestFacts = new RequestFacts();
  readonly #plainThreads = new PlainThreads();
  /** The open recordings, by tenant and run id. */
  readonly #recordings = new Map<string, CallRecording>();
  readonly #finalWrites = new Set<Promise<unknown>>();
  /**
   * The positions of first questions (histories without an answer) whose call failed. If a client repeats the question,
   * the call continues the same thread.
   */
  readonly #unansweredQuestions = new LruMap<string, Pick<ThreadPosition, "threadId" | "parentMessageId">>(
    MAX_UNANSWERED,
  );
  #pendingBytes = 0;
  /** True if the last write to the ledger succeeded. */
  #isLedgerWritable = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(services: Services, { maxPendingBytes = 64 * 1024 * 1024, checkIntervalMs = 3000 }: RecorderOptions) {
    this.#services = services;
    this.#options = { maxPendingBytes, checkIntervalMs };
    this.#keys = new IdempotencyKeys(services.stopping);
    this.#recordedCounter = services.metrics.counter(
      "koine_recorded_calls_total",
      "Recorded calls by the end of their record.",
    );
    this.#failureCounter = services.metrics.counter("koine_record_failures_total", "Calls that could not be recorded.");
    this.#context = this.#createContext();
  }

  async open(call: RecordedCall): Promise<Recording | undefined> {
    let reservedKey: ReservedKey | undefined;
    try {
      if (call.idempotencyKey !== undefined) {
        const reservation = await this.#keys.reserve(call, call.idempotencyKey);
        if ("response" in reservation) return new ReplayedRecording(call, reservation);
        reservedKey = reservation;
      }
      checkSettings(call);
      const resolvedCall = await resolveItemReferences(call);
      const located =
        (await this.#findUnanswered(resolvedCall)) ?? (await findThreadPosition(resolvedCall, this.#plainThreads));
      const position = resolvedCall === call ? located : { ...located, isHistoryChanged: true };
      const recording = this.#createRecording(resolvedCall, position, reservedKey);
      // The run is written before the first attempt in two cases: with an idempotency key on a shared ledger, where the
      // second of two instances with the same key fails here; and, if `record.onFailure` is "refuse", after a failed
      // write to the ledger.
      if (recording.input.mustBeVisible) await this.#writeVisible(recording);
      else if (!this.#isLedgerWritable && this.#context.onFailure === "refuse") await this.#writeBeforeCall(recording);
      return recording;
    } catch (error) {
      reservedKey?.release();
      if (isKeyClaimedError(error)) return this.open(call);
      return this.#handleOpenError(call, error);
    }
  }

  async resolveHistory(call: RecordedCall): Promise<readonly Message[] | undefined> {
    try {
      return (await findThreadPosition(await resolveItemReferences(call), this.#plainThreads)).messages;
    } catch (error) {
      // A response that the ledger does not have is not an error, because the provider may have stored it.
      if (error instanceof ServerError && error.code === "not-found") return undefined;
      throw toRecordError(error);
    }
  }

  async cancel({ ledger, tenant }: Caller, runId: string): Promise<boolean> {
    const local = this.#recordings.get(`${tenant} ${runId}`);
    if (local !== undefined) return local.cancel();
    try {
      const info = await ledger.run(runId);
      if (info.metadata?.["agent"] === true) {
        const message = `Run ${runId} is a step of a task: cancel the task instead.`;
        throw new ServerError("conflict", message, { path: "id" });
      }
      const run = await ledger.resumeRun(runId, { force: true });
      await run.cancel();
      return true;
    } catch (error) {
      if (isTakenOverError(error) || (error instanceof LedgerError && error.code === "unknown-run")) return false;
      throw toRecordError(error);
    }
  }

  async writePendingRuns({ tenant }: Caller, id: string): Promise<void> {
    const writes: Promise<void>[] = [];
    for (const recording of this.#recordings.values()) {
      const { call, threadId, runId } = recording;
      if ((runId === id || threadId === id) && call.caller.tenant === tenant) writes.push(recording.writeNow());
    }
    // Errors are ignored, because the recordings report them. A caller that then reads such a run from the ledger finds
    // that it does not exist.
    await Promise.allSettled(writes);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    while (this.#finalWrites.size > 0) await Promise.allSettled(this.#finalWrites);
  }

  #createRecording(call: RecordedCall, position: ThreadPosition, key: ReservedKey | undefined): CallRecording {
    const { ledger, tenant } = call.caller;
    const { request } = call;
    const runId = ledger.newId();
    const describe: RecordingInput["describe"] = ({ threadId, thread, parentMessageId, messages }) => {
      const isNew = thread !== undefined;
      const leading = leadingInstructions(messages);
      return this.#requestFacts.describe({ ledger, runId, threadId, isNew, parentMessageId, request, leading });
    };
    // Other instances must see a call with an idempotency key, so that they do not call the model again for the same
    // key.
    const mustBeVisible = key !== undefined && this.#isSharedLedger;
    const input: RecordingInput = { call, position, runId, key, mustBeVisible, describe };
    const recording = new CallRecording(this.#context, input);
    this.#recordings.set(`${tenant} ${runId}`, recording);
    this.#timer ??= setInterval(() => this.#checkSilentRuns(), this.#options.checkIntervalMs).unref();
    return recording;
  }

  /** Checks the streams without recent writes, because only a write notices that another process cancelled the run. */
  #checkSilentRuns(): void {
    for (const recording of this.#recordings.values()) {
      // An error is ignored, because the run is checked again at the next interval.
      if (recording.isSilent(this.#options.checkIntervalMs)) recording.checkOwnership().catch(() => undefined);
    }
  }

  /**
   * Returns the position of a first question (a history without an answer) whose earlier call failed; undefined if no
   * earlier call with this question failed.
   */
  async #findUnanswered(call: RecordedCall): Promise<ThreadPosition | undefined> {
    const { caller, request, thread, previousResponse } = call;
    const isOther = thread !== undefined || previousResponse !== undefined || this.#unansweredQuestions.size === 0;
    if (isOther || request.messages.some(({ role }) => role === "assistant")) return undefined;
    const position = this.#unansweredQuestions.take(createQuestionKey(caller, request.messages));
    // The thread may have been deleted after the earlier call.
    if (position === undefined || !(await threadExists(caller.ledger, position.threadId))) return undefined;
    return { ...position, input: [], messages: request.messages, isHistoryChanged: false };
  }

  #rememberUnanswered({ call, input, inputId }: CallRecording): void {
    const { thread, messages } = input.position;
    if (inputId === undefined || thread === undefined || call.thread !== undefined) return;
    if (messages.some(({ role }) => role === "assistant")) return;
    const position = { threadId: input.position.threadId, parentMessageId: inputId };
    this.#unansweredQuestions.set(createQuestionKey(call.caller, messages), position);
  }

  async #writeVisible(recording: CallRecording): Promise<void> {
    try {
      await recording.start();
    } catch (error) {
      this.#recordings.delete(`${recording.call.caller.tenant} ${recording.runId}`);
      throw error;
    }
  }

  /**
   * Writes the run before the provider is called. Used while the ledger is not writable, so that the provider is not
   * paid for an answer that cannot be recorded.
   */
  async #writeBeforeCall(recording: CallRecording): Promise<void> {
    try {
      await recording.writeFirst();
      this.#isLedgerWritable = true;
    } catch (error) {
      const { message } = toRecordError(error);
      // The write may still succeed after the timeout, so the run is ended as failed.
      void recording.fail({ kind: "overloaded", message }, { provider: "", model: "", attempts: [], losses: [] });
      throw error;
    }
  }

  /** True if several processes can use the same ledger. */
  get #isSharedLedger(): boolean {
    return /^postgres(?:ql)?:/.test(this.#services.config.ledger.url);
  }

  #handleOpenError({ previousResponse, idempotencyKey }: RecordedCall, error: unknown): undefined {
    const { onFailure } = this.#services.config.record;
    const refusal = toRecordError(error);
    // A previous response and an idempotency key need the ledger even if `record.onFailure` is "serve".
    const needsLedger = previousResponse !== undefined || idempotencyKey !== undefined;
    if (error instanceof ServerError || onFailure === "refuse" || needsLedger) {
      // An error that the call itself causes, such as invalid input, does not count as a failure of the recorder.
      // Neither does a `ServerError`, because the call caused it or `#writeBeforeCall` has already reported it.
      if (!isCallError(error) && !(error instanceof ServerError)) this.#countFailure(error);
      throw refusal;
    }
    this.#countFailure(error);
    this.#services.log.error("record.skipped", { reason: "open" }, error);
    return undefined;
  }

  #createContext(): RecordingContext {
    const { onFailure, maxWaitMs } = this.#services.config.record;
    return {
      onFailure,
      maxWaitMs,
      beginMs: this.#services.config.ledger.flushMs,
      requestFacts: this.#requestFacts,
      isLedgerWritable: () => this.#isLedgerWritable,
      reserveBytes: (bytes) => {
        this.#pendingBytes += bytes;
        return this.#pendingBytes <= this.#options.maxPendingBytes;
      },
      reportFailure: ({ threadId, runId }, error) => {
        this.#countFailure(error);
        if (!isCallError(error)) this.#isLedgerWritable = false;
        this.#services.log.error("record.failed", { threadId, runId, policy: onFailure }, error);
      },
      reportMove: ({ threadId, runId }, from) => this.#services.log.warn("record.moved", { from, threadId, runId }),
      trackEnd: (recording, over) => this.#trackEnd(recording, over),
    };
  }

  #trackEnd(recording: CallRecording, over: Promise<RecordEndState>): void {
    const { call, runId } = recording;
    const work = over.then((state) => {
      this.#finalWrites.delete(work);
      if (state === "committed" || state === "failed") this.#isLedgerWritable = true;
      this.#recordings.delete(`${call.caller.tenant} ${runId}`);
      this.#recordedCounter.add(1, STATE_LABELS[state]);
      if (state === "failed") this.#rememberUnanswered(recording);
      // A new thread is remembered as plain, that is, not a task's. A thread whose id the client sent is not
      // remembered, because a deleted task may have had this id.
      if (state === "committed" && recording.input.position.thread !== undefined && call.thread === undefined) {
        this.#plainThreads.addPlain(call.caller.ledger, recording.threadId);
      }
    });
    this.#finalWrites.add(work);
  }

  #countFailure(error: unknown): void {
    const code = error instanceof LedgerError || error instanceof ServerError ? error.code : "unknown";
    this.#failureCounter.add(1, { code });
  }
}

async function threadExists(ledger: Ledger, threadId: string): Promise<boolean> {
  try {
    await ledger.thread(threadId);
    return true;
  } catch (error) {
    if (isGoneError(error)) return false;
    throw error;
  }
}

/**
 * Returns the key under which a first question (a history without an answer) is remembered: tenant, scope and the
 * digest of the last turn.
 */
function createQuestionKey({ tenant, scope }: Caller, messages: readonly Message[]): string {
  return JSON.stringify([tenant, scope, toHistory(messages).turns.at(-1)?.digest ?? ""]);
}

const NEVER_ABORTED = new AbortController().signal;

/** The recording of a call whose stored answer is replayed. It writes nothing. */
class ReplayedRecording implements Recording {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly Message[];
  readonly isHistoryChanged = false;
  readonly earlierAnswer: ModelResponse;
  readonly cancelled = NEVER_ABORTED;

  constructor({ request }: RecordedCall, { run, response }: EarlierAnswer) {
    this.threadId = run.threadId;
    this.runId = run.id;
    this.messages = request.messages;
    this.earlierAnswer = response;
  }

  begin(): void {}
  async ready(): Promise<void> {}
  push(): void {}
  async finish(): Promise<void> {}
  async fail(): Promise<void> {}
}
