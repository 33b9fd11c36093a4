// One call on its way into the ledger: a stream that takes its time is written as it comes, everything else in one write
// at its end. What cannot be written is refused, or served and reported, as the configuration says.
import { assemble } from "../../assembly/index.ts";
import { answerMessage } from "../../ledger/index.ts";
import type { NewRecord, NewRun, RecordResult, Run } from "../../ledger/index.ts";
import type { Delta, Message, ProviderError, Response, StoredMessage } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { outcomeFacts } from "./facts.ts";
import { responseAlias } from "./names.ts";
import type { Described, RecordingInput } from "./opened.ts";
import { moveToNewThread, type ThreadPosition } from "./place.ts";
import { idsIn, idsOf, isReferable, itemAliases } from "./references.ts";
import { isClaimed, isGone, isTaken, refusalOf } from "./refusal.ts";
import { RunFeed } from "./run-feed.ts";
import type { RequestFacts } from "./said.ts";
import { messagesOf } from "./stored-answer.ts";
import type { RecordedAnswer, RecordedCall, Recording } from "./types.ts";
import { withTimeout, retryIfUnknown } from "./waiting.ts";

/** What recordings share. */
export interface RecordingContext {
  readonly onFailure: "refuse" | "serve";
  readonly maxWaitMs: number;
  /** How long a stream may last without being written before its end. */
  readonly beginMs: number;
  readonly sayings: RequestFacts;
  /** Whether the last write went well, as far as is known. */
  isSound(): boolean;
  /** Takes so many more bytes that wait to be written, or fewer; false where there is no room. */
  hold(bytes: number): boolean;
  /** A call could not be recorded, or not in time. */
  report(recording: CallRecording, error: unknown): void;
  /** The thread that a call belongs to was deleted, and the call is written elsewhere. */
  moved(recording: CallRecording, from: string): void;
  /** The last write has begun: the promise never rejects, and tells how the call ended in the record. */
  ending(recording: CallRecording, over: Promise<EndState>): void;
}

/** "lost": it could not be written. */
export type EndState = "committed" | "failed" | "cancelled" | "lost";

type Facts = Omit<RecordedAnswer, "response" | "responseId">;
type Written = Promise<readonly StoredMessage[]>;

/** Bytes of a stream that are written whether it has lasted long or not. */
const LARGE = 65_536;

export class CallRecording implements Recording {
  threadId: string;
  readonly runId: string;
  readonly messages: readonly Message[];
  readonly changed: boolean;
  readonly earlier: Response | undefined = undefined;
  readonly call: RecordedCall;
  readonly opened: RecordingInput;
  /** The message that the answer follows, once it is written. */
  inputId: string | undefined;
  readonly #book: RecordingContext;
  readonly #feed: RunFeed;
  readonly #cancelling = new AbortController();
  /** Where it is written. */
  #place: ThreadPosition;
  #described: Promise<Described>;
  /** Who was asked, where it is a stream. */
  #asked: { provider?: string; model?: string } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** As the provider named the items of the answer, where the client may name them later. */
  #itemIds: string[] = [];
  #isCancelled = false;
  #ending: Promise<void> | undefined;

  constructor(book: RecordingContext, opened: RecordingInput) {
    const { place, runId, call } = opened;
    this.#book = book;
    this.opened = opened;
    this.call = call;
    this.threadId = place.threadId;
    this.#place = place;
    this.#described = this.#describe();
    this.runId = runId;
    this.messages = place.messages;
    this.changed = place.changed;
    this.#feed = new RunFeed({ hold: (bytes) => book.hold(bytes), lost: (error) => this.#onLost(error) });
  }

  #describe(): Promise<Described> {
    const described = this.opened.describe(this.#place);
    // Whoever writes the run hears of it.
    described.catch(() => undefined);
    return described;
  }

  get cancelled(): AbortSignal {
    return this.#cancelling.signal;
  }

