// Decodes one answer of a Bedrock stream: its open blocks, and the response fields that arrive with its start and end.
// The collected fields are decoded like those of a complete response (B80).
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { ModelResponse } from "../../../model/response.ts";
import { buildDoneDelta, buildFailureDelta } from "../../blocks/stream/answer-deltas.ts";
import type { AnswerDecoder } from "../../blocks/stream/decode-stream.ts";
import type { DecodeContext, Renames } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { OpenBlocks } from "../../kit/streams/open-blocks.ts";
import { createStartDelta } from "../../kit/streams/stream-deltas.ts";
import { createDecodeState } from "../content/decode-block.ts";
import type { BedrockDecodeState } from "../content/decode-state.ts";
import { decodeResponseBody, STOP_REASON } from "../response/response.ts";
import { BedrockCallBlock } from "./call-block.ts";
import type { BedrockOpenBlock } from "./open-blocks.ts";
import { BedrockBufferedBlock, BedrockTextBlock, BedrockThinkingBlock } from "./open-blocks.ts";
import type { BedrockStreamCalls } from "./stream-calls.ts";

/** The key of the padding in an event, which hides the event's length from observers of the connection. */
export const PADDING = "p";

export class BedrockAnswerDecoder implements AnswerDecoder {
  readonly #context: DecodeContext;
  readonly #state: BedrockDecodeState;
  readonly #calls: BedrockStreamCalls;
  /** The response fields that have arrived so far, without message and usage. */
  readonly #fields: JsonObject = {};
  /** The message fields that have arrived so far, without content. */
  readonly #message: JsonObject = {};
  #usage: JsonObject | undefined;
  #isUsageEmitted = true;
  readonly #blocks = new OpenBlocks<BedrockOpenBlock>();
  #blockCount = 0;
  /** True once messageStop has arrived. */
  isStopped = false;
  /** True once the metadata event has arrived. */
  hasMetadata = false;

  constructor(context: DecodeContext, calls: BedrockStreamCalls, names: Renames | undefined) {
    this.#context = context;
    this.#calls = calls;
    this.#state = createDecodeState(context, names, calls.usedIds);
  }

  start(message: JsonObject): Delta[] {
    copyFields(message, this.#message, "content");
    const { extra } = this.#decodeFields().message;
    const delta = createStartDelta({ modelId: "", requestId: "", ...(extra && { message: { extra } }) });
    return [delta];
  }

  /**
   * Merges response fields into the collected fields, where later values win, and emits the usage if it has changed.
   */
  addFields(fields: JsonObject): Delta[] {
    const { usage, output } = fields;
    copyFields(fields, this.#fields, "output", isObject(usage) ? "usage" : "");
    if (isObject(usage)) {
      this.#usage ??= {};
      copyFields(usage, this.#usage);
      this.#isUsageEmitted = false;
    }
    if (isObject(output)) {
      if (isObject(output["message"])) copyFields(output["message"], this.#message, "content");
      const { output: previous } = this.#fields;
      const outputFields: JsonObject = isObject(previous) ? previous : {};
      copyFields(output, outputFields, "message");
      if (Object.keys(outputFields).length > 0) this.#fields["output"] = outputFields;
    }
    return this.#emitUsage();
  }

  /** Decodes the fields that have arrived so far as a complete response without content. */
  #decodeFields(): ModelResponse {
    const wire = copyObject(this.#fields);
    const output = isObject(wire["output"]) ? copyObject(wire["output"]) : {};
    output["message"] = { ...this.#message, content: [] };
    wire["output"] = output;
    if (this.#usage !== undefined) wire["usage"] = copyObject(this.#usage);
    return decodeResponseBody(wire, createDecodeState(this.#context));
  }

  /** Emits the token counts if they have changed since they were last emitted (B67). */
  #emitUsage(): Delta[] {
    const usage = this.#isUsageEmitted ? undefined : this.#decodeFields().usage;
    this.#isUsageEmitted = true;
    return usage === undefined ? [] : [{ kind: "usage", payload: { ...usage } }];
  }

  /** Returns the open block with this index; undefined if there is none. */
  block(index: unknown): BedrockOpenBlock | undefined {
    return this.#blocks.get(index);
  }

  /** Opens a block; an open block with the same index is closed first (B76). */
  open(index: unknown, kind: BedrockOpenBlock["kind"], start: JsonObject): Delta[] {
    const deltas = this.#blocks.closeBefore(index);
    const block = this.#createBlock(kind, start, this.#blockCount++);
    this.#blocks.add(index, block);
    if (block instanceof BedrockCallBlock) deltas.push(...block.open());
    return deltas;
  }

  #createBlock(kind: BedrockOpenBlock["kind"], start: JsonObject, key: number): BedrockOpenBlock {
    switch (kind) {
      case "text":
        return new BedrockTextBlock(key, this.#state);
      case "thinking":
        return new BedrockThinkingBlock(key, this.#state);
      case "call":
        return new BedrockCallBlock(start, key, this.#state, this.#calls);
      case "buffered":
        return new BedrockBufferedBlock(start, key, this.#state, this.#calls);
    }
  }

  close(index: unknown): Delta[] {
    return this.#blocks.close(index);
  }

  finish(unknownEvents: readonly JsonObject[]): Delta[] {
    const response = this.#decodeFields();
    const deltas = this.#blocks.finish(response.finishReason);
    deltas.push(buildDoneDelta(response, unknownEvents, this.#context));
    return deltas;
  }

  fail(reason: Delta, unknownEvents: readonly JsonObject[]): Delta[] {
    const hasStopReason = typeof this.#fields[STOP_REASON] === "string";
    const deltas = this.#blocks.abandon();
    deltas.push(buildFailureDelta(reason, this.#decodeFields(), hasStopReason, unknownEvents, this.#context));
    return deltas;
  }
}

function copyFields(from: JsonObject, to: JsonObject, ...excluded: readonly string[]): void {
  for (const key of Object.keys(from)) {
    if (key !== PADDING && !excluded.includes(key) && from[key] !== undefined) copyField(from, key, to);
  }
}
