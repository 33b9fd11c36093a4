// Decodes one answer of an Anthropic stream: its open blocks, and its message fields, which arrive in message_start and
// message_delta. The message fields are collected and decoded like those of a whole response (B80).
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { Extra } from "../../../model/parts.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { Usage } from "../../../model/usage.ts";
import { buildDoneDelta, buildFailureDelta } from "../../blocks/stream/answer-deltas.ts";
import type { AnswerDecoder } from "../../blocks/stream/decode-stream.ts";
import type { DecodeContext, Renames } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { OpenBlocks } from "../../kit/streams/open-blocks.ts";
import { createStartDelta } from "../../kit/streams/stream-deltas.ts";
import type { StreamCallIds } from "../../kit/streams/stream-tool-calls.ts";
import { createDecodeState } from "../content/decode-block.ts";
import type { AnthropicDecodeState } from "../content/decode-state.ts";
import { decodeResponse } from "../response/response.ts";
import { PROVIDER_CALLS } from "../terms.ts";
import { AnthropicBufferedBlock, AnthropicBufferedCall } from "./buffered-blocks.ts";
import { AnthropicCallBlock } from "./call-block.ts";
import type { AnthropicOpenBlock } from "./text-blocks.ts";
import { AnthropicTextBlock, AnthropicThinkingBlock } from "./text-blocks.ts";

/** Message fields that are known only at the end of an answer. */
const END_FIELDS: ReadonlySet<string> = new Set(["stop_reason", "stop_sequence", "stop_details"]);

/** Message fields that are known at the start of an answer and do not change. */
const START_FIELDS = ["id", "model", "type", "role"] as const;

export class AnthropicAnswerDecoder implements AnswerDecoder {
  readonly #context: DecodeContext;
  readonly #state: AnthropicDecodeState;
  readonly #calls: StreamCallIds;
  /** The message fields that have arrived so far, without content and usage. */
  readonly #fields: JsonObject = {};
  #usage: JsonObject | undefined;
  #isUsageEmitted = true;
  readonly #blocks = new OpenBlocks<AnthropicOpenBlock>();
  #blockCount = 0;

  constructor(message: JsonObject, context: DecodeContext, calls: StreamCallIds, names: Renames | undefined) {
    const { id } = message;
    this.#context = context;
    this.#calls = calls;
    this.#state = createDecodeState(context, typeof id === "string" ? id : "", names);
  }

  get id(): JsonValue | undefined {
    return this.#fields["id"];
  }

  /** True once the stop reason has arrived. */
  get isStopped(): boolean {
    return typeof this.#fields["stop_reason"] === "string";
  }