  begin(facts: { provider?: string; model?: string }): void {
    if (this.#asked !== undefined || this.#ending !== undefined) return;
    this.#asked = facts;
    if (this.opened.isShown || this.#book.beginMs <= 0) void this.start();
    else this.#timer = setTimeout(() => void this.start(), this.#book.beginMs);
  }

  /** Writes the run now, so that others can see it. */
  start(): Promise<unknown> {
    clearTimeout(this.#timer);
    const begun = this.#feed.begin(() => this.#beginRun());
    // What goes wrong is told by `onLost`.
    begun.catch(() => undefined);
    return begun;
  }

  async ready(): Promise<void> {
    if (this.#asked === undefined || this.#book.onFailure === "serve") return;
    // As a rule a stream need not wait for a write of its own.
    if (this.#feed.begun === undefined && this.#book.isSound()) return;
    await withTimeout(this.start(), this.#book.maxWaitMs);
  }

  /** Writes the run before anybody is asked. */
  async prove(): Promise<void> {
    await withTimeout(this.start(), this.#book.maxWaitMs);
  }

  push(deltas: readonly Delta[]): void {
    if (isReferable(this.call)) this.#itemIds.push(...idsIn(deltas));
    this.#feed.push(deltas);
    if (this.#feed.begun === undefined && this.#feed.size > LARGE) void this.start();
  }

  finish(answer: RecordedAnswer): Promise<void> {
    const { begun } = this.#feed;
    const { response } = answer;
    if (response !== undefined && isReferable(this.call)) this.#itemIds = idsOf(response.message);
    if (this.#isCancelled && begun !== undefined) return this.#endCancelled();
    this.#ending ??= this.#end("committed", begun === undefined ? this.#record(answer) : this.#commit(begun, answer));
    return this.#ending;
  }

  fail(error: ProviderError, facts: Facts): Promise<void> {
    this.#writePartial();
    const { begun } = this.#feed;
    const work = (): Written =>
      begun === undefined ? this.#recordFailure(error, facts) : this.#giveUp(begun, error, facts);
    this.#ending ??= this.#end(this.#isCancelled ? "cancelled" : "failed", work());
    // Whoever fails has an error to tell already.
    return this.#ending.catch(() => undefined);
  }

  /** Whoever cancelled the run has written its end. */
  async #endCancelled(): Promise<void> {
    this.#ending ??= this.#end("cancelled", Promise.resolve([]));
    await this.#ending.catch(() => undefined);
    throw cancelledError();
  }

  /** Ends the call, whatever it is at; false where it has ended. */
  async cancel(): Promise<boolean> {
    if (this.#ending !== undefined) return false;
    this.#isCancelled = true;
    this.#writePartial();
    const { begun } = this.#feed;
    // A whole call is written when whoever serves it has ended it.
    if (begun !== undefined) this.#ending = this.#end("cancelled", cancelRun(begun));
    this.#cancelling.abort(cancelledError());
    await this.#ending;
    return true;
  }

  /** Makes a stream that is under way known to those who read the ledger. */
  async reveal(): Promise<void> {
    if (this.#asked !== undefined && this.#ending === undefined) await this.start();
  }

  /** Whether nothing was written for so long: whoever ended the run elsewhere could not be noticed. */
  isSilent(ms: number): boolean {
    return this.#ending === undefined && this.#feed.isSilent(ms);
  }

  /** Looks whether the run is still ours. */
  async look(): Promise<void> {
    this.#feed.heard();
    const { state, epoch } = await this.call.caller.ledger.run(this.runId);
    const isOurs = (state === "created" || state === "streaming") && epoch === this.#feed.run?.info.epoch;
    if (!isOurs && this.#ending === undefined) this.#feed.lose(cancelledError());
  }

  // ---- Streams ----

  #beginRun(): Promise<Run> {
    return this.#orMoved(() => this.#beginHere());
  }

  async #beginHere(): Promise<Run> {
    const { call, runId, key } = this.opened;
    const { alias: _, ...common } = await this.#common(undefined, { ...this.#asked });
    const begin: NewRun = { ...common, id: runId, threadId: this.threadId };
    if (key !== undefined) begin.claim = key.alias;
    const run = await call.caller.ledger.beginRun(begin);
    this.inputId = run.info.forkFromMessageId ?? undefined;
    return run;
  }

  /** What has arrived of a stream that will not be finished is kept as the rest of a run. */
  #writePartial(): void {
    if (this.#ending === undefined && this.#feed.unwritten.length > 0) void this.start();
  }

  #onLost(error: unknown): void {
    // Whoever opens the call waits for the one that has its key.
    if (isClaimed(error)) return;
    if (isTaken(error) || isCancel(error)) {
      this.#isCancelled = true;
      this.#cancelling.abort(cancelledError());
    } else {
      this.#book.report(this, error);
      if (this.#book.onFailure === "refuse") this.#cancelling.abort(refusalOf(error));
    }
  }

  async #commit(begun: Promise<Run>, answer: RecordedAnswer): Written {
    const run = await begun;
    const { missing } = this.#feed;
    if (missing !== undefined) {
      // What there is of it is kept, if it can be.
      run.fail(missing.error).catch(() => undefined);
      throw missing.error;
    }
    const { response, provider, responseId } = answer;
    const messages = response === undefined ? undefined : [answerMessage(response, provider)];
    // Another one than was asked first has answered: the message says who.
    if (messages === undefined && provider !== run.info.metadata?.["provider"]) await run.note({ provider });
    const options = { metadata: outcomeFacts(answer), ...this.#names(responseId) };
    return (await retryIfUnknown(() => run.commit(messages, options))).messages;
  }

  async #giveUp(begun: Promise<Run>, error: ProviderError, facts: Facts): Written {
    const run = await begun;
    if (isTaken(this.#feed.missing?.error)) return [];
    // What is known of the tries is worth a try, no more.
    await run.note(outcomeFacts(facts)).catch(() => undefined);
    const { messages } = await (this.#isCancelled ? run.cancel() : run.fail(error));
    return messages;
  }

  // ---- In one write ----

  async #record(answer: RecordedAnswer): Written {
    if (this.#feed.missing !== undefined) throw this.#feed.missing.error;
    const { provider, responseId } = answer;
    const response = answer.response ?? answer.streamed ?? this.#assembled();
    const messages = response === undefined ? [] : [answerMessage(response, provider)];
    return this.#orMoved(async () =>
      this.#write({ messages, ...(await this.#common(responseId, outcomeFacts(answer))) }),
    );
  }

  /** A stream that ended before it had to be written. */
  #assembled(): Response | undefined {
    return this.#asked === undefined ? undefined : assemble(this.#feed.unwritten.flat());
  }

  async #recordFailure(error: ProviderError, facts: Facts): Written {
    const end = this.#isCancelled ? { state: "cancelled" as const } : { state: "failed" as const, error };
    return this.#orMoved(async () =>
      this.#write({ messages: [], ...end, ...(await this.#common(undefined, outcomeFacts(facts))) }),
    );
  }

  async #write(record: NewRecord): Written {
    const { threadId, runId } = this;
    const { ledger } = this.call.caller;
    const { input, messages } = await retryIfUnknown<Pick<RecordResult, "input" | "messages">>(
      () => ledger.record({ ...record, threadId, runId }),
      // Its id is taken then: by itself.
      async () => ({ input: [], messages: await messagesOf(ledger, await ledger.run(runId)) }),
    );
    this.inputId = input.at(-1)?.id ?? this.#place.parentMessageId ?? undefined;
    return messages;
  }

  // ---- Both ----

  /** A write; once more, in a thread of its own, where the one that the call belongs to was deleted meanwhile. */
  async #orMoved<Value>(write: () => Promise<Value>): Promise<Value> {
    try {
      return await write();
    } catch (error) {
      if (!this.#moves(error)) throw error;
      return write();
    }
  }

  /** A thread in which a run is alive cannot be deleted: it is the first write that finds it gone. */
  #moves(error: unknown): boolean {
    const { threadId: from } = this;
    const place = this.#place;
    if (!isGone(error) || place.thread !== undefined) return false;
    this.#place = moveToNewThread(this.call, place);
    this.threadId = this.#place.threadId;
    this.#described = this.#describe();
    this.#book.moved(this, from);
    return true;
  }

  /** What a run is made with. */
  async #common(
    responseId: string | undefined,
    facts: Record<string, unknown>,
  ): Promise<Pick<NewRun, "thread" | "input" | "forkFromMessageId" | "metadata" | "alias">> {
    const { call, key } = this.opened;
    const { thread, input, parentMessageId } = this.#place;
    const { said } = await this.#described;
    const metadata: Record<string, unknown> = { dialect: call.dialect, ...said, ...facts };
    if (call.userAgent !== undefined) metadata["userAgent"] = call.userAgent;
    if (call.previousResponse !== undefined) metadata["previousResponseId"] = call.previousResponse;
    if (key !== undefined) metadata["requestHash"] = key.hash;
    const after =
      input.length === 0 ? { forkFromMessageId: parentMessageId } : { input: { messages: input, parentMessageId } };
    return { ...(thread && { thread }), ...after, ...this.#names(responseId), metadata };
  }

  /** The names that the run is found by. */
  #names(responseId: string | undefined): { alias: string[] } {
    const { call, key } = this.opened;
    const alias: string[] = [];
    if (responseId !== undefined && responseId !== "" && isReferable(call)) {
      const { caller } = call;
      alias.push(responseAlias(caller, responseId), ...itemAliases(caller, responseId, this.#itemIds));
    }
    if (key !== undefined) alias.push(key.alias);
    return { alias };
  }

  async #end(state: EndState, writing: Written): Promise<void> {
    clearTimeout(this.#timer);
    this.#feed.end();
    const written = writing.then(async (messages) => {
      const { standing } = await this.#described;
      const last = messages.at(-1);
      if (last !== undefined) this.#book.sayings.remember(this.call.caller.ledger, last.id, standing);
    });
    const over = written.then(
      () => state,
      () => "lost" as const,
    );
    this.#book.ending(
      this,
      over.finally(() => {
        this.#feed.release();
        this.opened.key?.release();
      }),
    );
    try {
      await withTimeout(written, this.#book.maxWaitMs);
    } catch (error) {
      const refusal = refusalOf(error);
      const isKnown = this.#feed.missing !== undefined || refusal.code === "aborted";
      if (!isKnown) this.#book.report(this, error);
      if (this.#book.onFailure === "refuse" || refusal.code === "aborted") throw refusal;
    }
  }
}

async function cancelRun(begun: Promise<Run>): Written {
  const run = await begun;
  return (await run.cancel()).messages;
}

function cancelledError(): ServerError {
  return new ServerError("aborted", "The run was cancelled.");
}

function isCancel(error: unknown): boolean {
  return error instanceof ServerError && error.code === "aborted";
}
