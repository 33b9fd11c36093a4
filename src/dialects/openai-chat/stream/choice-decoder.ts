// Decodes one choice of a stream. Deltas are emitted as chunks arrive. The chunks are also merged into a complete
// choice, from which `finish-choice.ts` emits the remaining deltas at the end.
import type { Delta, PartKey, PayloadBase } from "../../../model/delta.ts";
import { setOwn } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import { isMediaPart } from "../../../model/media-part.ts";
import type { Extra, Logprob, Part } from "../../../model/parts.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { EmittedPart } from "../../openai/emitted-part.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { decodeBlock, readThinkingText } from "../messages/content-blocks.ts";
import { decodeImages } from "../messages/decode-message.ts";
import { decodeLogprobs } from "../messages/logprobs.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { DETAILS_FIELD } from "../messages/reasoning.ts";
import { ChatAudioDecoder } from "./audio-decoder.ts";
import type { StreamCallIds } from "../../kit/streams/stream-tool-calls.ts";
import { ChatToolCallDecoder } from "./tool-call-decoder.ts";
import { ReasoningDetailsDecoder } from "./reasoning-details-decoder.ts";
import { overwriteField, appendField, GrowingText } from "./merge-chunks.ts";
import { DECODE_ORDER, PART_FIELD_SET, rankPartKey } from "./part-fields.ts";

export class ChatChoiceDecoder {
  /** Fields of the choice other than its message and log probabilities, merged from all chunks. */
  readonly fields: JsonObject = {};
  /** Emitted parts by part key. The key is the position of the part in the wire message, for example `content/0`. */
  readonly emittedParts = new Map<string, EmittedPart>();
  readonly toolCalls: ChatToolCallDecoder;
  readonly reasoningDetails: ReasoningDetailsDecoder;
  readonly #audio: ChatAudioDecoder;
  /** The merged message without its texts, calls, audio and reasoning details. */
  readonly #message: JsonObject = {};
  /** The text so far of each text field. If the content consists of blocks, `content` is the text of the last block. */
  readonly #texts = new Map<string, GrowingText>();
  /** The content blocks so far; undefined while the content is a string. */
  #blocks: JsonObject[] | undefined;
  /** The merged log probabilities, one list per field (`content`, `refusal`); undefined if no chunk had any. */
  #logprobs: JsonObject | undefined;
  /** The number of emitted images; -1 once a chunk had images that cannot be decoded, after which none are emitted. */
  #imageCount = 0;
  #unexpectedCount = 0;
  /**
   * The first field with reasoning, whose text is emitted. Other fields can repeat the same reasoning, so they are not
   * emitted.
   */
  #reasoningField: string | undefined;
  readonly #state: ChatDecodeState;
  readonly #base: PayloadBase;

