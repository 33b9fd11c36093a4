// The writer of a live run checks deltas immediately, writes them in batches, and stores the messages at the end of the
// run. Calls that end the run, and calls that must wait for another call, are queued and executed one after the other.
import { AssemblyError } from "../../assembly/index.ts";
import type { Delta, Message, MessageDelta } from "../../model/index.ts";
import { assertExpectedLeafOption } from "../messages/append.ts";
import { requireJsonObject, assertStorableMessages } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { runAsync } from "../store/steps.ts";
import type { CommitOptions, CommitResult, EndResult, Run, RunInfo } from "../types.ts";
import { requireAliases } from "./aliases.ts";
import { WriteBuffer } from "./write-buffer.ts";
import { writeCommit } from "./commit.ts";
import { writeEnd, toProviderError, type RunEnd } from "./end.ts";
import { encodeBodies, writeDeltas } from "./write-deltas.ts";
import { toRunInfo, readProvider } from "./run-info.ts";
import type { LiveRuns } from "./live-runs.ts";
import { createFencedError, createUnknownRunError } from "./lock-run.ts";
import type { EncodedDelta } from "./log-bodies.ts";
import { readOutcome, type EndedRun } from "./run-outcome.ts";
import { removeDuplicateDeltas } from "./remove-duplicate-deltas.ts";
import { mergeRunMetadata } from "./merge-metadata.ts";
import { requireUndamaged, replayTurn, reportDamage, reportDropped, type ReplayResult } from "./replay.ts";
import { createBatchError, stampBatch } from "./stamp-deltas.ts";
import { isLive, requireTransition, type RunStep } from "./transitions.ts";
import { toTurnFromMessages, RunTurn, type TurnContent } from "./run-turn.ts";

/** The deltas of one accepted call of `append` or `push`, which are written together. */
interface AcceptedBatch {
  deltas: readonly EncodedDelta[];
  count: number;
  size: number;
}

type DeltaList = readonly (Delta | MessageDelta)[];

function isEmptyList(messages: unknown): boolean {
  return Array.isArray(messages) && messages.length === 0;
}

export class RunWriter implements Run {
  readonly id: string;
  readonly threadId: string;
  readonly attached = false;
  readonly #scope: LedgerScope;
  readonly #live: LiveRuns;
  readonly #buffer: WriteBuffer<AcceptedBatch>;
  #row: RunRow;
  /**
   * The messages assembled from the accepted deltas; undefined if they may differ from the deltas in the log. The log
   * is then replayed when the messages are needed.
   */
  #turn: RunTurn | undefined;
  /** The `seq` of the last accepted delta, whether it is written or not. */
  #lastSeq: number;
  #queue: Promise<unknown> = Promise.resolve();
  #queuedSteps = 0;
  #outcome: CommitResult | undefined;
  #isFenced = false;
  /**
   * The `seq` of the last delta that is known to be written, if a later write had an unknown outcome; otherwise
   * undefined. The caller may append the deltas of that later write again.
   */
  #lastKnownSeq: number | undefined;
  /** The error of the first call of `push` whose deltas were rejected or could not be written. */
  #pushError: { error: unknown } | undefined;

  constructor(scope: LedgerScope, live: LiveRuns, row: RunRow, turn: RunTurn) {
    this.id = row.id;
    this.threadId = row.threadId;
    this.#scope = scope;
    this.#live = live;
    this.#row = row;
    this.#turn = turn;
    this.#lastSeq = row.lastSeq;
    this.#buffer = new WriteBuffer(scope.flushMs, scope.timers, (batches) => this.#write(batches));
    live.add(scope, this);
  }

