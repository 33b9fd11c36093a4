// One call on its way into the ledger: a stream is written as it comes, a whole call in one write at its end. What cannot
// be written is refused, or served and reported, as the configuration says.
import { answerMessage, LedgerError } from "../../ledger/index.ts";
import type { NewRecord, NewRun, Recorded, Run } from "../../ledger/index.ts";
import type { Delta, Message, ProviderError, Response, StoredMessage } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import { outcomeFacts } from "./facts.ts";
import type { HeldKey } from "./keys.ts";
import { type Place, responseAlias } from "./place.ts";
import { isTaken, refusalOf, unavailable } from "./refusal.ts";
import type { Said, Sayings, Standing } from "./said.ts";
import { messagesOf } from "./stored-answer.ts";
import type { RecordedAnswer, RecordedCall, Recording } from "./types.ts";

/** What recordings share. */
export interface Book {
  readonly onFailure: "refuse" | "serve";
  readonly maxWaitMs: number;
  readonly sayings: Sayings;
  /** Takes so many more bytes that wait to be written, or fewer; false where there is no room. */
  hold(bytes: number): boolean;
  /** A call could not be recorded, or not in time. */
  report(recording: CallRecording, error: unknown): void;
  /** The last write has begun: the promise never rejects, and tells how the call ended in the record. */
  ending(recording: CallRecording, over: Promise<EndState>): void;
}

/** "lost": it could not be written. */
export type EndState = "committed" | "failed" | "cancelled" | "lost";

/** What it was given to begin with. */
export interface Opened {
  call: RecordedCall;
  place: Place;
  runId: string;
  key: HeldKey | undefined;
  /** What the run says of its request; never rejects before it is asked for. */
  said: Promise<{ said: Said; standing: Standing }>;
}

type Facts = Omit<RecordedAnswer, "response" | "responseId">;

export class CallRecording implements Recording {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly Message[];
  readonly changed: boolean;
  readonly earlier: Response | undefined = undefined;
  readonly call: RecordedCall;
  private readonly book: Book;
  readonly opened: Opened;
  private readonly cancelling = new AbortController();
  private begun: Promise<Run> | undefined;
  private run: Run | undefined;
  /** Deltas that came before the run was there. */
  private waiting: (readonly Delta[])[] | undefined = [];
  private lost: { error: unknown } | undefined;
  private isCancelled = false;
  private ending: Promise<void> | undefined;
  /** The message that the answer follows, once it is written. */
  inputId: string | undefined;
  /** Bytes of deltas that are not written yet. */
  private held = 0;
  /** When something was last written. */
  private heardAt = performance.now();

  constructor(book: Book, opened: Opened) {
    const { place, runId, call } = opened;
    this.book = book;
    this.opened = opened;
    this.call = call;
    this.threadId = place.threadId;
    this.runId = runId;
    this.messages = place.messages;
    this.changed = place.changed;
  }

  get cancelled(): AbortSignal {
    return this.cancelling.signal;
  }

  /** Without facts: before anybody was asked. */
  begin(facts: { provider?: string; model?: string } = {}): void {
    if (this.begun !== undefined || this.ending !== undefined) return;
    this.begun = this.start(facts);
    this.begun.catch((error: unknown) => this.lose(error));
  }

  async ready(): Promise<void> {
    if (this.begun === undefined || this.book.onFailure === "serve") return;
    await this.inTime(this.begun);
  }

  push(deltas: readonly Delta[]): void {
    if (this.lost !== undefined || this.ending !== undefined) return;
    const size = sizeOf(deltas);
    this.held += size;
    if (!this.book.hold(size)) return this.lose(unavailable("it writes more slowly than the answers come in."));
    if (this.run !== undefined) this.append(this.run, deltas, size);
    else this.waiting?.push(deltas);
  }

  finish(answer: RecordedAnswer): Promise<void> {
    if (this.isCancelled && this.begun !== undefined) return Promise.reject(cancelledError());
    this.ending ??= this.end("committed", this.begun === undefined ? this.record(answer) : this.commit(answer));
    return this.ending;
  }