  constructor(position: number, state: ChatDecodeState, callIds: StreamCallIds) {
    this.#state = state;
    this.#base = position === 0 ? {} : { choice: position };
    this.toolCalls = new ChatToolCallDecoder(state, callIds, this.emittedParts, this.#base);
    this.reasoningDetails = new ReasoningDetailsDecoder(state, this.emittedParts, this.#base);
    this.#audio = new ChatAudioDecoder(state, this.emittedParts, this.#base);
  }

  /**
   * True if the choice has a finish reason or complete audio. OpenAI's audio streams can end without a finish reason.
   */
  get isComplete(): boolean {
    return this.hasFinishReason || this.#audio.isComplete;
  }

  get hasFinishReason(): boolean {
    return this.fields["finish_reason"] !== undefined;
  }

  decode(choice: JsonObject, out: Delta[]): void {
    const { delta, message, logprobs } = choice;
    const chunkLogprobs = isObject(logprobs) ? logprobs : undefined;
    if (chunkLogprobs !== undefined) this.#addLogprobs(chunkLogprobs);
    if (isObject(delta)) this.#decodeDelta(delta, chunkLogprobs, out);
    else if (delta !== undefined && delta !== null) this.emitUnexpectedField("delta", delta, out);
    if (isObject(message)) this.#decodeDelta(this.#newFields(message), chunkLogprobs, out);
    else if (message !== undefined) overwriteField(this.fields, choice, "message");
    for (const key in choice) {
      if (
        key === "delta" ||
        key === "message" ||
        key === "index" ||
        (key === "logprobs" && chunkLogprobs !== undefined)
      )
        continue;
      const value = choice[key];
      const isEmpty =
        value === null ? key === "logprobs" || key === "finish_reason" : key === "finish_reason" && value === "";
      if (!isEmpty) overwriteField(this.fields, choice, key);
    }
  }

  #addLogprobs(logprobs: JsonObject): void {
    this.#logprobs ??= {};
    for (const key in logprobs) appendField(this.#logprobs, logprobs, key);
  }

  #growingText(field: string): GrowingText {
    let text = this.#texts.get(field);
    if (text === undefined) {
      text = new GrowingText();
      this.#texts.set(field, text);
    }
    return text;
  }

  /**
   * Returns the content of `message`, a complete message that is sent in place of a delta, that earlier chunks lack:
   * missing fields and, for a text field, the text after the received text (B77).
   */
  #newFields(message: JsonObject): JsonObject {
    const added: JsonObject = {};
    for (const key in message) {
      const value = message[key];
      const known = this.#texts.get(key)?.text ?? (key === "content" ? "" : this.#message[key]);
      if (typeof value === "string" && typeof known === "string") {
        if (value.length > known.length && value.startsWith(known)) setOwn(added, key, value.slice(known.length));
      } else if (key === "content" ? this.#blocks === undefined : !this.#hasReceived(key))
        appendField(added, message, key);
    }
    return added;
  }

  #hasReceived(key: string): boolean {
    if (key === "tool_calls") return this.toolCalls.calls.length > 0;
    if (key === "function_call") return this.toolCalls.legacyCall !== undefined;
    if (key === DETAILS_FIELD) return this.reasoningDetails.details.length > 0;
    if (key === "audio") return this.#audio.wire !== undefined;
    return this.#texts.has(key) || (this.#message[key] ?? null) !== null;
  }

  #decodeDelta(delta: JsonObject, logprobs: JsonObject | undefined, out: Delta[]): void {
    let partFieldCount = 0;
    for (const key in delta) {
      if (PART_FIELD_SET.has(key)) partFieldCount++;
      else if (key !== "role") appendField(this.#message, delta, key);
      else if ((delta[key] ?? null) !== null || this.#message[key] === undefined)
        this.#message[key] = delta[key] ?? null;
    }
    const { content } = delta;
    if (typeof content === "string") {
      if (partFieldCount === 1) return this.#decodeText(content, logprobs, out);
    } else if (partFieldCount === 0 && logprobs === undefined) return;
    for (const field of DECODE_ORDER) {
      const value = delta[field];
      if (value === undefined) continue;
      if (value === null) this.#message[field] ??= null;
      else if (!this.#decodeField(field, value, delta, logprobs, out)) this.emitUnexpectedField(field, value, out);
    }
  }

  /** Decodes a field of a delta. Returns false if the value has an unexpected type. */
  #decodeField(
    field: string,
    value: JsonValue,
    delta: JsonObject,
    logprobs: JsonObject | undefined,
    out: Delta[],
  ): boolean {
    switch (field) {
      case "content":
        if (typeof value === "string") this.#decodeText(value, logprobs, out);
        else if (Array.isArray(value)) this.#decodeBlocks(value, out);
        else return false;
        return true;
      case "refusal":
        return typeof value === "string" && this.#grow("refusal", "refusal", value, logprobs, out);
      case DETAILS_FIELD:
        if (!Array.isArray(value) || !value.every(isObject)) return false;
        if (value.length === 0) this.#message[field] ??= value;
        else this.#reasoningField ??= field;
        this.reasoningDetails.decode(value, this.#reasoningField === field, out);
        return true;
      case "audio":
        return isObject(value) && this.#audio.decode(value, out);
      case "images":
        return Array.isArray(value) && this.#decodeImages(value, delta, out);
      case "tool_calls":
        if (!Array.isArray(value) || !value.every(isObject)) return false;
        if (value.length === 0) this.#message[field] ??= value;
        for (const late of this.toolCalls.decode(value, out)) this.emitUnexpectedField(field, [late], out);
        return true;
      case "function_call":
        return isObject(value) && this.toolCalls.decodeLegacy(value, out);
      default:
        return typeof value === "string" && this.#decodeReasoning(field, value, out);
    }
  }

  #decodeText(text: string, logprobs: JsonObject | undefined, out: Delta[]): void {
    if (this.#blocks !== undefined) {
      if (text !== "") this.#decodeBlocks([{ type: "text", text }], out);
      return;
    }
    this.#growingText("content").add(text);
    this.#emitText("content", "text", text, logprobs, out);
  }

  /** Appends a text to a field and emits its delta. Always returns true, which `#decodeField` returns. */
  #grow(
    field: string,
    kind: "refusal" | "thinking",
    text: string,
    logprobs: JsonObject | undefined,
    out: Delta[],
    extra?: Extra,
  ): boolean {
    this.#growingText(field).add(text);
    this.#emitText(field, kind, text, logprobs, out, extra);
    return true;
  }

