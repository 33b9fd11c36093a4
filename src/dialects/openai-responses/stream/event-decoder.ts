// Decodes the content events of one answer: items, texts, refusals, reasoning, arguments, citations and audio.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { Extra, Logprob } from "../../../model/parts.ts";
import type { DecodeContext, Renames } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import { decodeAnnotation } from "../items/annotations.ts";
import { decodeLogprobs } from "../items/logprobs.ts";
import type { StreamedItem } from "./item-index.ts";
import type { ResponsesCallIds } from "./decoded-call-ids.ts";
import { ResponsesItemDecoder } from "./item-decoder.ts";
import type { EmittedPart } from "../../openai/emitted-part.ts";
import { emitArguments, summaryDelta } from "../../openai/emitted-part.ts";
import { EVENT_FIELDS } from "./event-types.ts";

type DecodeAnswerEvent = (decoder: AnswerEventDecoder, wire: JsonObject, out: Delta[]) => void;

export class AnswerEventDecoder {
  readonly items: ResponsesItemDecoder;
  readonly #context: DecodeContext;
  /** The part of the last text delta, with the indexes of its event. Most text deltas continue this part. */
  #currentText: EmittedPart | undefined;
  #outputIndex: unknown;
  #contentIndex: unknown;
  /** True once a content event has arrived. */
  hasContent = false;

  constructor(context: DecodeContext, renames: Renames | undefined, seed: string, ids: ResponsesCallIds) {
    this.#context = context;
    this.items = new ResponsesItemDecoder(context, renames, seed, ids);
  }

  static supports(type: string): boolean {
    return EVENT_DECODERS.has(type);
  }

  /** Returns the deltas of an event; undefined if the event is not about content. */
  decode(type: string | undefined, wire: JsonObject): Delta[] | undefined {
    const decodeEvent = EVENT_DECODERS.get(type);
    if (decodeEvent === undefined) return undefined;
    const out: Delta[] = [];
    this.hasContent = true;
    decodeEvent(this, wire, out);
    return out;
  }

  /** Decodes a text delta. The fast path continues the part of the last text delta. */
  decodeTextDelta(wire: JsonObject): Delta[] {
    const { delta, output_index: output, content_index: content, logprobs } = wire;
    if (typeof delta !== "string") return [];
    const emitted = this.#currentText;
    if (emitted === undefined || output !== this.#outputIndex || content !== this.#contentIndex) {
      const out: Delta[] = [];
      if (this.#openText("text", wire, out) === undefined) return out;
      for (const textDelta of this.decodeTextDelta(wire)) out.push(textDelta);
      return out;
    }
    emitted.addText(delta);
    const payload: Extract<Delta, { kind: "text" }>["payload"] = { textDelta: delta, partKey: emitted.key };
    if (Array.isArray(logprobs) && logprobs.length > 0) {
      const decoded = this.#decodeLogprobs(emitted, logprobs);
      if (decoded !== undefined) payload.logprobs = decoded;
    }
    const extra = this.#readUnknownFields(wire);
    if (extra !== undefined) payload.extra = extra;
    return [{ kind: "text", payload }];
  }

  /**
   * Finds or starts the text or refusal of an event. Returns undefined if its item is done, because the event then only
   * repeats content.
   */
  #openText(kind: "text" | "refusal", wire: JsonObject, out: Delta[]): EmittedPart | undefined {
    const item = this.items.index.findForEvent(wire);
    if (item.done !== undefined) return undefined;
    const content = typeof wire["content_index"] === "number" ? wire["content_index"] : 0;
    const slot = kind === "text" ? `${content}` : `refusal.${content}`;
    let emitted = item.emittedParts.get(slot);
    if (emitted === undefined) emitted = this.items.openText(item, slot, kind, out);
    if (kind === "refusal") return emitted;
    this.hasContent = true;
    this.#currentText = emitted;
    this.#outputIndex = wire["output_index"];
    this.#contentIndex = wire["content_index"];
    return emitted;
  }

  /**
   * Returns the decoded log probabilities if they have all fields. Otherwise returns undefined and stores them, because
   * the finished text has them with all fields.
   */
  #decodeLogprobs(emitted: EmittedPart, list: readonly JsonObject[string][]): Logprob[] | undefined {
    const logprobs = decodeLogprobs(list, this.#context);
    if (logprobs === undefined) return undefined;
    if (
      emitted.pendingLogprobs === undefined &&
      logprobs.every((each) => hasBytes(each) && each.top?.every(hasBytes) === true)
    ) {
      emitted.logprobCount += logprobs.length;
      return logprobs;
    }
    emitted.pendingLogprobs = [...(emitted.pendingLogprobs ?? []), ...logprobs];
    return undefined;
  }

