// Decodes the events of a Bedrock stream, in any order. The stop reason arrives before the token counts, so an answer
// has ended once both have arrived, or when the stream ends.
import { disassemble } from "../../../assembly/disassemble.ts";
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelResponse } from "../../../model/response.ts";
import { buildErrorResponse } from "../../blocks/errors.ts";
import { hasFieldCount } from "../../blocks/fields.ts";
import { BlockStreamDecoder } from "../../blocks/stream/decode-stream.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder } from "../../dialect.ts";
import { DialectError } from "../../errors.ts";
import { copyField, isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { createErrorDelta, createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";
import { createDecodeState } from "../content/decode-block.ts";
import { findExceptionEvent, isErrorBody, readError } from "../response/errors.ts";
import { decodeResponseBody } from "../response/response.ts";
import { BedrockAnswerDecoder, PADDING } from "./answer-decoder.ts";
import type { BedrockOpenBlock } from "./open-blocks.ts";
import { BedrockStreamCalls } from "./stream-calls.ts";

export function createStreamDecoder(context: DecodeContext, { names }: DecodeReplyOptions): EventDecoder {
  return new BedrockStreamDecoder(context, names);
}

const EVENT_NAMES = [
  "contentBlockDelta",
  "contentBlockStart",
  "contentBlockStop",
  "messageStart",
  "messageStop",
  "metadata",
] as const;
type EventName = (typeof EVENT_NAMES)[number];
const INDEX = "contentBlockIndex";

/** The kind of block that a field of a contentBlockDelta belongs to. */
const BLOCK_KINDS: ReadonlyMap<string, BedrockOpenBlock["kind"]> = new Map<string, BedrockOpenBlock["kind"]>([
  ["text", "text"],
  ["citation", "text"],
  ["reasoningContent", "thinking"],
  ["toolUse", "call"],
  ["toolResult", "buffered"],
  ["image", "buffered"],
]);
const DELTA_EVENT_FIELDS: ReadonlySet<string> = new Set(["delta", INDEX, PADDING]);
const STOP_EVENT_FIELDS: ReadonlySet<string> = new Set([INDEX, PADDING]);
const START_EVENT_FIELDS: ReadonlySet<string> = new Set(["start", INDEX, PADDING]);

class BedrockStreamDecoder extends BlockStreamDecoder<BedrockAnswerDecoder> {
  readonly #calls = new BedrockStreamCalls();

  protected decodeWire(wire: JsonObject, event: string | undefined): Delta[] {
    const { contentBlockDelta } = wire;
    if (isObject(contentBlockDelta) && hasFieldCount(wire, 1)) return this.#decodeBlockDelta(contentBlockDelta);
    // The event name may be given beside the data (as the SSE event) instead of as the only key of the data.
    const nameOfEvent = EVENT_NAMES.find((name) => name === event && wire[name] === undefined);
    if (nameOfEvent !== undefined) return this.#decodeEvent(nameOfEvent, wire);
    const name = EVENT_NAMES.find((each) => isObject(wire[each]));
    if (name === undefined || event === "error") return this.#decodeOther(wire, event);
    const { [name]: payload, ...others } = wire;
    if (Object.keys(others).length > 0) this.unknownEvents.push(others);
    return this.#decodeEvent(name, payload as JsonObject);
  }

  #decodeEvent(name: EventName, payload: JsonObject): Delta[] {
    switch (name) {
      case "contentBlockDelta":
        return this.#decodeBlockDelta(payload);
      case "contentBlockStart":
        return this.#openBlock(payload);
      case "contentBlockStop":
        if (unknownFields(payload, STOP_EVENT_FIELDS) !== undefined) {
          this.unknownEvents.push({ contentBlockStop: payload });
        }
        return this.answer?.close(payload[INDEX]) ?? [];
      case "messageStart":
        return this.#startMessage(payload);
      case "messageStop":
      case "metadata":
        return this.#decodeEnd(payload, name);
    }
  }

  /** Decodes data that is not an event of an answer: an exception, a complete response (B74) or an unknown event. */
  #decodeOther(wire: JsonObject, event: string | undefined): Delta[] {
    const isException = findExceptionEvent(wire) !== undefined;
    if (event === "error" || isException || (isErrorBody(wire) && typeof wire["output"] !== "object")) {
      return this.decodeError(wire);
    }
    const { output } = wire;
    if (this.answer === undefined && isObject(output) && isObject(output["message"])) {
      return this.#decodeWholeResponse(wire);
    }
    // Some streams end with an empty frame, which is ignored.
    if (!hasFieldCount(wire, 0)) this.unknownEvents.push(wire);
    return [];
  }

  /** Decodes a complete response; a malformed response is stored as an unknown event. */
  #decodeWholeResponse(wire: JsonObject): Delta[] {
    let response: ModelResponse;
    try {
      response = decodeResponseBody(wire, createDecodeState(this.context, this.names, this.#calls.usedIds));
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      this.context.pathTracker.reset();
      this.unknownEvents.push(wire);
      return [];
    }
    for (const part of response.message.parts) if (part.type === "tool-call") this.#calls.assignId(part);
    this.closeAnswer();
    return disassemble(response);
  }

  /** Decodes a contentBlockDelta. Plain deltas, which are nearly all events, take a fast path. */
  #decodeBlockDelta(payload: JsonObject): Delta[] {
    const { delta } = payload;
    const block = this.answer?.block(payload[INDEX]);
    if (!isObject(delta)) {
      this.unknownEvents.push({ contentBlockDelta: payload });
      return [];
    }
    const isPlain = hasFieldCount(delta, 1) && hasFieldCount(payload, payload[PADDING] === undefined ? 2 : 3);
    if (block === undefined || !isPlain) return this.#addToBlocks(delta, payload);
    const { text, toolUse, reasoningContent } = delta;
    if (typeof text === "string" && block.kind === "text") {
      return [{ kind: "text", payload: { textDelta: text, partKey: block.key } }];
    }
    if (block.kind === "call" ? isObject(toolUse) : block.kind === "thinking" && isObject(reasoningContent)) {
      return block.add(delta);
    }
    return this.#addToBlocks(delta, payload);
  }

  /**
   * Splits the fields of a delta by the kind of block that they belong to, because a delta may have fields of several
   * blocks (B75). Unknown fields are added to the fields of the last known kind, or to the open block if no field is
   * known.
   */
  #addToBlocks(delta: JsonObject, payload: JsonObject): Delta[] {
    const deltas: Delta[] = [];
    const answer = this.#requireAnswer(deltas);
    const index = payload[INDEX];
    const fieldsByKind = new Map<BedrockOpenBlock["kind"], JsonObject>();
    const unknown: JsonObject = unknownFields(payload, DELTA_EVENT_FIELDS) ?? {};
    for (const key of Object.keys(delta)) {
      const kind = hasExpectedType(key, delta) ? BLOCK_KINDS.get(key) : undefined;
      const fields = kind === undefined ? unknown : (fieldsByKind.get(kind) ?? {});
      copyField(delta, key, fields);
      if (kind !== undefined) fieldsByKind.set(kind, fields);
    }
    const [lastKind] = [...fieldsByKind.keys()].slice(-1);
    if (lastKind === undefined) fieldsByKind.set(answer.block(index)?.kind ?? "buffered", unknown);
    else for (const key of Object.keys(unknown)) copyField(unknown, key, fieldsByKind.get(lastKind) ?? {});
    for (const [kind, fields] of fieldsByKind) {
      const openKind = answer.block(index)?.kind;
      // Arguments of a call without a start event are buffered and become an opaque part.
      const requiredKind = kind === "call" && openKind !== "call" ? "buffered" : kind;
      if (openKind !== requiredKind) for (const each of answer.open(index, requiredKind, {})) deltas.push(each);
      for (const each of answer.block(index)?.add(fields) ?? []) deltas.push(each);
    }
    return deltas;
  }

  /** Returns the current answer, or starts a new answer if there is none or if messageStop has already arrived. */
  #requireAnswer(deltas: Delta[]): BedrockAnswerDecoder {
    if (this.answer?.isStopped === true) deltas.push(...this.finish(this.answer));
    return this.answer ?? this.startImplicitly(deltas);
  }

  protected startImplicitly(deltas: Delta[]): BedrockAnswerDecoder {
    return this.#startAnswer({ role: "assistant" }, deltas);
  }

  #startAnswer(message: JsonObject, deltas: Delta[]): BedrockAnswerDecoder {
    this.answer = new BedrockAnswerDecoder(this.context, this.#calls, this.names);
    deltas.push(...this.answer.start(message));
    return this.answer;
  }

  #startMessage(payload: JsonObject): Delta[] {
    const deltas: Delta[] = [];
    const answer = this.answer;
    if (answer?.isStopped === true) deltas.push(...this.finish(answer));
    // A new message before the end of the current message means that the current message is truncated.
    else if (answer !== undefined) deltas.push(...this.fail(createTruncatedDelta()));
    this.#startAnswer(payload, deltas);
    return deltas;
  }

  #openBlock(payload: JsonObject): Delta[] {
    const { start } = payload;
    if (!isObject(start)) {
      this.unknownEvents.push({ contentBlockStart: payload });
      return [];
    }
    const deltas: Delta[] = [];
    const answer = this.#requireAnswer(deltas);
    const block: JsonObject = { ...start, ...unknownFields(payload, START_EVENT_FIELDS) };
    const { toolUse } = block;
    const isCall = isObject(toolUse) && typeof toolUse["name"] === "string";
    // An empty start event does not tell the kind of the block, so the first delta opens it. Only an open block with
    // the same index is closed here.
    if (hasFieldCount(block, 0)) return [...deltas, ...answer.close(payload[INDEX])];
    for (const delta of answer.open(payload[INDEX], isCall ? "call" : "buffered", block)) deltas.push(delta);
    return deltas;
  }

  /** Decodes messageStop and metadata; the answer has ended once both have arrived. */
  #decodeEnd(payload: JsonObject, name: "messageStop" | "metadata"): Delta[] {
    // An event after the end of the last answer belongs to no answer, so it is ignored.
    if (this.answer === undefined && this.hasEnded) return [];
    const deltas: Delta[] = [];
    const answer = this.answer ?? this.startImplicitly(deltas);
    deltas.push(...answer.addFields(payload));
    if (name === "messageStop") answer.isStopped = true;
    else answer.hasMetadata = true;
    return answer.isStopped && answer.hasMetadata ? [...deltas, ...this.finish(answer)] : deltas;
  }

  /**
   * Decodes an exception, also in the middle of an answer (B72). An exception before any answer becomes a failed
   * response.
   */
  protected decodeError(wire: JsonObject): Delta[] {
    if (this.answer === undefined && isErrorBody(wire)) {
      this.closeAnswer();
      return disassemble(buildErrorResponse(readError(wire), this.context.dialect));
    }
    return this.fail(createErrorDelta(readError(wire)));
  }

  protected override closeAnswer(): void {
    super.closeAnswer();
    this.#calls.endAnswer();
  }

  protected isProtocolEvent(wire: JsonObject): boolean {
    return EVENT_NAMES.some((name) => wire[name] !== undefined);
  }

  override end(reason?: Delta): Delta[] {
    // messageStop has arrived and only the token counts are missing, so the answer is complete.
    if (this.answer?.isStopped === true) return this.finish(this.answer);
    return super.end(reason);
  }
}

/** True if a field of a delta has the type that the kind of its block requires. */
function hasExpectedType(key: string, delta: JsonObject): boolean {
  const value = delta[key];
  if (key === "text") return typeof value === "string";
  return isObject(value) || (key === "toolResult" && Array.isArray(value));
}