  fail(error: ProviderError, facts: Facts): Promise<void> {
    const state = this.isCancelled ? "cancelled" : "failed";
    this.ending ??= this.end(
      state,
      this.begun === undefined ? this.recordFailure(error, facts) : this.giveUp(error, facts),
    );
    // Whoever fails has an error to tell already.
    return this.ending.catch(() => undefined);
  }

  /** Ends the call, whatever it is at; false where it has ended. */
  async cancel(): Promise<boolean> {
    if (this.ending !== undefined) return false;
    this.isCancelled = true;
    const { begun } = this;
    if (begun !== undefined)
      this.ending = this.end(
        "cancelled",
        begun.then(async (run) => (await run.cancel()).messages),
      );
    this.cancelling.abort(cancelledError());
    await this.ending;
    return true;
  }

  /** Whether nothing was written for so long: whoever ended the run elsewhere could not be noticed. */
  isSilent(ms: number): boolean {
    return this.run !== undefined && this.ending === undefined && performance.now() - this.heardAt > ms;
  }

  /** Looks whether the run is still ours. */
  async look(): Promise<void> {
    this.heardAt = performance.now();
    const { state, epoch } = await this.call.caller.ledger.run(this.runId);
    const isOurs = (state === "created" || state === "streaming") && epoch === this.run?.info.epoch;
    if (!isOurs && this.ending === undefined) this.lose(cancelledError());
  }

  // ---- Streams ----

  private async start(facts: { provider?: string; model?: string }): Promise<Run> {
    const { call, runId, key } = this.opened;
    const { alias, ...common } = await this.common(undefined, facts);
    const begin: NewRun = { ...common, id: runId, threadId: this.threadId };
    if (key !== undefined) begin.alias = alias;
    const run = await call.caller.ledger.beginRun(begin);
    this.run = run;
    this.inputId = run.info.forkFromMessageId ?? undefined;
    this.heardAt = performance.now();
    const { waiting = [] } = this;
    this.waiting = undefined;
    for (const deltas of waiting) if (this.lost === undefined) this.append(run, deltas, sizeOf(deltas));
    return run;
  }

  private append(run: Run, deltas: readonly Delta[], size: number): void {
    run.append(deltas).then(
      () => {
        this.letGo(size);
        this.heardAt = performance.now();
      },
      (error: unknown) => this.lose(error),
    );
  }

  private letGo(size: number): void {
    const held = Math.min(size, this.held);
    this.held -= held;
    this.book.hold(-held);
  }

  /** From here on nothing more is taken: what follows a gap would look like the whole. */
  private lose(error: unknown): void {
    if (this.lost !== undefined) return;
    this.lost = { error };
    this.waiting = undefined;
    this.letGo(this.held);
    if (isTaken(error) || isCancel(error)) {
      this.isCancelled = true;
      this.cancelling.abort(cancelledError());
    } else {
      this.book.report(this, error);
      if (this.book.onFailure === "refuse") this.cancelling.abort(refusalOf(error));
    }
  }

  private async commit(answer: RecordedAnswer): Promise<readonly StoredMessage[]> {
    const run = await this.begun;
    if (run === undefined) return [];
    const { response, provider, responseId } = answer;
    if (this.lost !== undefined) {
      // What there is of it is kept, if it can be.
      run.fail(this.lost.error).catch(() => undefined);
      throw this.lost.error;
    }
    const messages = response === undefined ? undefined : [answerMessage(response, provider)];
    // Another one than was asked first has answered: the message says who.
    if (messages === undefined && provider !== run.info.metadata?.["provider"]) await run.note({ provider });
    const options = { metadata: outcomeFacts(answer), ...this.names(responseId) };
    return (await twice(() => run.commit(messages, options))).messages;
  }

  private async giveUp(error: ProviderError, facts: Facts): Promise<readonly StoredMessage[]> {
    const run = await this.begun;
    if (run === undefined || isTaken(this.lost?.error)) return [];
    // What is known of the tries is worth a try, no more.
    await run.note(outcomeFacts(facts)).catch(() => undefined);
    const { messages } = await (this.isCancelled ? run.cancel() : run.fail(error));
    return messages;
  }

  // ---- Whole calls ----

  private async record(answer: RecordedAnswer): Promise<readonly StoredMessage[]> {
    const { response, provider } = answer;
    const messages = response === undefined ? [] : [answerMessage(response, provider)];
    return this.write({ messages, ...(await this.common(answer.responseId, outcomeFacts(answer))) });
  }

