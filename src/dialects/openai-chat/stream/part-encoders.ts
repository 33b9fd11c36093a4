// Encodes the parts of a streamed message that have their own wire format: calls, audio and reasoning details.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { AudioPart, Part, ReasoningPart, ToolCallPart } from "../../../model/parts.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { findSealValue } from "../../kit/seals/seals.ts";
import type { PendingSurrogate } from "../../kit/streams/text-chunks.ts";
import { takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import { CUSTOM_TYPE } from "../messages/tool-calls.ts";
import { DETAILS_FIELD } from "../messages/reasoning.ts";
import { copyFields } from "./merge-chunks.ts";
import type { ChatEncodeState } from "../encode-state.ts";

/** Sends a chunk with a delta of the choice and, beside the delta, log probabilities. */
export type EmitChatDelta = (delta: JsonObject, logprobs: JsonObject | null) => void;

/** The way in which a part is sent, and the state of sending. */
export interface PartEncoding extends PendingSurrogate {
  /**
   * "field": a text in a field of its own; "block" and "thinking": a text in a content block; "detail": an entry of
   * `reasoning_details`; "call" and "legacy": a call in `tool_calls` or `function_call`; "audio": streamed audio;
   * "whole": a part in a single chunk, once it is complete; "dropped": a part that is not sent.
   */
  method: "field" | "block" | "thinking" | "detail" | "call" | "legacy" | "audio" | "whole" | "dropped";
  field: string;
  /** The index of a call in `tool_calls`. */
  callIndex: number;
  hasStarted: boolean;
  /** True if a non-empty text of the part has been sent. */
  hasText: boolean;
  /** The fields of a call or detail that have been sent, except its growing text. */
  sent?: JsonObject;
}

/** The functions and state of the choice encoder that its part encoders use. */
export interface ChatPartContext {
  readonly state: ChatEncodeState;
  emitDelta: EmitChatDelta;
  /** Encodes one part as the only part of a message. Losses are not reported. */
  encodePart(part: Part): JsonObject;
}

/** Returns the fields of `all` that have not been sent with the same value, except `ignored`. */
function unsentFields(all: JsonObject, sent: JsonObject, ...ignored: readonly string[]): JsonObject {
  const rest: JsonObject = {};
  for (const key in all) {
    const value = all[key];
    if (value === undefined || ignored.includes(key)) continue;
    if (!Object.hasOwn(sent, key) || !sameJson(value, sent[key])) copyField(all, key, rest);
  }
  return rest;
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export class ChatCallEncoder {
  readonly #context: ChatPartContext;
  #count = 0;

  constructor(context: ChatPartContext) {
    this.#context = context;
  }

  push(part: ToolCallPart, encoding: PartEncoding, delta: Delta): void {
    const isCustom = part.format === "text" && encoding.method === "call";
    const argumentsField = isCustom ? "input" : "arguments";
    const field = isCustom ? CUSTOM_TYPE : "function";
    if (!encoding.hasStarted) this.#begin(part, encoding, field, argumentsField);
    const isEnd = delta.kind === "tool_call_end";
    let text =
      isEnd || delta.kind === "tool_call_args" ? takeWholeCharacters(encoding, delta.payload.argsTextDelta ?? "") : "";
    if (!isEnd) {
      if (text !== "") this.#emit(encoding, { [field]: { [argumentsField]: text } }, field);
      return;
    }
    text += encoding.pendingSurrogate ?? "";
    delete encoding.pendingSurrogate;
    const rest = this.#unsentFields(part, encoding, field, argumentsField);
    if (text !== "") rest[field] = copyFields({ [argumentsField]: text }, toObject(rest[field]));
    if (Object.keys(rest).length > 0) this.#emit(encoding, rest, field);
  }

  #emit(encoding: PartEncoding, call: JsonObject, field: string): void {
    if (encoding.method === "legacy") this.#context.emitDelta({ function_call: call[field] ?? {} }, null);
    else this.#context.emitDelta({ tool_calls: [{ index: encoding.callIndex, ...call }] }, null);
  }

  #begin(part: ToolCallPart, encoding: PartEncoding, field: string, argumentsField: string): void {
    encoding.hasStarted = true;
    if (encoding.method === "call") encoding.callIndex = this.#count++;
    const name = this.#context.state.names.encodeToolName(part.toolName);
    const data: JsonObject = { name, [argumentsField]: "" };
    const hasResidue = encoding.method === "call" && part.extra?.[this.#context.state.dialect] !== undefined;
    const call = hasResidue ? this.#encode(part, encoding, field) : { id: part.toolCallId };
    // SDKs that merge calls need a type, even if the vendor's answer had no type.
    call["type"] ??= field;
    call[field] = copyFields(data, unsentFields(toObject(call[field]), {}, "name", argumentsField));
    encoding.sent = call;
    this.#emit(encoding, call, field);
  }

  #encode(part: ToolCallPart, encoding: PartEncoding, field: string): JsonObject {
    const { tool_calls: calls, function_call: legacy } = this.#context.encodePart(part);
    if (encoding.method === "legacy") return { [field]: legacy ?? null };
    return toObject(Array.isArray(calls) ? calls[0] : undefined);
  }

  /**
   * Returns the fields of a call that the chunk with its start did not contain: residue that arrived with a later
   * delta.
   */
  #unsentFields(part: ToolCallPart, encoding: PartEncoding, field: string, argumentsField: string): JsonObject {
    if (part.extra?.[this.#context.state.dialect] === undefined) return {};
    const call = this.#encode(part, encoding, field);
    const sent = encoding.sent ?? {};
    const rest = unsentFields(call, sent, "id", "type", field);
    const data = unsentFields(toObject(call[field]), toObject(sent[field]), "name", argumentsField);
    if (Object.keys(data).length > 0) rest[field] = data;
    return rest;
  }

  /** Sends complete calls in one chunk, with their indexes. */
  emitWhole(calls: readonly JsonValue[]): void {
    const list = calls.filter(isObject).map((each) => {
      const call = copyFields({ type: "function" }, each);
      call["index"] = this.#count++;
      return call;
    });
    this.#context.emitDelta({ tool_calls: list }, null);
  }
}

export class ChatAudioEncoder {
  readonly #context: ChatPartContext;
  /**
   * The fields that have been sent. For data and transcript of streamed audio, the value is the number of sent
   * characters.
   */
  readonly #sentFields: JsonObject = {};

  constructor(context: ChatPartContext) {
    this.#context = context;
  }

  /** Sends audio data as it arrives, and the id as soon as the id is known. */
  push(part: AudioPart, delta: Delta): void {
    const fragment: JsonObject = {};
    // Clients recognize audio by its id, so an empty id is sent until the real id arrives.
    const id = findSealValue(part, "id", this.#context.state.context) ?? "";
    if (id !== (this.#sentFields["id"] ?? null)) this.#sentFields["id"] = fragment["id"] = id;
    const { data, transcript } = delta.kind === "part" ? part : readAudioDelta(delta);
    this.#add(fragment, "data", data);
    this.#add(fragment, "transcript", transcript);
    if (Object.keys(fragment).length > 0) this.#context.emitDelta({ audio: fragment }, null);
  }

  #add(fragment: JsonObject, field: string, text: string | undefined): void {
    const before = this.#sentFields[field];
    if (text === undefined || (text === "" && before !== undefined)) return;
    fragment[field] = text;
    this.#sentFields[field] = Number(before ?? 0) + text.length;
  }

  /** Sends complete audio in one chunk, unless audio has already been sent. */
  emitWhole(audio: JsonObject): void {
    if (Object.keys(this.#sentFields).length > 0) return;
    copyFields(this.#sentFields, audio);
    this.#context.emitDelta({ audio }, null);
  }

  /** Returns the fields of the complete audio that have not been sent; for data and transcript, the unsent end. */
  unsentFields(audio: JsonObject): JsonObject {
    const unsent: JsonObject = {};
    for (const key in audio) {
      const [value, known] = [audio[key], this.#sentFields[key]];
      if (value === undefined || value === known) continue;
      if (typeof value !== "string" || typeof known !== "number") copyField(audio, key, unsent);
      else if (value.length > known) unsent[key] = value.slice(known);
    }
    return unsent;
  }
}

function readAudioDelta(delta: Delta): { data?: string | undefined; transcript?: string | undefined } {
  return delta.kind === "media" ? { data: delta.payload.dataDelta, transcript: delta.payload.transcriptDelta } : {};
}

const TEXT_DETAIL = "reasoning.text";
const SUMMARY_DETAIL = "reasoning.summary";

export class ReasoningDetailEncoder {
  readonly #context: ChatPartContext;
  /** The type of the detail that was sent last. */
  #type: JsonValue | undefined;
  /** The part of the detail that was sent last. */
  #last: PartDraft | undefined;

  constructor(context: ChatPartContext) {
    this.#context = context;
  }

  /**
   * True if the delta brings the first content of a reasoning part: a text or a summary, which determines the type of
   * the entry in `reasoning_details`.
   */
  static canStart(draft: PartDraft, delta: Delta): boolean {
    const { kind, part } = draft;
    if (kind !== "thinking" || delta.kind !== "thinking" || delta.payload.textDelta === "") return false;
    return part.type === "reasoning" && (part.text === "") !== (part.summary === undefined);
  }

  /**
   * Sends a delta of an entry of `reasoning_details`. Returns a loss code if another entry was sent since the entry's
   * last delta, because a fragment without an index can continue only the entry that was sent last.
   */
  push(draft: PartDraft, encoding: PartEncoding, delta: Delta): "part-split" | "late-dropped" | undefined {
    if (!encoding.hasStarted) {
      this.#begin(draft, encoding);
      return undefined;
    }
    const isText =
      delta.kind === "thinking" && (delta.payload.summary === undefined) === (encoding.sent?.["type"] === TEXT_DETAIL);
    const text = isText ? takeWholeCharacters(encoding, delta.payload.textDelta) : "";
    const isMore = delta.kind === "seal" || delta.payload.extra !== undefined;
    return this.emitMore(draft, encoding, text, isMore ? this.#encode(draft.part) : undefined);
  }

  #encode(part: Part): JsonObject {
    const list = this.#context.encodePart(part)[DETAILS_FIELD];
    return toObject(Array.isArray(list) ? list[0] : undefined);
  }

  #begin(draft: PartDraft, encoding: PartEncoding): void {
    const { text, summary } = draft.part as ReasoningPart; // The cast is safe, because `canStart` has checked the type.
    const detail = this.#encode(draft.part);
    const field = detail["type"] === SUMMARY_DETAIL ? "summary" : "text";
    detail[field] = takeWholeCharacters(encoding, field === "text" ? text : (summary?.[0] ?? ""));
    this.emitWhole([detail]);
    encoding.hasStarted = true;
    encoding.sent = detail;
    this.#last = draft;
  }

  /**
   * Sends the next text of a detail, and the fields of `all` that have not been sent. Returns a loss code as `push`
   * does.
   */
  emitMore(
    draft: PartDraft,
    encoding: PartEncoding,
    text: string,
    all?: JsonObject,
  ): "part-split" | "late-dropped" | undefined {
    const sent = encoding.sent ?? {};
    const { type = TEXT_DETAIL, index } = sent;
    const field = type === SUMMARY_DETAIL ? "summary" : "text";
    const rest = all === undefined ? {} : unsentFields(all, sent, "type", "index", field);
    const isNothing = Object.keys(rest).length === 0;
    if (text === "" && isNothing) return undefined;
    const isInterrupted = this.#last !== draft && index === undefined;
    if (isInterrupted && text === "") return "late-dropped";
    if (all !== undefined) encoding.sent = all;
    const fragment: JsonObject = index === undefined ? { type } : { type, index };
    if (text !== "") fragment[field] = text;
    copyFields(fragment, rest);
    if (isInterrupted) this.emitWhole([fragment]);
    else this.#context.emitDelta({ [DETAILS_FIELD]: [fragment] }, null);
    this.#type = type;
    this.#last = draft;
    return isInterrupted ? "part-split" : undefined;
  }

  /** Sends entries of `reasoning_details` in one chunk, after the separator of `#separator`. */
  emitWhole(list: readonly JsonValue[]): void {
    this.#context.emitDelta({ [DETAILS_FIELD]: [...this.#separator(list), ...list] }, null);
  }

  /**
   * Returns an empty entry to send before `list` if a client would otherwise merge the first entry of `list` with the
   * entry that was sent last; an empty list if no separator is needed.
   */
  #separator(list: readonly JsonValue[]): JsonObject[] {
    const first = toObject(list[0]);
    const { type, index } = first;
    const isAlike = type === this.#type && index === undefined;
    this.#type = type;
    if (isAlike && type === TEXT_DETAIL) return [{ type, text: "" }];
    return isAlike && type === SUMMARY_DETAIL ? [{ type, summary: "" }] : [];
  }
}
