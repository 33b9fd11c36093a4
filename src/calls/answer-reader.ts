// Reads one answer from a source of deltas: adds provider, model and cost, assembles the answer as it arrives, and
// reports every kind of failure as an `AttemptFailure`.
import type { Snapshot } from "../assembly/index.ts";
import { Assembler, AssemblyError } from "../assembly/index.ts";
import type { Delta, ModelResponse, Usage } from "../model/index.ts";
import type { TargetInfo } from "./answer-metadata.ts";
import { computeMissingCost, endMetadata, startMetadata } from "./answer-metadata.ts";
import { AttemptFailure, toAttemptFailure, toErrorDelta } from "./attempt-failure.ts";
import type { CallScope } from "./call-scope.ts";

/** A source of deltas: an HTTP reply or a local provider. */
export interface DeltaSource {
  /** Returns the deltas that have arrived, at least one; undefined at the end of the source. */
  read(): Promise<readonly Delta[] | undefined>;
  /**
   * Called when the answer is complete. The source may read the rest of the reply, so that the connection can be
   * reused.
   */
  finish(): void;
  /** Stops the source before its end and frees its resources. Returns the deltas that the decoder had buffered. */
  stop(): readonly Delta[];
}

export class AnswerReader {
  readonly #source: DeltaSource;
  readonly #info: TargetInfo;
  readonly #scope: CallScope;
  readonly #assembler = new Assembler();
  /** The failure of the answer; undefined while the answer is being read and after a complete answer. */
  failure: AttemptFailure | undefined;
  /** Deltas that `readFirstContent` has read and `next` has not returned yet. */
  #buffered: readonly Delta[] = [];
  /** The response id and model from the `start` delta; undefined until that delta arrives. */
  #started: { id: string; model: string } | undefined;
  /** True once the last delta has been read from the source; `next` may still have buffered deltas to return. */
  hasEnded = false;

  constructor(source: DeltaSource, info: TargetInfo, scope: CallScope) {
    this.#source = source;
    this.#info = info;
    this.#scope = scope;
  }

  /**
   * Reads until the first delta with content. Throws if the answer fails before that delta, so that another attempt can
   * follow. A later failure is returned by `next` as an `error` delta, even if it arrived in the same batch as the
   * content.
   */
  async readFirstContent(): Promise<void> {
    const buffered: Delta[] = [];
    let hasContent = false;
    while (!this.hasEnded && !hasContent) {
      for (const delta of this.#accept(await this.#readSource())) {
        buffered.push(delta);
        hasContent ||= isContentDelta(delta);
      }
    }
    if (this.failure !== undefined && !hasContent) throw this.failure;
    this.#buffered = buffered;
  }

  /**
   * Returns the next deltas; undefined at the end of a complete answer. For a failed answer, returns its `error` delta
   * and throws on the call after that.
   */
  async next(): Promise<readonly Delta[] | undefined> {
    if (this.#buffered.length > 0) {
      const buffered = this.#buffered;
      this.#buffered = [];
      return buffered;
    }
    if (this.failure !== undefined) throw this.failure;
    return this.hasEnded ? undefined : this.#accept(await this.#readSource());
  }

  /**
   * Returns the next deltas of the source. If the source fails, returns the deltas that it had buffered and an `error`
   * delta.
   */
  async #readSource(): Promise<readonly Delta[]> {
    try {
      const deltas = await this.#source.read();
      if (deltas !== undefined) return deltas;
      throw new AttemptFailure({ kind: "truncated", message: "The stream ended before the answer did." });
    } catch (thrown) {
      const rest = this.#source.stop();
      // A buffered `done` delta means that the answer was complete before the connection broke.
      if (rest.at(-1)?.kind === "done") return rest;
      this.failure = toAttemptFailure(thrown);
      const deltas = rest.filter(({ kind }) => kind !== "error");
      // If the caller has ended the call, no further deltas are returned. The thrown failure contains the partial
      // answer instead.
      if (this.#scope.ended?.by === "caller") throw this.#abandon(deltas);
      return [...deltas, toErrorDelta(this.failure.error)];
    }
  }

  /** Ends the answer of a call that its caller has ended. Returns the failure with the partial answer. */
  #abandon(deltas: readonly Delta[]): AttemptFailure {
    this.#accept(deltas);
    for (const costDelta of this.#costDeltas()) this.#assembler.push(costDelta);
    this.#end();
    return toAttemptFailure(this.failure);
  }

