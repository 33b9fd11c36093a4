// Base of the stream decoders: the current answer, its end, and the events that the protocol does not define.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { DecodeContext, EventDecoder, Renames } from "../../dialect.ts";
import { readObject } from "../../kit/fields/read-wire.ts";
import { createStartDelta, createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";

/** One answer of a stream while its events arrive. */
export interface AnswerDecoder {
  /** True after the stop reason or stop event has arrived. */
  readonly isStopped: boolean;
  finish(unknownEvents: readonly JsonObject[]): Delta[];
  fail(reason: Delta, unknownEvents: readonly JsonObject[]): Delta[];
}

export abstract class BlockStreamDecoder<Answer extends AnswerDecoder> implements EventDecoder {
  protected readonly context: DecodeContext;
  /** Renames of the request that the stream answers. */
  protected readonly names: Renames | undefined;
  protected answer: Answer | undefined;
  /** True after the end of an answer. */
  protected hasEnded = false;
  /** Unknown events of the current answer; its last delta stores them (B43). */
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

  /** Starts an answer whose start event is missing, and appends its first deltas. */
  protected abstract startImplicitly(deltas: Delta[]): Answer;
  /** True if an object is an event of the protocol. */
  protected abstract isProtocolEvent(wire: JsonObject): boolean;
  /** Decodes an error event or body. */
  protected abstract decodeError(wire: JsonObject): Delta[];

  protected finish(answer: Answer): Delta[] {
    const deltas = answer.finish(this.unknownEvents);
    this.closeAnswer();
    return deltas;
  }

  /** Ends the current answer, or an empty one, with an error. */
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
      // A single object that is not an event is the error body of a proxy.
      this.unknownEvents = [];
      return this.decodeError(only);
    }
    this.hasEnded = true;
    return wasEmpty ? [createStartDelta({ modelId: "", requestId: "" }), reason] : [];
  }
}
