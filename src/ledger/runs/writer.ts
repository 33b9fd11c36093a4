// A live run in the hands of its writer: deltas are judged at once, written in batches, and become messages at the end.
// Steps that end the run, and those that have to wait for one, stand in line.
import { AssemblyError } from "../../assembly/index.ts";
import type { Delta, Message, MessageDelta } from "../../model/index.ts";
import { checkExpectedLeaf } from "../append.ts";
import { checkFacts, assertStorableMessages } from "../check.ts";
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { runLater } from "../steps.ts";
import type { CommitOptions, CommitResult, EndResult, Run, RunInfo } from "../types.ts";
import { checkAliases } from "./aliases.ts";
import { WriteBuffer } from "./buffer.ts";
import { commitRun } from "./commit.ts";
import { endRun, providerError, type End } from "./end.ts";
import { bodiesOf, writeDeltas } from "./flush.ts";
import { infoOf, providerOf } from "./info.ts";
import type { LiveRuns } from "./leases.ts";
import { fenced, unknownRun } from "./locked.ts";
import type { WrittenDelta } from "./log.ts";
import { readOutcome, type Finished } from "./outcome.ts";
import { withoutRepeats } from "./repeats.ts";
import { noteRun } from "./note.ts";
import { demandWhole, replay, reportDamage, reportLeft, type Replayed } from "./replay.ts";
import { refusal, stampBatch } from "./stamp.ts";
import { isLive, transition, type RunStep } from "./transitions.ts";
import { givenTurn, Turn, type Stored } from "./turn.ts";

/** Deltas that were accepted and are to be written together. */
interface Batch {
  deltas: readonly WrittenDelta[];
  count: number;
  size: number;
}

type Deltas = readonly (Delta | MessageDelta)[];

function isNone(messages: unknown): boolean {
  return Array.isArray(messages) && messages.length === 0;
}

export class RunWriter implements Run {
  readonly id: string;
  readonly threadId: string;
  readonly attached = false;
  readonly #scope: Scope;
  readonly #live: LiveRuns;
  readonly #buffer: WriteBuffer<Batch>;
  #row: RunRow;
  /** Undefined where it may not be what the log says: it is then read again before it is needed. */
  #turn: Turn | undefined;
  /** Of the last delta that was accepted, written or not. */
  #lastSeq: number;
  #line: Promise<unknown> = Promise.resolve();
  #inLine = 0;
  #outcome: CommitResult | undefined;
  #isFenced = false;
  /** Where it was not known once whether deltas were written: the last `seq` before them. They may be given again. */
  #unsureSince: number | undefined;
  /** Why something that was pushed is missing. */
  #lost: { error: unknown } | undefined;

  constructor(scope: Scope, live: LiveRuns, row: RunRow, turn: Turn) {
    this.id = row.id;
    this.threadId = row.threadId;
    this.#scope = scope;
    this.#live = live;
    this.#row = row;
    this.#turn = turn;
    this.#lastSeq = row.lastSeq;
    this.#buffer = new WriteBuffer(scope.flushMs, (batches) => this.#write(batches));
    live.add(scope, this);
  }

