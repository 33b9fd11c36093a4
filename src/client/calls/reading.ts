// One answer as it is read: batches of deltas from a source, stamped with where they come from, assembled on the way so
// that what has arrived can be told at any time, and ended in one way whatever ended it.
import type { Snapshot } from "../../assembly/index.ts";
import { Assembler, AssemblyError } from "../../assembly/index.ts";
import type { Delta, Response, Usage } from "../../model/index.ts";
import type { TargetInfo } from "./facts.ts";
import { firstFacts, lastFacts, missingCost } from "./facts.ts";
import { AttemptFailure, errorDelta, failureOf } from "./failure.ts";
import type { CallScope } from "./scope.ts";

/** Where deltas come from: a reply of a provider, or a local one. */
export interface DeltaSource {
  /** The deltas that have arrived, at least one; undefined at the end. */
  read(): Promise<readonly Delta[] | undefined>;
  /** The answer is whole: what is left is of no interest, but the connection may be used again. */
  finish(): void;
  /** Frees whatever it holds, in the middle of it. Gives what was known but not said yet. */
  stop(): readonly Delta[];
}

export class Reading {
  readonly #source: DeltaSource;
  readonly #asked: TargetInfo;
  readonly #scope: CallScope;
  readonly #assembler = new Assembler();
  /** Why it is no whole answer, once it has ended. */
  failure: AttemptFailure | undefined;
  #held: readonly Delta[] = [];
  /** What `start` said. */
  #begun: { id: string; model: string } | undefined;
  /** The answer has ended, in one way or another; there may still be something to give out. */
  isOver = false;

  constructor(source: DeltaSource, asked: TargetInfo, scope: CallScope) {
    this.#source = source;
    this.#asked = asked;
    this.#scope = scope;
  }

  /**
   * Reads until something is said. An answer that fails before that throws, and another attempt can take its place;
   * one that fails later is given out, also where all of it came at once.
   */
  async open(): Promise<void> {
    const held: Delta[] = [];
    let isSaid = false;
    while (!this.isOver && !isSaid) {
      for (const delta of this.#take(await this.#readSource())) {
        held.push(delta);
        isSaid ||= saysSomething(delta);
      }
    }
    if (this.failure !== undefined && !isSaid) throw this.failure;
    this.#held = held;
  }

  /** The next deltas; undefined at the end of a whole answer. A failed one gives its `error` delta, then throws. */
  async next(): Promise<readonly Delta[] | undefined> {
    if (this.#held.length > 0) {
      const held = this.#held;
      this.#held = [];
      return held;
    }
    if (this.failure !== undefined) throw this.failure;
    return this.isOver ? undefined : this.#take(await this.#readSource());
  }

  /** What the source gives; where it fails, what it still knows and the `error` that it could not say. */
  async #readSource(): Promise<readonly Delta[]> {
    try {
      const deltas = await this.#source.read();
      if (deltas !== undefined) return deltas;
      throw new AttemptFailure({ kind: "truncated", message: "The deltas ended before the answer did." });
    } catch (thrown) {
      const rest = this.#source.stop();
      // The answer was whole before the connection broke.
      if (rest.at(-1)?.kind === "done") return rest;
      this.failure = failureOf(thrown);
      const said = rest.filter(({ kind }) => kind !== "error");
      // Whoever ended it wants no more deltas, only to know what came.
      if (this.#scope.ended?.by === "caller") throw this.#abandon(said);
      return [...said, errorDelta(this.failure.error)];
    }
  }

  #abandon(said: readonly Delta[]): AttemptFailure {
    this.#take(said);
    for (const price of this.#price()) this.#assembler.push(price);
    this.#end();
    return failureOf(this.failure);
  }

  /** Assembles a batch, and says in it what a provider does not know: where the answer comes from and what it costs. */
  #take(deltas: readonly Delta[]): readonly Delta[] {
    let taken: Delta[] | undefined;
    for (let index = 0; index < deltas.length && !this.isOver; index += 1) {
      // The loop stays within the list.
      const delta = deltas[index] as Delta;
      const { kind } = delta;
      try {
        if (kind === "start" || kind === "done" || kind === "error") {
          taken ??= deltas.slice(0, index);
          for (const each of this.#mark(delta)) taken.push(this.#push(each));
        } else {
          this.#assembler.push(delta);
          taken?.push(delta);
        }
      } catch (thrown) {
        taken ??= deltas.slice(0, index);
        this.failure ??= failureOf(thrown);
        if (this.#begun !== undefined) taken.push(this.#push(errorDelta(this.failure.error)));
        else this.#end();
      }
    }
    return taken ?? deltas;
  }

  #push(delta: Delta): Delta {
    this.#assembler.push(delta);
    if (delta.kind === "done" || delta.kind === "error") this.#end();
    return delta;
  }

  #end(): void {
    this.isOver = true;
    if (this.#assembler.complete) return this.#source.finish();
    this.#source.stop();
    const partial = this.#partial();
    const error = this.failure?.error ?? partial?.error ?? { kind: "unknown", message: "The answer failed." };
    const { cause } = this.failure ?? {};
    this.failure = new AttemptFailure(error, cause === undefined ? { partial } : { partial, cause });
  }

  #mark(delta: Extract<Delta, { kind: "start" | "done" | "error" }>): Delta[] {
    if (delta.kind === "start") return [this.#markStart(delta)];
    const { usage } = this;
    const price = this.#price();
    if (delta.kind === "error") return [...price, delta];
    const { finishReason: unified, raw, message, extra } = delta.payload;
    const priced = usage && Object.assign(usage, price[0]?.payload);
    const facts = lastFacts(this.#asked, priced, raw === undefined ? { unified } : { unified, raw }, extra);
    const told = { ...message, metadata: { ...message?.metadata, ...facts } };
    return [...price, { ...delta, payload: { ...delta.payload, message: told } }];
  }

  /** What the usage seen so far costs, as a delta, where the provider does not say it. */
  #price(): { kind: "usage"; payload: { cost: number } }[] {
    const { usage } = this;
    const begun = this.#begun;
    const cost = usage && begun && missingCost(usage, this.#asked, begun.model);
    return cost === undefined ? [] : [{ kind: "usage", payload: { cost } }];
  }

  #markStart(delta: Extract<Delta, { kind: "start" }>): Delta {
    const { modelId, requestId, message } = delta.payload;
    const begun = { id: requestId, model: modelId };
    const told = { ...message, metadata: { ...message?.metadata, ...firstFacts(this.#asked, begun) } };
    this.#begun ??= begun;
    return { ...delta, payload: { ...delta.payload, message: told } };
  }

  /** The usage seen so far (B67). */
  get usage(): Usage | undefined {
    return this.#begun && this.#assembler.snapshot().usage;
  }

  snapshot(): Snapshot | undefined {
    return this.#begun && this.#assembler.snapshot();
  }

  /** The whole answer. Only once there is no more to read. */
  response(): Response {
    return this.#assembler.finish();
  }

  #partial(): Response | undefined {
    try {
      return this.#assembler.finish();
    } catch (error) {
      if (error instanceof AssemblyError) return error.response;
      throw error;
    }
  }
}

/** `start` and `usage` are no word of the answer yet: one that fails behind them can be asked for again. */
export function saysSomething({ kind }: Delta): boolean {
  return kind !== "start" && kind !== "usage" && kind !== "error";
}