  /** Returns the unknown fields of an event as residue of its part; undefined if there are none. */
  #readUnknownFields(wire: JsonObject): Extra | undefined {
    const unknownFields = hasKnownFieldsOnly(wire) ? undefined : readUnknownFields(wire);
    return unknownFields === undefined ? undefined : { [this.#context.dialect]: unknownFields };
  }

  startItem(wire: JsonObject, out: Delta[]): void {
    const { item, output_index: index } = wire;
    if (!isObject(item)) return;
    this.#currentText = undefined;
    const started = this.items.index.findOrStart(item, index);
    if (STREAMED_CALL_TYPES.has(item["type"])) this.#startCall(started, out);
  }

  /**
   * Starts a call. Some vendors send the first arguments with the item's first event. Arguments that are complete JSON
   * are not emitted here, because the argument deltas can repeat them.
   */
  #startCall(item: StreamedItem, out: Delta[]): void {
    const emitted = this.items.openCall(item, out);
    const { arguments: args } = item.wire;
    if (emitted !== undefined && typeof args === "string" && args !== "" && !isJson(args))
      emitArguments(emitted, args, out);
  }

  finishItem(wire: JsonObject, out: Delta[]): void {
    const { item, output_index: index } = wire;
    if (!isObject(item)) return;
    this.#currentText = undefined;
    this.items.finishItem(this.items.index.findFinished(item, index), item, out);
  }

  /** Starts the text or refusal of a content block. */
  startBlock({ part, ...wire }: JsonObject, out: Delta[]): void {
    const type = isObject(part) ? part["type"] : undefined;
    if (type === "output_text") this.#openText("text", wire, out);
    else if (type === "refusal") this.#openText("refusal", wire, out);
  }

  /** Emits the rest of a finished text that its deltas did not contain. */
  finishText(kind: "text" | "refusal", wire: JsonObject, field: string, out: Delta[]): void {
    const text = wire[field];
    if (typeof text !== "string") return;
    const emitted = this.#openText(kind, wire, out);
    // The lengths are compared first, because comparing long texts is slow and usually nothing is missing.
    if (emitted === undefined || text.length <= emitted.text.length || !text.startsWith(emitted.text)) return;
    const textDelta = text.slice(emitted.text.length);
    emitted.addText(textDelta);
    out.push({ kind, payload: { textDelta, partKey: emitted.key } });
  }

  decodeRefusalDelta(wire: JsonObject, out: Delta[]): void {
    const { delta } = wire;
    if (typeof delta !== "string") return;
    const emitted = this.#openText("refusal", wire, out);
    if (emitted === undefined) return;
    emitted.addText(delta);
    const extra = this.#readUnknownFields(wire);
    const payload = { textDelta: delta, partKey: emitted.key };
    out.push({ kind: "refusal", payload: extra === undefined ? payload : { ...payload, extra } });
  }

