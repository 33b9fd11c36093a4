// Defines the base class of the stream decoders of both block dialects: it holds the current answer, ends it, and
// collects unknown events.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { DecodeContext, EventDecoder, Renames } from "../../dialect.ts";
import { readObject } from "../../kit/fields/read-wire.ts";
import { createStartDelta, createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";

/** Decodes one answer of a stream while its events arrive. */
export interface AnswerDecoder {
  /** True once the stop reason or the stop event has arrived. */
  readonly isStopped: boolean;
  finish(unknownEvents: readonly JsonObject[]): Delta[];
  fail(reason: Delta, unknownEvents: readonly JsonObject[]): Delta[];
}

export abstract class BlockStreamDecoder<Answer extends AnswerDecoder> implements EventDecoder {
  protected readonly context: DecodeContext;
  /** The renames of the request that the stream answers; undefined if the request is not known. */
  protected readonly names: Renames | undefined;
  /** The decoder of the current answer; undefined before the first and after the last event of an answer. */
  protected answer: Answer | undefined;
  /** True once an answer has ended. */
  protected hasEnded = false;
  /** The unknown events of the current answer, which its last delta stores as residue (B43). */
  protected unknownEvents: JsonObject[] = [];

  constructor(context: DecodeContext, names: Renames | undefined) {
    this.context = context;
    this.names = names;
  }

  push(data: unknown, event: string | undefined): Delta[] {
    if (data === "[DONE]") return this.answer?.isStopped === true ? this.finish(this.answer) : [];
    return this.decodeWire(readObject(data, this.context), event);
  }

  /** Decodes the data of one event. */
  protected abstract decodeWire(wire: JsonObject, event: string | undefined): Delta[];

  /** Starts an answer whose start event is missing, and appends the start deltas to `deltas`. */
  protected abstract startImplicitly(deltas: Delta[]): Answer;
  /** True if an object has the shape of an event of the protocol. */
  protected abstract isProtocolEvent(wire: JsonObject): boolean;
  /** Decodes an error event, or an error body in place of a stream. */
  protected abstract decodeError(wire: JsonObject): Delta[];

  protected finish(answer: Answer): Delta[] {
    const deltas = answer.finish(this.unknownEvents);
    this.closeAnswer();
    return deltas;
  }

  /** Ends the current answer with an error; without a current answer, an empty answer is started first. */
  protected fail(reason: Delta): Delta[] {
    const deltas: Delta[] = [];
    const answer = this.answer ?? this.startImplicitly(deltas);
    for (const delta of answer.fail(reason, this.unknownEvents)) deltas.push(delta);
    this.closeAnswer();
    return deltas;
  }

  protected closeAnswer(): void {
    this.answer = undefined;
    this.hasEnded = true;
    this.unknownEvents = [];
  }

  end(reason: Delta = createTruncatedDelta()): Delta[] {
    if (this.answer !== undefined) return this.fail(reason);
    const wasEmpty = !this.hasEnded;
    const [only, ...others] = this.unknownEvents;
    if (wasEmpty && only !== undefined) {
      if (others.length > 0 || this.isProtocolEvent(only)) return this.fail(reason);
      // The stream consists of one object that is not an event of the protocol, so it is the error body of a provider
      // or proxy.
      this.unknownEvents = [];
      return this.decodeError(only);
    }
    this.hasEnded = true;
    return wasEmpty ? [createStartDelta({ modelId: "", requestId: "" }), reason] : [];
  }
}