  /**
   * Assembles a batch and returns it with the data that the provider does not send: provider, model and cost. The batch
   * is copied only if a delta changes.
   */
  #accept(deltas: readonly Delta[]): readonly Delta[] {
    let accepted: Delta[] | undefined;
    for (let index = 0; index < deltas.length && !this.hasEnded; index += 1) {
      const delta = deltas[index] as Delta;
      const { kind } = delta;
      try {
        if (kind === "start" || kind === "done" || kind === "error") {
          accepted ??= deltas.slice(0, index);
          for (const each of this.#addMetadata(delta)) accepted.push(this.#push(each));
        } else {
          this.#assembler.push(delta);
          accepted?.push(delta);
        }
      } catch (thrown) {
        accepted ??= deltas.slice(0, index);
        this.failure ??= toAttemptFailure(thrown);
        if (this.#started !== undefined) accepted.push(this.#push(toErrorDelta(this.failure.error)));
        else this.#end();
      }
    }
    return accepted ?? deltas;
  }

  #push(delta: Delta): Delta {
    this.#assembler.push(delta);
    if (delta.kind === "done" || delta.kind === "error") this.#end();
    return delta;
  }

  /** Ends the answer: finishes the source of a complete answer, or stops the source and sets `failure`. */
  #end(): void {
    this.hasEnded = true;
    if (this.#assembler.complete) return this.#source.finish();
    this.#source.stop();
    const partial = this.#partial();
    const error = this.failure?.error ?? partial?.error ?? { kind: "unknown", message: "The answer failed." };
    const { cause } = this.failure ?? {};
    this.failure = new AttemptFailure(error, cause === undefined ? { partial } : { partial, cause });
  }

  /**
   * Adds Koine's metadata to a `start` or `done` delta. A delta that ends the answer (`done` or `error`) is preceded by
   * a `usage` delta with the cost if the cost was computed.
   */
  #addMetadata(delta: Extract<Delta, { kind: "start" | "done" | "error" }>): Delta[] {
    if (delta.kind === "start") return [this.#addStartMetadata(delta)];
    const { usage } = this;
    const costDeltas = this.#costDeltas();
    if (delta.kind === "error") return [...costDeltas, delta];
    const { finishReason: unified, raw, message, extra } = delta.payload;
    const pricedUsage = usage && Object.assign(usage, costDeltas[0]?.payload);
    const metadata = endMetadata(this.#info, pricedUsage, raw === undefined ? { unified } : { unified, raw }, extra);
    const withMetadata = { ...message, metadata: { ...message?.metadata, ...metadata } };
    return [...costDeltas, { ...delta, payload: { ...delta.payload, message: withMetadata } }];
  }

  /**
   * Returns a list of one delta with the cost of the usage so far; an empty list if the provider reports the cost or no
   * price is known.
   */
  #costDeltas(): { kind: "usage"; payload: { cost: number } }[] {
    const { usage } = this;
    const started = this.#started;
    const cost = usage && started && computeMissingCost(usage, this.#info, started.model);
    return cost === undefined ? [] : [{ kind: "usage", payload: { cost } }];
  }

  #addStartMetadata(delta: Extract<Delta, { kind: "start" }>): Delta {
    const { modelId, requestId, message } = delta.payload;
    const started = { id: requestId, model: modelId };
    const withMetadata = { ...message, metadata: { ...message?.metadata, ...startMetadata(this.#info, started) } };
    this.#started ??= started;
    return { ...delta, payload: { ...delta.payload, message: withMetadata } };
  }

  /** The usage that the provider has reported so far (B67); undefined before the `start` delta. */
  get usage(): Usage | undefined {
    return this.#started && this.#assembler.snapshot().usage;
  }

  snapshot(): Snapshot | undefined {
    return this.#started && this.#assembler.snapshot();
  }

  /** Returns the complete answer. May be called only after `next` has returned undefined. */
  response(): ModelResponse {
    return this.#assembler.finish();
  }

  /** Returns the partial answer of a failed stream; undefined if nothing was assembled. */
  #partial(): ModelResponse | undefined {
    try {
      return this.#assembler.finish();
    } catch (error) {
      if (error instanceof AssemblyError) return error.response;
      throw error;
    }
  }
}

/** True for deltas with content. An answer that fails after only `start` and `usage` deltas can be attempted again. */
export function isContentDelta({ kind }: Delta): boolean {
  return kind !== "start" && kind !== "usage" && kind !== "error";
}