  #openReasoning(wire: JsonObject, out: Delta[]): EmittedPart | undefined {
    const item = this.items.index.findForEvent(wire);
    const known = item.emittedParts.get("thinking");
    if (known !== undefined || item.done !== undefined) return item.done === undefined ? known : undefined;
    return this.items.openText(item, "thinking", "thinking", out);
  }

  /** Decodes a delta of the raw reasoning text. */
  decodeReasoningDelta(wire: JsonObject, out: Delta[]): void {
    const { delta } = wire;
    if (typeof delta !== "string") return;
    const emitted = this.#openReasoning(wire, out);
    if (emitted === undefined) return;
    emitted.addText(delta);
    const extra = this.#readUnknownFields(wire);
    const payload = { textDelta: delta, partKey: emitted.key };
    out.push({ kind: "thinking", payload: extra === undefined ? payload : { ...payload, extra } });
  }

  /** Returns the position of a summary, after starting the summaries before it, which can be empty. */
  #openSummary(emitted: EmittedPart, index: unknown, out: Delta[]): number {
    const at = emitted.summaryPosition(index);
    while (emitted.summary.length < at) out.push(summaryDelta(emitted, emitted.summary.length, ""));
    return at;
  }

  decodeSummaryDelta(wire: JsonObject, out: Delta[]): void {
    const { delta, summary_index: index } = wire;
    if (typeof delta !== "string") return;
    const emitted = this.#openReasoning(wire, out);
    if (emitted === undefined) return;
    const summary = summaryDelta(emitted, this.#openSummary(emitted, index, out), delta);
    const extra = this.#readUnknownFields(wire);
    if (extra !== undefined) summary.payload.extra = extra;
    out.push(summary);
  }

  /** Emits the rest of finished reasoning, or of a finished summary, that the deltas did not contain. */
  finishReasoning(wire: JsonObject, isSummary: boolean, out: Delta[]): void {
    const { text, summary_index: index } = wire;
    if (typeof text !== "string") return;
    const emitted = this.#openReasoning(wire, out);
    if (emitted === undefined) return;
    const at = isSummary ? this.#openSummary(emitted, index, out) : 0;
    const before = isSummary ? (emitted.summary[at] ?? "") : emitted.text;
    if (text.length <= before.length || !text.startsWith(before)) return;
    const rest = text.slice(before.length);
    if (isSummary) out.push(summaryDelta(emitted, at, rest));
    else this.decodeReasoningDelta({ ...wire, delta: rest }, out);
  }

  /**
   * Finds or starts the call of an event. If the call cannot start yet, returns undefined and stores the arguments in
   * the item.
   */
  #openCall(type: string, wire: JsonObject, argumentsDelta: string, out: Delta[]): EmittedPart | undefined {
    const item = this.items.index.findForEvent(wire);
    const emitted = this.items.openCall(item, out);
    if (emitted === undefined && item.done === undefined) {
      item.pendingArguments ??= { type, text: "" };
      item.pendingArguments.text += argumentsDelta;
    }
    return emitted;
  }

  /** Decodes a delta of the arguments of a call. */
  decodeArgumentsDelta(type: string, wire: JsonObject, out: Delta[]): void {
    const { delta } = wire;
    if (typeof delta !== "string") return;
    const emitted = this.#openCall(type, wire, delta, out);
    if (emitted?.call === undefined || emitted.hasEnded) return;
    emitted.addText(delta);
    const extra = this.#readUnknownFields(wire);
    const payload = { toolCallId: emitted.call.toolCallId, argsTextDelta: delta };
    out.push({ kind: "tool_call_args", payload: extra === undefined ? payload : { ...payload, extra } });
  }

  /**
   * Emits the rest of finished arguments that the deltas did not contain. Some vendors send the tool name only with
   * this event.
   */
  finishArguments(type: string, wire: JsonObject, field: string, out: Delta[]): void {
    const { [field]: text, name } = wire;
    if (typeof text !== "string") return;
    const item = this.items.index.findForEvent(wire);
    if (typeof name === "string" && item.done === undefined && (item.wire["name"] ?? "") === "")
      item.wire = { ...item.wire, name };
    const before = item.pendingArguments?.text ?? "";
    const emitted = this.#openCall(type, wire, text.startsWith(before) ? text.slice(before.length) : "", out);
    if (emitted !== undefined && !emitted.hasEnded) emitArguments(emitted, text, out);
  }

  /** Decodes a delta of the code of a code interpreter call. The code becomes the `code` property of JSON arguments. */
  decodeCodeDelta(wire: JsonObject, out: Delta[]): void {
    const { delta } = wire;
    if (typeof delta !== "string") return;
    const emitted = this.#openCall(CODE_INTERPRETER_CALL, wire, delta, out);
    if (emitted === undefined) return;
    const text = JSON.stringify(takeWholeCharacters(emitted, delta)).slice(1, -1);
    this.decodeArgumentsDelta(
      CODE_INTERPRETER_CALL,
      { ...wire, delta: emitted.text === "" ? `{"code":"${text}` : text },
      out,
    );
  }

  /**
   * Decodes a citation. A citation beyond the text so far, or out of order, is not emitted until the finished text is
   * known.
   */
  decodeAnnotationEvent(wire: JsonObject, out: Delta[]): void {
    const { annotation, annotation_index: index } = wire;
    if (!isObject(annotation)) return;
    const emitted = this.#openText("text", wire, out);
    if (emitted === undefined) return;
    const points = emitted.codePoints();
    const { end_index: end } = annotation;
    const isAhead = typeof index === "number" && index !== emitted.annotations.length;
    if (isAhead || (typeof end === "number" && end > points.codePointCount)) return;
    const decoded = decodeAnnotation(annotation, points, this.#context);
    emitted.annotations.push(decoded);
    out.push({ kind: "annotation", payload: { annotation: decoded, partKey: emitted.key } });
  }

  /** Decodes a delta of audio, which belongs to no item. */
  decodeAudioDelta({ delta }: JsonObject, field: "dataDelta" | "transcriptDelta", out: Delta[]): void {
    if (typeof delta === "string")
      out.push({ kind: "media", payload: { type: "audio", [field]: delta, partKey: "audio" } });
  }
}