  get info(): RunInfo {
    return toRunInfo(this.#row, this.#scope.report);
  }

  /** The row of the run after the last write. */
  get lease(): RunRow {
    return this.#row;
  }

  async append(deltas: DeltaList): Promise<void> {
    if (this.#queuedSteps === 0 && this.#turn !== undefined && this.#lastKnownSeq === undefined) {
      return this.#accept(this.#turn, deltas);
    }
    // The promise of the write is wrapped in an object: the queue would otherwise wait until the deltas are durable
    // before it runs the next step.
    const { written } = await this.#enqueue(async () => ({
      written: this.#accept(...(await this.#withoutWritten(deltas))),
    }));
    return written;
  }

  push(deltas: DeltaList): void {
    const setPushError = (error: unknown): void => {
      this.#pushError ??= { error };
    };
    // After an error no further deltas are accepted, because an answer without the failed deltas would look complete.
    const tryAccept = (turn: RunTurn, accepted: DeltaList): void => {
      if (this.#pushError !== undefined) return;
      try {
        this.#accept(turn, accepted).catch(setPushError);
      } catch (error) {
        setPushError(error);
      }
    };
    if (this.#pushError !== undefined) return;
    if (this.#queuedSteps === 0 && this.#turn !== undefined && this.#lastKnownSeq === undefined)
      tryAccept(this.#turn, deltas);
    else this.#enqueue(async () => tryAccept(...(await this.#withoutWritten(deltas)))).catch(setPushError);
  }

  async mergeMetadata(fields: Record<string, unknown>): Promise<void> {
    const checked = requireJsonObject(fields, "fields");
    return this.#enqueue(async () => {
      this.#assertOwned();
      await this.drain();
      if (this.#pushError !== undefined) throw this.#pushError.error;
      const write = (): Promise<Pick<RunRow, "metadata" | "leaseUntil">> =>
        this.#scope.store.write((tx) => mergeRunMetadata(this.#scope, tx, this.#row, checked));
      try {
        const changes = await write().catch((error: unknown) => {
          if (!(error instanceof LedgerError) || error.outcome !== "unknown") throw error;
          return write();
        });
        this.#row = { ...this.#row, ...changes };
      } catch (error) {
        if (error instanceof LedgerError && error.code === "fenced") this.fence();
        throw error;
      }
    });
  }

  async commit(messages?: readonly Message[], options: CommitOptions = {}): Promise<CommitResult> {
    const messagesTurn =
      messages === undefined
        ? undefined
        : toTurnFromMessages(isEmptyList(messages) ? [] : assertStorableMessages(messages));
    assertExpectedLeafOption(options);
    if (options.metadata !== undefined) requireJsonObject(options.metadata, "metadata");
    requireAliases(options.alias);
    return this.#enqueue(() => this.#commitTurn(messagesTurn, options));
  }

  async fail(error: unknown): Promise<EndResult> {
    const end: RunEnd = { step: "fail", error: toProviderError(error) };
    return this.#enqueue(() => this.#endTurn(end));
  }

  async cancel(): Promise<EndResult> {
    return this.#enqueue(() => this.#endTurn({ step: "cancel" }));
  }

  async heartbeat(): Promise<void> {
    this.#assertOwned();
    if (isLive(this.#row.state)) await this.#live.renew(this.#scope, [this]);
    this.#assertOwned();
  }

  async release(): Promise<void> {
    if (this.#isFenced || !isLive(this.#row.state)) return;
    // Accepted deltas are written if possible, so that the next writer can continue after them.
    await this.drain().catch(() => undefined);
    this.fence();
    await this.#live.release(this.#scope, this);
  }

  /** Sets the new end of the lease after `LiveRuns` has renewed it. */
  setLeaseUntil(leaseUntil: number): void {
    if (isLive(this.#row.state)) this.#row = { ...this.#row, leaseUntil };
  }

  /**
   * Rejects all pending and further writes. Called when another writer has taken over, or when this writer releases the
   * run.
   */
  fence(): void {
    this.#isFenced = true;
    this.#live.delete(this);
    this.#buffer.rejectAll(createFencedError(this.id));
  }

  /** Writes all accepted deltas. */
  drain(): Promise<void> {
    return this.#buffer.drain();
  }

  /** Runs a step after all steps that were queued before it. */
  #enqueue<T>(step: () => Promise<T>): Promise<T> {
    this.#queuedSteps++;
    const result = this.#queue.then(step).finally(() => this.#queuedSteps--);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #assertOwned(): void {
    if (this.#isFenced) throw createFencedError(this.id);
    this.#live.assertOpen();
  }

  /**
   * Adds all deltas to the turn and to the write buffer, or throws. The returned promise resolves when they are
   * durable.
   */
  #accept(turn: RunTurn, deltas: DeltaList): Promise<void> {
    this.#assertOwned();
    requireTransition(this.#row, "append");
    const { id: runId } = this;
    const lastSeq = this.#lastSeq;
    const batch = stampBatch(deltas, { runId, lastSeq, now: this.#scope.now() });
    if (batch.deltas.length === 0) return Promise.resolve();
    for (const [index, delta] of batch.deltas.entries()) {
      try {
        turn.push(delta);
      } catch (error) {
        // The turn already contains the earlier deltas of the rejected batch. This is rare, so the turn is discarded
        // and replayed from the log when it is needed.
        if (index > 0) this.#turn = undefined;
        throw createBatchError(index, error);
      }
    }
    this.#lastSeq = batch.lastSeq;
    return this.#buffer.add({ deltas: batch.encoded, count: batch.encoded.length, size: batch.size });
  }

  async #write(batches: readonly AcceptedBatch[]): Promise<void> {
    const written = batches.flatMap(({ deltas }) => deltas);
    const flush = { bodies: encodeBodies(written), lastSeq: written.at(-1)?.seq ?? this.#row.lastSeq };
    const attempt = (again: boolean): Promise<RunRow> =>
      this.#scope.store.write((tx) => writeDeltas(this.#scope, tx, this.#row, { ...flush, isRetry: again }));
    try {
      const row = await attempt(false).catch((error: unknown) => {
        if (!(error instanceof LedgerError) || error.outcome !== "unknown") throw error;
        // The second attempt detects whether the first one was written. If the store is unavailable, the outcome of the
        // first attempt stays unknown, so its error is thrown.
        return attempt(true).catch((second: unknown) => {
          throw second instanceof LedgerError && second.code === "unavailable" ? error : second;
        });
      });
      // The current metadata is used, because fields may have been merged into it during the write.
      this.#row = { ...row, metadata: this.#row.metadata };
    } catch (error) {
      this.#turn = undefined;
      if (error instanceof LedgerError && error.outcome === "unknown") this.#lastKnownSeq ??= this.#row.lastSeq;
      if (error instanceof LedgerError && error.code === "fenced") this.fence();
      throw error;
    }
  }

  /**
   * Returns the assembled turn, and the given deltas without those that are already in the log after a write with an
   * unknown outcome.
   */
  async #withoutWritten(deltas: DeltaList): Promise<[turn: RunTurn, deltas: DeltaList]> {
    const turn = await this.#requireTurn("append");
    const lastKnownSeq = this.#lastKnownSeq;
    if (lastKnownSeq === undefined || !Array.isArray(deltas)) return [turn, deltas];
    const newDeltas = await removeDuplicateDeltas(this.#scope.store.reads, this.#row, lastKnownSeq, deltas);
    return [await this.#requireTurn("append"), newDeltas];
  }

  /** Returns the turn up to the last accepted delta. Throws if deltas in the log are damaged or missing. */
  async #requireTurn(step: RunStep): Promise<RunTurn> {
    return this.#turn ?? requireUndamaged(await this.#replay(step));
  }

  /**
   * Reads the run and rebuilds its turn from the log. The turn of a run that has ended meanwhile is empty, because it
   * is not needed.
   */
  async #replay(step: RunStep): Promise<ReplayResult> {
    this.#assertOwned();
    // Errors are ignored here, because the callers that appended the deltas receive them.
    await this.drain().catch(() => undefined);
    const { reads } = this.#scope.store;
    const row = await reads.run(this.#scope.tenant, this.id);
    if (row === undefined) throw createUnknownRunError(this.id);
    if (row.epoch !== this.#row.epoch) {
      this.fence();
      throw createFencedError(this.id);
    }
    this.#row = row;
    requireTransition(row, step);
    const replayed = isLive(row.state) ? await runAsync(replayTurn(reads, row)) : { turn: new RunTurn() };
    this.#lastSeq = row.lastSeq;
    if (replayed.damage === undefined) this.#turn = replayed.turn;
    return replayed;
  }

  async #commitTurn(messagesTurn: TurnContent | undefined, options: CommitOptions): Promise<CommitResult> {
    this.#assertOwned();
    if (requireTransition(this.#row, "commit") === "same") return this.#readOutcome();
    await this.drain().catch((error: unknown) => {
      if (this.#pushError === undefined) throw error;
    });
    const stored =
      messagesTurn?.messages.length === 0 ? await this.#usageOnly() : (messagesTurn ?? (await this.#assembled()));
    if (stored === undefined) return this.#readOutcome();
    return this.#finish((scope, row) => scope.store.write((tx) => writeCommit(scope, tx, row, stored, options)));
  }

  /**
   * Returns a turn with only the usage of the streamed deltas, for a commit of an empty list of messages; undefined if
   * the run had ended before.
   */
  async #usageOnly(): Promise<TurnContent | undefined> {
    const turn = this.#turn ?? (await this.#replay("commit")).turn;
    if (!isLive(this.#row.state)) return undefined;
    const { usage } = turn.interrupt(readProvider(this.#row, this.#scope.report));
    return usage === undefined ? { messages: [] } : { messages: [], usage };
  }

  /** Returns the messages assembled from the streamed deltas; undefined if the run had ended before. */
  async #assembled(): Promise<TurnContent | undefined> {
    if (this.#pushError !== undefined) throw this.#pushError.error;
    const turn = await this.#requireTurn("commit");
    if (!isLive(this.#row.state)) return undefined;
    try {
      return turn.finish(readProvider(this.#row, this.#scope.report));
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      const advice =
        error.rule === "error-no-message"
          ? "End the run with fail(), which stores the partial answer"
          : "Append the rest, or end the run with fail() or cancel()";
      const message = `The streamed messages cannot be committed. ${advice}; or pass the messages to commit(). ${error.message}`;
      throw new LedgerError("conflict", message, { cause: error });
    }
  }

  async #endTurn(end: RunEnd): Promise<EndResult> {
    this.#assertOwned();
    if (requireTransition(this.#row, end.step) === "same") return this.#readEndResult();
    // A run can end even if its last deltas cannot be written; the callers that appended them received the error.
    await this.drain().catch(() => undefined);
    const turn = this.#turn ?? this.#salvageTurn(await this.#replay(end.step));
    if (!isLive(this.#row.state)) return this.#readEndResult();
    const partial = turn.interrupt(readProvider(this.#row, this.#scope.report));
    const { messages } = await this.#finish((scope, row) =>
      scope.store.write((tx) => writeEnd(scope, tx, row, end, partial)),
    );
    reportDropped(this.#scope, this.#row, partial);
    return { messages };
  }

  /** Reports the damage of a replayed turn, and returns the turn up to the damage. */
  #salvageTurn(replayed: ReplayResult): RunTurn {
    reportDamage(this.#scope, this.#row, replayed);
    return replayed.turn;
  }

  async #finish(write: (scope: LedgerScope, row: RunRow) => Promise<EndedRun>): Promise<CommitResult> {
    try {
      const { row, outcome } = await write(this.#scope, this.#row);
      this.#row = row;
      this.#outcome = outcome;
    } catch (error) {
      // The write may have succeeded although its response was lost. Without a turn, the next step reads the log first.
      if (error instanceof LedgerError && error.outcome === "unknown") this.#turn = undefined;
      if (error instanceof LedgerError && error.code === "fenced") this.fence();
      throw error;
    }
    // The turn is replaced by an empty one to free its memory, because the caller may still reference this writer.
    this.#turn = new RunTurn();
    this.#live.delete(this);
    this.#live.compactSoon(this.#scope);
    this.#scope.onMessagesWritten();
    return this.#readOutcome();
  }

  /** Returns the result of the ended run. */
  async #readOutcome(): Promise<CommitResult> {
    this.#outcome ??= await readOutcome(this.#scope, this.#row);
    return this.#outcome;
  }

  async #readEndResult(): Promise<EndResult> {
    const { messages } = await this.#readOutcome();
    return { messages };
  }
}