  #decodeReasoning(field: string, text: string, out: Delta[]): boolean {
    if (text !== "") this.#reasoningField ??= field;
    if (this.#reasoningField === field)
      return this.#grow(field, "thinking", text, undefined, out, this.#sourceFieldForm(field));
    this.#growingText(field).add(text);
    return true;
  }

  #sourceFieldForm(field: string): Extra {
    return { [this.#state.context.dialect]: { $form: { in: field } } };
  }

  #emitText(
    key: string,
    kind: "text" | "refusal" | "thinking",
    textDelta: string,
    chunkLogprobs: JsonObject | undefined,
    out: Delta[],
    extra?: Extra,
    opensPart = textDelta !== "",
  ): void {
    const logprobs =
      chunkLogprobs === undefined || kind === "thinking" ? undefined : this.#decodeLogprobs(chunkLogprobs, kind);
    let emitted = this.emittedParts.get(key);
    if (emitted === undefined) {
      if (!opensPart) return;
      emitted = new EmittedPart(key, kind);
      emitted.extra = extra;
      this.emittedParts.set(key, emitted);
      this.toolCalls.emitReadyCalls(out);
    } else {
      if (textDelta === "" && logprobs === undefined) return;
      extra = undefined;
    }
    const payload: { textDelta: string; partKey: PartKey; logprobs?: Logprob[] } & PayloadBase = {
      textDelta,
      partKey: key,
    };
    if (this.#base.choice !== undefined) payload.choice = this.#base.choice;
    if (extra !== undefined) payload.extra = extra;
    if (logprobs !== undefined) {
      payload.logprobs = logprobs;
      emitted.logprobCount += logprobs.length;
    }
    out.push({ kind, payload });
  }

  /**
   * Decodes the log probabilities of a chunk. Returns undefined if those of an earlier chunk have not been emitted,
   * because the order would be wrong; all that are missing are then emitted at the end of the answer.
   */
  #decodeLogprobs(logprobs: JsonObject, kind: "text" | "refusal"): Logprob[] | undefined {
    const field = kind === "text" ? "content" : "refusal";
    const list = logprobs[field];
    const all = this.#logprobs?.[field];
    if (!Array.isArray(list) || !Array.isArray(all) || list.length === 0) return undefined;
    const before = this.emittedParts.get(kind === "text" ? "content" : kind)?.logprobCount ?? 0;
    return before + list.length === all.length ? decodeLogprobs(list, this.#state) : undefined;
  }

  /**
   * Decodes content blocks. The first block of a chunk can continue the last block of the previous chunk. Log
   * probabilities are assigned at the end of the answer, when it is known to which text they belong.
   */
  #decodeBlocks(list: readonly JsonValue[], out: Delta[]): void {
    if (this.#blocks === undefined) {
      this.#blocks = [];
      const content = this.#texts.get("content")?.text ?? "";
      if (content !== "") {
        this.#blocks.push({ type: "text", text: content });
        const emitted = this.emittedParts.get("content");
        if (emitted !== undefined) this.emittedParts.set("content/0", emitted);
      }
    }
    list.forEach((block, at) => {
      if (!isObject(block)) this.emitUnexpectedField("content", [block], out);
      else if (at > 0 || !this.#continueBlock(block, out)) this.#addBlock(block, out);
    });
  }

  /** Appends a block to the last received block and emits its text. Returns false if the block does not continue it. */
  #continueBlock(block: JsonObject, out: Delta[]): boolean {
    const blocks = this.#blocks ?? [];
    const last = blocks.at(-1);
    if (last === undefined || Object.keys(block).length !== 2 || block["type"] !== last["type"]) return false;
    const key = `content/${blocks.length - 1}`;
    const { text } = block;
    if (block["type"] === "text" && typeof text === "string" && typeof last["text"] === "string") {
      const grown = this.#growingText("content");
      grown.add(text);
      last["text"] = grown.text;
      this.#emitText(key, "text", text, undefined, out);
      return true;
    }
    const [before, more] = [readThinkingText(last["thinking"]), readThinkingText(block["thinking"])];
    if (block["type"] !== "thinking" || before === undefined || more === undefined) return false;
    const grown = this.#growingText("content");
    grown.add(more);
    last["thinking"] = [{ type: "text", text: grown.text }];
    this.#emitText(key, "thinking", more, undefined, out);
    return true;
  }