const CODE_INTERPRETER_CALL = "code_interpreter_call";

/** Call types whose arguments are streamed. Their calls start with the first event of the item. */
const STREAMED_CALL_TYPES: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "mcp_call"]);

const EVENT_DECODERS: ReadonlyMap<string | undefined, DecodeAnswerEvent> = new Map<string, DecodeAnswerEvent>([
  ["response.output_text.delta", (decoder, wire, out) => out.push(...decoder.decodeTextDelta(wire))],
  [
    "response.function_call_arguments.delta",
    (decoder, wire, out) => decoder.decodeArgumentsDelta("function_call", wire, out),
  ],
  ["response.reasoning_summary_text.delta", (decoder, wire, out) => decoder.decodeSummaryDelta(wire, out)],
  ["response.reasoning_text.delta", (decoder, wire, out) => decoder.decodeReasoningDelta(wire, out)],
  [
    "response.custom_tool_call_input.delta",
    (decoder, wire, out) => decoder.decodeArgumentsDelta("custom_tool_call", wire, out),
  ],
  ["response.mcp_call_arguments.delta", (decoder, wire, out) => decoder.decodeArgumentsDelta("mcp_call", wire, out)],
  ["response.code_interpreter_call_code.delta", (decoder, wire, out) => decoder.decodeCodeDelta(wire, out)],
  ["response.refusal.delta", (decoder, wire, out) => decoder.decodeRefusalDelta(wire, out)],
  ["response.output_text.annotation.added", (decoder, wire, out) => decoder.decodeAnnotationEvent(wire, out)],
  ["response.output_item.added", (decoder, wire, out) => decoder.startItem(wire, out)],
  ["response.output_item.done", (decoder, wire, out) => decoder.finishItem(wire, out)],
  ["response.content_part.added", (decoder, wire, out) => decoder.startBlock(wire, out)],
  ["response.output_text.done", (decoder, wire, out) => decoder.finishText("text", wire, "text", out)],
  ["response.refusal.done", (decoder, wire, out) => decoder.finishText("refusal", wire, "refusal", out)],
  ["response.reasoning_text.done", (decoder, wire, out) => decoder.finishReasoning(wire, false, out)],
  ["response.reasoning_summary_text.done", (decoder, wire, out) => decoder.finishReasoning(wire, true, out)],
  [
    "response.function_call_arguments.done",
    (decoder, wire, out) => decoder.finishArguments("function_call", wire, "arguments", out),
  ],
  [
    "response.mcp_call_arguments.done",
    (decoder, wire, out) => decoder.finishArguments("mcp_call", wire, "arguments", out),
  ],
  [
    "response.custom_tool_call_input.done",
    (decoder, wire, out) => decoder.finishArguments("custom_tool_call", wire, "input", out),
  ],
  ["response.code_interpreter_call_code.done", () => undefined],
  ["response.audio.delta", (decoder, wire, out) => decoder.decodeAudioDelta(wire, "dataDelta", out)],
  ["response.audio.transcript.delta", (decoder, wire, out) => decoder.decodeAudioDelta(wire, "transcriptDelta", out)],
]);

function hasBytes({ bytes }: Logprob): boolean {
  return bytes !== undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** True if an event has no unknown fields. Counting the fields is faster than comparing each name. */
function hasKnownFieldsOnly(wire: JsonObject): boolean {
  const { delta, item_id: item, output_index: output, content_index: content, logprobs, obfuscation } = wire;
  let count = 0;
  for (const _ in wire) count++;
  if (wire["type"] !== undefined) count--;
  if (wire["sequence_number"] !== undefined) count--;
  if (delta !== undefined) count--;
  if (item !== undefined) count--;
  if (output !== undefined) count--;
  if (content !== undefined) count--;
  if (wire["summary_index"] !== undefined) count--;
  if (logprobs !== undefined) count--;
  if (obfuscation !== undefined) count--;
  return count === 0;
}

/** Returns the unknown fields of an event; undefined if there are none. */
export function readUnknownFields(wire: JsonObject): JsonObject | undefined {
  let unknownFields: JsonObject | undefined;
  for (const key in wire) if (!EVENT_FIELDS.has(key)) copyField(wire, key, (unknownFields ??= {}));
  return unknownFields;
}