  /**
   * Starts the answer with the fields of `message_start`. If `message` is a complete message, decodes its content too.
   */
  start(message: JsonObject): Delta[] {
    const { content } = message;
    this.addFields(message, "content");
    const response = this.#decodeFields((field) => !END_FIELDS.has(field));
    const { model: modelId, id: requestId, usage } = response;
    const startFields = this.#findFinalResidue(response.extra);
    const form = readForm(response, this.#context.dialect);
    for (const field of START_FIELDS)
      if (form[field] !== undefined) storeForm(startFields, this.#context.dialect, field, form[field]);
    const deltas: Delta[] = [createStartDelta({ modelId, requestId, ...startFields })];
    if (usage !== undefined) {
      const { extra, ...counts } = usage;
      deltas.push({ kind: "usage", payload: { ...counts, ...this.#findFinalResidue(extra) } });
      this.#isUsageEmitted = extra === undefined;
    }
    if (!isBlockList(content)) return deltas;
    for (const [index, block] of content.entries()) deltas.push(...this.open(index, block), ...this.close(index));
    return deltas;
  }

  /**
   * Returns the fields of the residue that can be emitted at the start of the answer. Forms and null values are left
   * out, because a later event may replace them.
   */
  #findFinalResidue(extra: Extra | undefined): { extra?: Extra } {
    const residue = extra?.[this.#context.dialect];
    const final: JsonObject = {};
    for (const key in residue) if (key !== "$form" && residue[key] !== null) copyField(residue, key, final);
    return Object.keys(final).length > 0 ? { extra: { [this.#context.dialect]: final } } : {};
  }

  /**
   * Adds message fields, except those in `excluded`. A later value replaces an earlier one, but `null` never does
   * (B65).
   */
  addFields(fields: JsonObject, ...excluded: readonly string[]): void {
    for (const key in fields) {
      if (excluded.includes(key)) continue;
      if (key === "usage" && isObject(fields[key])) this.#addUsage(fields[key]);
      else mergeField(fields, key, this.#fields);
    }
  }

  #addUsage(usage: JsonObject): void {
    this.#usage ??= {};
    for (const key in usage) mergeField(usage, key, this.#usage);
    this.#isUsageEmitted = false;
  }

  /** Decodes the fields that have arrived so far, or those that `isIncluded` accepts, as a response without content. */
  #decodeFields(isIncluded: (field: string) => boolean = () => true): ModelResponse {
    const wire = copyObject(this.#fields);
    for (const field of Object.keys(wire)) if (!isIncluded(field)) delete wire[field];
    if (this.#usage !== undefined) wire["usage"] = copyObject(this.#usage);
    wire["content"] = [];
    return decodeResponse(wire, this.#context, {});
  }

  /** Emits the token counts if they have changed since they were last emitted (B67). */
  emitUsage(usage: Usage | undefined = this.#isUsageEmitted ? undefined : this.#decodeFields().usage): Delta[] {
    if (this.#isUsageEmitted || usage === undefined) return [];
    this.#isUsageEmitted = true;
    return [{ kind: "usage", payload: { ...usage } }];
  }

  block(index: unknown): AnthropicOpenBlock | undefined {
    return this.#blocks.get(index);
  }

  /**
   * Opens a block. First closes the blocks that must be closed before it, such as an open block with the same index
   * (B76).
   */
  open(index: unknown, wire: JsonObject): Delta[] {
    const deltas = this.#blocks.closeBefore(index);
    const block = this.#createBlock(wire, this.#blockCount++);
    this.#blocks.add(index, block);
    for (const delta of block.open()) deltas.push(delta);
    return deltas;
  }

  #createBlock(wire: JsonObject, key: number): AnthropicOpenBlock {
    const { type, text, thinking, name, cache_control: cacheControl } = wire;
    // Deltas of text, thinking and calls have no field for a cache breakpoint, so a block with a breakpoint is emitted
    // as one `part` delta.
    const canStream = cacheControl === undefined;
    if (canStream && type === "text" && isOptionalText(text)) return new AnthropicTextBlock(wire, key, this.#state);
    if (canStream && type === "thinking" && isOptionalText(thinking)) {
      return new AnthropicThinkingBlock(wire, key, this.#state);
    }
    const isCall = typeof name === "string" && (type === "tool_use" || PROVIDER_CALLS.has(type));
    const Block = !isCall ? AnthropicBufferedBlock : canStream ? AnthropicCallBlock : AnthropicBufferedCall;
    return new Block(wire, key, this.#state, this.#calls);
  }

  close(index: unknown): Delta[] {
    return this.#blocks.close(index);
  }

  finish(unknownEvents: readonly JsonObject[]): Delta[] {
    const response = this.#decodeFields();
    const deltas = [...this.#blocks.finish(response.finishReason), ...this.emitUsage(response.usage)];
    deltas.push(buildDoneDelta(response, unknownEvents, this.#context));
    return deltas;
  }

  fail(reason: Delta, unknownEvents: readonly JsonObject[]): Delta[] {
    const response = this.#decodeFields();
    const deltas = [...this.#blocks.abandon(), ...this.emitUsage(response.usage)];
    deltas.push(buildFailureDelta(reason, response, this.isStopped, unknownEvents, this.#context));
    return deltas;
  }
}

/** True if the content of a message is a list of objects. */
export function isBlockList(content: unknown): content is JsonObject[] {
  return Array.isArray(content) && content.every(isObject);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function mergeField(from: JsonObject, key: string, to: JsonObject): void {
  if (from[key] !== undefined && (from[key] !== null || !Object.hasOwn(to, key))) copyField(from, key, to);
}
