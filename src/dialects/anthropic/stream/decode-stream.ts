// Decodes the events of an Anthropic stream, even if events are missing, repeated or in a wrong order.
import { disassemble } from "../../../assembly/disassemble.ts";
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { BlockStreamDecoder } from "../../blocks/stream/decode-stream.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder } from "../../dialect.ts";
import { copyField, isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { createErrorDelta, createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";
import { StreamCallIds } from "../../kit/streams/stream-tool-calls.ts";
import { decodeErrorResponse } from "../response/error-response.ts";
import { readError } from "../response/errors.ts";
import { AnthropicAnswerDecoder, isBlockList } from "./answer-decoder.ts";
import { isPlainDelta } from "./text-blocks.ts";

export function createStreamDecoder(context: DecodeContext, { names }: DecodeReplyOptions): EventDecoder {
  return new AnthropicStreamDecoder(context, names);
}

/** Message fields that only `message_start` can set. */
const START_FIELDS: readonly string[] = ["id", "model", "type", "role", "content"];

const BLOCK_START_FIELDS: ReadonlySet<string> = new Set(["type", "index", "content_block"]);
const BLOCK_STOP_FIELDS: ReadonlySet<string> = new Set(["type", "index"]);

/** The block to open for a delta whose block has no start event, by type of the delta. */
const IMPLICIT_BLOCKS: ReadonlyMap<unknown, JsonObject> = new Map<unknown, JsonObject>([
  ["text_delta", { type: "text", text: "" }],
  ["citations_delta", { type: "text", text: "" }],
  ["thinking_delta", { type: "thinking", thinking: "" }],
  ["signature_delta", { type: "thinking", thinking: "" }],
]);
const KNOWN_DELTAS: ReadonlySet<unknown> = new Set([...IMPLICIT_BLOCKS.keys(), "input_json_delta", "compaction_delta"]);

class AnthropicStreamDecoder extends BlockStreamDecoder<AnthropicAnswerDecoder> {
  readonly #calls = new StreamCallIds();

  protected decodeWire(wire: JsonObject, event: string | undefined): Delta[] {
    const { type } = wire;
    // The field `type` of the data determines the event, because the SSE event name may be missing (B70).
    switch (typeof type === "string" ? type : "") {
      case "content_block_delta":
        return this.#decodeBlockDelta(wire);
      case "content_block_start":
        return this.#openBlock(wire);
      case "content_block_stop":
        return this.#closeBlock(wire);
      case "message_start":
        return this.#startMessage(wire);
      case "message_delta":
        return this.#decodeMessageDelta(wire);
      case "message_stop":
        return this.#stopMessage(wire);
      case "ping":
        return [];
      default:
        return this.#decodeOther(wire, event);
    }
  }

  /**
   * Decodes data whose `type` is none of the event types that `decodeWire` handles: a whole message instead of a stream
   * (B74), an error, or an unknown event (B43).
   */
  #decodeOther(wire: JsonObject, event: string | undefined): Delta[] {
    const { type, error, content } = wire;
    if (type === "message" && this.answer === undefined && isBlockList(content)) {
      this.answer = this.#createAnswer(wire);
      return [...this.answer.start(wire), ...this.finish(this.answer)];
    }
    if (type === "error" || event === "error" || (type === undefined && isObject(error))) return this.decodeError(wire);
    this.unknownEvents.push(wire);
    return [];
  }

  /** Decodes a `content_block_delta` event. Plain text, which is nearly every event, has a fast path. */
  #decodeBlockDelta(wire: JsonObject): Delta[] {
    const { delta, index } = wire;
    const block = this.answer?.block(index);
    if (!isObject(delta)) {
      this.unknownEvents.push(wire);
      return [];
    }
    if (delta["type"] === "text_delta" && block?.kind === "text") {
      const { text } = delta;
      if (typeof text === "string" && isPlainDelta(wire, delta)) {
        return [{ kind: "text", payload: { textDelta: text, partKey: block.key } }];
      }
    }
    return this.#addToBlock(delta, wire);
  }

  #addToBlock(delta: JsonObject, wire: JsonObject): Delta[] {
    const { index } = wire;
    const block = this.answer?.block(index);
    const added = block?.add(delta, wire);
    if (added !== undefined) return added;
    if (block !== undefined && !KNOWN_DELTAS.has(delta["type"])) {
      block.storeEvent(wire);
      return [];
    }
    // No open block with this index accepts the delta (B76). If the type of the delta determines a block, that block is
    // opened for it; otherwise the event is stored as unknown.
    const implicitBlock = IMPLICIT_BLOCKS.get(delta["type"]);
    if (implicitBlock === undefined) {
      this.unknownEvents.push(wire);
      return [];
    }
    const deltas: Delta[] = [];
    const answer = this.#requireAnswer(deltas);
    for (const each of answer.open(index, implicitBlock)) deltas.push(each);
    const content = answer.block(index)?.add(delta, wire);
    if (content === undefined) this.unknownEvents.push(wire);
    else for (const each of content) deltas.push(each);
    return deltas;
  }

  /**
   * Returns the current answer. If there is none, because message_start is missing, starts an answer and adds its
   * deltas to `deltas`.
   */
  #requireAnswer(deltas: Delta[]): AnthropicAnswerDecoder {
    return this.answer ?? this.startImplicitly(deltas);
  }

  protected startImplicitly(deltas: Delta[]): AnthropicAnswerDecoder {
    this.answer = this.#createAnswer({});
    for (const delta of this.answer.start({})) deltas.push(delta);
    return this.answer;
  }

  #createAnswer(message: JsonObject): AnthropicAnswerDecoder {
    return new AnthropicAnswerDecoder(message, this.context, this.#calls, this.names);
  }

  #startMessage(wire: JsonObject): Delta[] {
    const { message } = wire;
    const fields = isObject(message) ? message : {};
    const answer = this.answer;
    const deltas: Delta[] = [];
    if (answer !== undefined) {
      // A message_start with the id of the current answer updates the fields of that answer. A message_start with a
      // different id ends the current answer as truncated and starts the next answer.
      if (answer.id === fields["id"]) {
        answer.addFields(fields, "content");
        return answer.emitUsage();
      }
      deltas.push(...this.fail(createTruncatedDelta()));
    }
    const hasUnknownContent = fields["content"] !== undefined && !isBlockList(fields["content"]);
    if (!isObject(message) || hasUnknownContent) this.unknownEvents.push(wire);
    this.answer = this.#createAnswer(fields);
    this.#addMessageFields(wire, this.answer);
    deltas.push(...this.answer.start(fields));
    return deltas;
  }

  #openBlock(wire: JsonObject): Delta[] {
    const { index, content_block: block } = wire;
    if (!isObject(block)) {
      this.unknownEvents.push(wire);
      return [];
    }
    const deltas: Delta[] = [];
    const answer = this.#requireAnswer(deltas);
    // Unknown fields of the event become fields of the block, so that they are stored in the residue of its part.
    const extended = unknownFields(wire, BLOCK_START_FIELDS);
    if (extended !== undefined) for (const key of Object.keys(block)) copyField(block, key, extended);
    for (const delta of answer.open(index, extended ?? block)) deltas.push(delta);
    return deltas;
  }

  #closeBlock(wire: JsonObject): Delta[] {
    if (unknownFields(wire, BLOCK_STOP_FIELDS) !== undefined) this.unknownEvents.push(wire);
    return this.answer?.close(wire["index"]) ?? [];
  }

  /** Decodes a `message_delta` event, which has the stop reason and the usage. */
  #decodeMessageDelta(wire: JsonObject): Delta[] {
    // After the end of an answer, the event belongs to no answer and is ignored.
    if (this.answer === undefined && this.hasEnded) return [];
    const deltas: Delta[] = [];
    const answer = this.#requireAnswer(deltas);
    this.#addMessageFields(wire, answer);
    deltas.push(...answer.emitUsage());
    return deltas;
  }

  /**
   * Adds the message fields of an event to the answer. An event with a field at a wrong place, such as an id in
   * `message_delta`, is also stored as an unknown event.
   */
  #addMessageFields(wire: JsonObject, answer: AnthropicAnswerDecoder): void {
    const { delta } = wire;
    let hasMisplaced = delta !== undefined && !isObject(delta);
    if (isObject(delta)) {
      answer.addFields(delta, ...START_FIELDS, "usage");
      hasMisplaced = START_FIELDS.some((field) => Object.hasOwn(delta, field)) || delta["usage"] !== undefined;
    }
    answer.addFields(wire, ...START_FIELDS, "message", "delta");
    if (hasMisplaced || START_FIELDS.some((field) => field !== "type" && Object.hasOwn(wire, field))) {
      this.unknownEvents.push(wire);
    }
  }

  #stopMessage(wire: JsonObject): Delta[] {
    if (this.answer === undefined && this.hasEnded) return [];
    const deltas: Delta[] = [];
    const answer = this.#requireAnswer(deltas);
    this.#addMessageFields(wire, answer);
    return [...deltas, ...this.finish(answer)];
  }

  /**
   * Decodes an error. Within an answer, the error ends the answer with an error delta (B72). An error body that arrives
   * before any answer and any unknown event is decoded like an error response.
   */
  protected decodeError(wire: JsonObject): Delta[] {
    const { type, error } = wire;
    const isAlone = this.answer === undefined && this.unknownEvents.length === 0;
    if (!isAlone || type !== "error" || !isObject(error)) return this.fail(createErrorDelta(readError(wire)));
    this.closeAnswer();
    return disassemble(decodeErrorResponse(wire, error, this.context.dialect));
  }

  protected isProtocolEvent(wire: JsonObject): boolean {
    return wire["type"] !== undefined;
  }
}