  get info(): RunInfo {
    return infoOf(this.#row, this.#scope.report);
  }

  /** The row as of the last write. */
  get lease(): RunRow {
    return this.#row;
  }

  async append(deltas: Deltas): Promise<void> {
    if (this.#inLine === 0 && this.#turn !== undefined && this.#unsureSince === undefined) {
      return this.#accept(this.#turn, deltas);
    }
    // Wrapped, so that those behind do not wait until this is durable.
    const { written } = await this.#next(async () => ({ written: this.#accept(...(await this.#unwritten(deltas))) }));
    return written;
  }

  push(deltas: Deltas): void {
    const lose = (error: unknown): void => {
      this.#lost ??= { error };
    };
    // At once, because after a gap nothing more is taken: what follows it would look like the whole.
    const take = (turn: Turn, taken: Deltas): void => {
      if (this.#lost !== undefined) return;
      try {
        this.#accept(turn, taken).catch(lose);
      } catch (error) {
        lose(error);
      }
    };
    if (this.#lost !== undefined) return;
    if (this.#inLine === 0 && this.#turn !== undefined && this.#unsureSince === undefined) take(this.#turn, deltas);
    else this.#next(async () => take(...(await this.#unwritten(deltas)))).catch(lose);
  }

  async note(facts: Record<string, unknown>): Promise<void> {
    const given = checkFacts(facts, "facts");
    return this.#next(async () => {
      this.#demandOwn();
      await this.drain();
      if (this.#lost !== undefined) throw this.#lost.error;
      const write = (): Promise<Pick<RunRow, "metadata" | "leaseUntil">> =>
        this.#scope.store.write((tx) => noteRun(this.#scope, tx, this.#row, given));
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
    const given =
      messages === undefined ? undefined : givenTurn(isNone(messages) ? [] : assertStorableMessages(messages));
    checkExpectedLeaf(options);
    if (options.metadata !== undefined) checkFacts(options.metadata, "metadata");
    checkAliases(options.alias);
    return this.#next(() => this.#commitNow(given, options));
  }

  async fail(error: unknown): Promise<EndResult> {
    const end: End = { step: "fail", error: providerError(error) };
    return this.#next(() => this.#endNow(end));
  }

  async cancel(): Promise<EndResult> {
    return this.#next(() => this.#endNow({ step: "cancel" }));
  }

  async heartbeat(): Promise<void> {
    this.#demandOwn();
    if (isLive(this.#row.state)) await this.#live.renew(this.#scope, [this]);
    this.#demandOwn();
  }

  async release(): Promise<void> {
    if (this.#isFenced || !isLive(this.#row.state)) return;
    // What was accepted is written if it can be: whoever takes over begins with it.
    await this.drain().catch(() => undefined);
    this.fence();
    await this.#live.release(this.#scope, this);
  }

  /** The lease was renewed elsewhere. */
  renewed(leaseUntil: number): void {
    if (isLive(this.#row.state)) this.#row = { ...this.#row, leaseUntil };
  }

  /** Another writer has taken over. */
  fence(): void {
    this.#isFenced = true;
    this.#live.delete(this);
    this.#buffer.refuse(fenced(this.id));
  }

  /** Writes what waits. */
  drain(): Promise<void> {
    return this.#buffer.drain();
  }

  /** Runs a step after those before it. */
  #next<T>(step: () => Promise<T>): Promise<T> {
    this.#inLine++;
    const result = this.#line.then(step).finally(() => this.#inLine--);
    this.#line = result.catch(() => undefined);
    return result;
  }

  #demandOwn(): void {
    if (this.#isFenced) throw fenced(this.id);
    this.#live.demandOpen();
  }

  /** Takes a batch or nothing of it. */
  #accept(turn: Turn, deltas: Deltas): Promise<void> {
    this.#demandOwn();
    transition(this.#row, "append");
    const { id: runId } = this;
    const lastSeq = this.#lastSeq;
    const batch = stampBatch(deltas, { runId, lastSeq, now: this.#scope.now() });
    if (batch.deltas.length === 0) return Promise.resolve();
    for (const [index, delta] of batch.deltas.entries()) {
      try {
        turn.take(delta);
      } catch (error) {
        // Those before it are in the turn now, and must not be: rare enough to begin again from the log.
        if (index > 0) this.#turn = undefined;
        throw refusal(index, error);
      }
    }
    this.#lastSeq = batch.lastSeq;
    return this.#buffer.add({ deltas: batch.written, count: batch.written.length, size: batch.size });
  }

  async #write(batches: readonly Batch[]): Promise<void> {
    const written = batches.flatMap(({ deltas }) => deltas);
    const flush = { bodies: bodiesOf(written), lastSeq: written.at(-1)?.seq ?? this.#row.lastSeq };
    const attempt = (again: boolean): Promise<RunRow> =>
      this.#scope.store.write((tx) => writeDeltas(this.#scope, tx, this.#row, { ...flush, again }));
    try {
      const row = await attempt(false).catch((error: unknown) => {
        if (!(error instanceof LedgerError) || error.outcome !== "unknown") throw error;
        // Whether it was written is not known, and the second attempt finds out; where it cannot, that stays unknown.
        return attempt(true).catch((second: unknown) => {
          throw second instanceof LedgerError && second.code === "unavailable" ? error : second;
        });
      });
      // Facts may have been noted in the meantime.
      this.#row = { ...row, metadata: this.#row.metadata };
    } catch (error) {
      this.#turn = undefined;
      if (error instanceof LedgerError && error.outcome === "unknown") this.#unsureSince ??= this.#row.lastSeq;
      if (error instanceof LedgerError && error.code === "fenced") this.fence();
      throw error;
    }
  }

  /** The turn, and the deltas that it has not taken: those of a write that went well unnoticed may come again. */
  async #unwritten(deltas: Deltas): Promise<[turn: Turn, deltas: Deltas]> {
    const turn = await this.#wholeTurn("append");
    const unsureSince = this.#unsureSince;
    if (unsureSince === undefined || !Array.isArray(deltas)) return [turn, deltas];
    const fresh = await withoutRepeats(this.#scope.store.reads, this.#row, unsureSince, deltas);
    return [await this.#wholeTurn("append"), fresh];
  }

  /** The turn up to the last accepted delta, for a step that nothing must be missing from. */
  async #wholeTurn(step: RunStep): Promise<Turn> {
    return this.#turn ?? demandWhole(await this.#replayed(step));
  }

  /** The run as the store has it. A run that had ended after all needs no turn any more. */
  async #replayed(step: RunStep): Promise<Replayed> {
    this.#demandOwn();
    // What was accepted and cannot be written is lost to its callers too.
    await this.drain().catch(() => undefined);
    const { reads } = this.#scope.store;
    const row = await reads.run(this.#scope.tenant, this.id);
    if (row === undefined) throw unknownRun(this.id);
    if (row.epoch !== this.#row.epoch) {
      this.fence();
      throw fenced(this.id);
    }
    this.#row = row;
    transition(row, step);
    const replayed = isLive(row.state) ? await runLater(replay(reads, row)) : { turn: new Turn() };
    this.#lastSeq = row.lastSeq;
    if (replayed.damage === undefined) this.#turn = replayed.turn;
    return replayed;
  }

  async #commitNow(given: Stored | undefined, options: CommitOptions): Promise<CommitResult> {
    this.#demandOwn();
    if (transition(this.#row, "commit") === "same") return this.#known();
    await this.drain().catch((error: unknown) => {
      if (this.#lost === undefined) throw error;
    });
    const stored = given?.messages.length === 0 ? await this.#costOnly() : (given ?? (await this.#assembled()));
    if (stored === undefined) return this.#known();
    return this.#finish((scope, row) => scope.store.write((tx) => commitRun(scope, tx, row, stored, options)));
  }

  /** What is left of a run whose writer wants nothing stored; undefined where the run had ended after all. */
  async #costOnly(): Promise<Stored | undefined> {
    const turn = this.#turn ?? (await this.#replayed("commit")).turn;
    if (!isLive(this.#row.state)) return undefined;
    const { usage } = turn.interrupted(providerOf(this.#row, this.#scope.report));
    return usage === undefined ? { messages: [] } : { messages: [], usage };
  }

  /** What was streamed; undefined where the run had ended after all. */
  async #assembled(): Promise<Stored | undefined> {
    if (this.#lost !== undefined) throw this.#lost.error;
    const turn = await this.#wholeTurn("commit");
    if (!isLive(this.#row.state)) return undefined;
    try {
      return turn.finished(providerOf(this.#row, this.#scope.report));
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      const advice =
        error.rule === "error-no-message"
          ? "End the run with fail(), which keeps what had arrived"
          : "Append the rest, or end the run with fail() or cancel()";
      const message = `What was streamed cannot be committed. ${advice}; or give commit() the messages. ${error.message}`;
      throw new LedgerError("conflict", message, { cause: error });
    }
  }

  async #endNow(end: End): Promise<EndResult> {
    this.#demandOwn();
    if (transition(this.#row, end.step) === "same") return this.#endedBefore();
    // A run can be ended although the last deltas cannot be written: their callers have heard of it.
    await this.drain().catch(() => undefined);
    const turn = this.#turn ?? this.#salvaged(await this.#replayed(end.step));
    if (!isLive(this.#row.state)) return this.#endedBefore();
    const partial = turn.interrupted(providerOf(this.#row, this.#scope.report));
    const { messages } = await this.#finish((scope, row) =>
      scope.store.write((tx) => endRun(scope, tx, row, end, partial)),
    );
    reportLeft(this.#scope, this.#row, partial);
    return { messages };
  }

  /** What can be read of the turn; nobody goes on with it. */
  #salvaged(replayed: Replayed): Turn {
    reportDamage(this.#scope, this.#row, replayed);
    return replayed.turn;
  }

  async #finish(write: (scope: Scope, row: RunRow) => Promise<Finished>): Promise<CommitResult> {
    try {
      const { row, outcome } = await write(this.#scope, this.#row);
      this.#row = row;
      this.#outcome = outcome;
    } catch (error) {
      // The answer may have been lost on the way, with the step taken: the log knows.
      if (error instanceof LedgerError && error.outcome === "unknown") this.#turn = undefined;
      if (error instanceof LedgerError && error.code === "fenced") this.fence();
      throw error;
    }
    // Whoever keeps the handle need not keep the answer.
    this.#turn = new Turn();
    this.#live.delete(this);
    this.#live.compactSoon(this.#scope);
    this.#scope.wrote();
    return this.#known();
  }

  /** What the run came to. */
  async #known(): Promise<CommitResult> {
    this.#outcome ??= await readOutcome(this.#scope, this.#row);
    return this.#outcome;
  }

  async #endedBefore(): Promise<EndResult> {
    const { messages } = await this.#known();
    return { messages };
  }
}