  private async recordFailure(error: ProviderError, facts: Facts): Promise<readonly StoredMessage[]> {
    const common = await this.common(undefined, outcomeFacts(facts));
    const state = this.isCancelled ? "cancelled" : "failed";
    return this.write({ messages: [], state, ...(state === "failed" && { error }), ...common });
  }

  private async write(record: NewRecord): Promise<readonly StoredMessage[]> {
    const { threadId, runId } = this;
    const { ledger } = this.call.caller;
    const { input, messages } = await twice<Pick<Recorded, "input" | "messages">>(
      () => ledger.record({ ...record, threadId, runId }),
      // Its id is taken then: by itself.
      async () => ({ input: [], messages: await messagesOf(ledger, await ledger.run(runId)) }),
    );
    this.inputId = input.at(-1)?.id ?? this.opened.place.parentMessageId ?? undefined;
    return messages;
  }

  // ---- Both ----

  /** What a run is made with. */
  private async common(
    responseId: string | undefined,
    facts: Record<string, unknown>,
  ): Promise<Pick<NewRun, "thread" | "input" | "forkFromMessageId" | "metadata" | "alias">> {
    const { place, call, key } = this.opened;
    const { thread, input, parentMessageId } = place;
    const { said } = await this.opened.said;
    const metadata: Record<string, unknown> = { dialect: call.dialect, ...said, ...facts };
    if (call.userAgent !== undefined) metadata["userAgent"] = call.userAgent;
    if (call.previousResponse !== undefined) metadata["previousResponseId"] = call.previousResponse;
    if (key !== undefined) metadata["requestHash"] = key.hash;
    const after =
      input.length === 0 ? { forkFromMessageId: parentMessageId } : { input: { messages: input, parentMessageId } };
    return { ...(thread && { thread }), ...after, ...this.names(responseId), metadata };
  }

  /** The names that the run is found by. */
  private names(responseId: string | undefined): { alias: string[] } {
    const { call, key } = this.opened;
    const alias: string[] = [];
    if (responseId !== undefined && responseId !== "" && call.referable !== false)
      alias.push(responseAlias(responseId));
    if (key !== undefined) alias.push(key.alias);
    return { alias };
  }

  private async end(state: EndState, writing: Promise<readonly StoredMessage[]>): Promise<void> {
    const written = writing.then(async (messages) => {
      const { standing } = await this.opened.said;
      const last = messages.at(-1);
      if (last !== undefined) this.book.sayings.remember(this.call.caller.ledger, last.id, standing);
    });
    const over = written.then(
      () => state,
      () => "lost" as const,
    );
    this.book.ending(
      this,
      over.finally(() => {
        this.letGo(this.held);
        this.opened.key?.release();
      }),
    );
    try {
      await this.inTime(written);
    } catch (error) {
      const refusal = refusalOf(error);
      const isKnown = this.lost !== undefined || refusal.code === "aborted";
      if (!isKnown) this.book.report(this, error);
      if (this.book.onFailure === "refuse" || refusal.code === "aborted") throw refusal;
    }
  }

  private async inTime<Value>(work: Promise<Value>): Promise<Value> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const { maxWaitMs } = this.book;
    const timer = setTimeout(() => reject(unavailable(`it took longer than ${maxWaitMs} ms.`)), maxWaitMs);
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      throw refusalOf(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Again where it is not known whether a write took place; `check` looks for what the first one may have done. */
async function twice<Value>(write: () => Promise<Value>, check?: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof LedgerError) || error.outcome !== "unknown") throw error;
    return check === undefined ? write() : check().catch(() => write());
  }
}

function cancelledError(): ServerError {
  return new ServerError("aborted", "The run was cancelled.");
}

function isCancel(error: unknown): boolean {
  return error instanceof ServerError && error.code === "aborted";
}

/** About so many bytes. */
function sizeOf(deltas: readonly Delta[]): number {
  let size = 0;
  for (const { payload } of deltas) {
    size += 64;
    for (const value of Object.values(payload)) size += typeof value === "string" ? value.length : 16;
  }
  return size;
}