  #addBlock(block: JsonObject, out: Delta[]): void {
    const blocks = this.#blocks ?? [];
    const key = `content/${blocks.push(copyObject(block)) - 1}`;
    const part = decodeBlock(block, this.#state);
    this.#texts.delete("content");
    if (part.type === "text" || part.type === "reasoning") this.#growingText("content").add(part.text);
    if (isMediaPart(part)) storeForm(part, this.#state.context.dialect, "at", "content");
    const { extra } = part;
    const isText = part.type === "text" || part.type === "reasoning";
    if (!isText || part.cache !== undefined) return this.#emitWhole(key, part, out);
    const kind = part.type === "text" ? "text" : "thinking";
    // An empty block is also a part, so its part starts even without text.
    this.#emitText(key, kind, part.text, undefined, out, extra, true);
  }

  #emitWhole(key: string, value: Part, out: Delta[]): void {
    this.toolCalls.emitReadyCalls(out);
    this.emittedParts.set(key, new EmittedPart(key, "whole"));
    out.push({ kind: "part", payload: { value, partKey: key, ...this.#base } });
  }

  /** Emits a field with a value of an unexpected type as an opaque part. */
  emitUnexpectedField(field: string, value: JsonValue, out: Delta[]): void {
    const key = `odd/${this.#unexpectedCount++}`;
    this.#emitWhole(key, toOpaquePart({ [field]: value }, this.#state.context), out);
  }

  #decodeImages(list: readonly JsonValue[], delta: JsonObject, out: Delta[]): boolean {
    const parts: Part[] = [];
    const isRead = decodeImages([...list], parts, this.#state);
    appendField(this.#message, delta, "images");
    if (isRead && this.#imageCount >= 0)
      for (const part of parts) this.#emitWhole(`images/${this.#imageCount++}`, part, out);
    else this.#imageCount = -1;
    return true;
  }

  /** Returns the merged choice in the format of a response, including the fields that chunks omit. */
  toWholeChoice(index: number): JsonObject {
    const message: JsonObject = { role: "assistant", refusal: null, annotations: [] };
    for (const key in this.#message) overwriteField(message, this.#message, key);
    for (const [field, { text }] of this.#texts) message[field] = text;
    message["content"] = this.#blocks ?? (message["content"] || null);
    if (this.#audio.wire !== undefined) message["audio"] = this.#audio.wire;
    const { details } = this.reasoningDetails;
    if (details.length > 0) message[DETAILS_FIELD] = details;
    const { calls, legacyCall } = this.toolCalls;
    if (calls.length > 0) message["tool_calls"] = calls.map((entry) => entry.toWholeCall());
    if (legacyCall !== undefined) message["function_call"] = legacyCall.toWholeCall();
    const choice: JsonObject = { index, message, logprobs: null };
    for (const key in this.fields) overwriteField(choice, this.fields, key);
    if (this.#logprobs !== undefined) choice["logprobs"] = { content: null, refusal: null, ...this.#logprobs };
    if (choice["finish_reason"] === undefined && this.#audio.isComplete) choice["finish_reason"] = "stop";
    return choice;
  }

  /**
   * True if the reasoning was emitted as one text of another field although `reasoning_details` has several entries.
   * The entries cannot become parts then, because their reasoning has already been emitted.
   */
  get hasLateDetails(): boolean {
    return (
      this.#reasoningField !== undefined &&
      this.#reasoningField !== DETAILS_FIELD &&
      this.reasoningDetails.details.length > 1
    );
  }

  /** True if parts were emitted in an order that the fields of a complete message cannot express. */
  get hasStreamOrder(): boolean {
    let last = 0;
    for (const key of this.emittedParts.keys()) {
      const at = rankPartKey(key);
      if (at < last) return true;
      last = at;
    }
    return false;
  }

  /** The field whose reasoning was emitted; undefined if there was no reasoning. */
  get reasoningField(): string | undefined {
    return this.#reasoningField;
  }
}
