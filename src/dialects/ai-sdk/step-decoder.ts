// Decodes the steps of an AI SDK run into deltas, for both AI SDK streams. One step is one answer. Results of client
// tools arrive during the step and are emitted after it. The `done` delta of a step is emitted only when the next event
// arrives, because that event may still change it.
import type { Delta, DonePayload, ErrorPayload, MessageFields, StartPayload, UsagePayload } from "../../model/delta.ts";
import { copyExtra, mergeExtra } from "../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Annotation, Extra, Part, PartBase, ReasoningPart, Seal, ToolResultPart } from "../../model/parts.ts";
import { decodeProviderOptions } from "./provider-options.ts";
import { toJsonObject, unknownJsonFields, readText } from "./to-json.ts";
import { findOpenAiItemId, joinItemPieces } from "./reasoning.ts";
import { decodeCitationList } from "./sources.ts";
import type { CallEventFields, ToolCallHost, AiSdkCall } from "./tool-call-decoder.ts";
import { AiSdkCallDecoder } from "./tool-call-decoder.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { storeResidue } from "../kit/residue/residue.ts";
import { createStartDelta } from "../kit/streams/stream-deltas.ts";
import { storeUnknownEvents } from "../kit/residue/unknown-events.ts";

/** A text or reasoning part that has started and not ended. */
interface TextInProgress {
  kind: "text" | "thinking";
  partKey: string;
  /** The latest provider metadata of the part. */
  options: JsonValue | undefined;
  extra: Extra | undefined;
  /** The index of this text among the summaries of its OpenAI item; undefined if it belongs to no item. */
  piece: number | undefined;
  /** The unknown fields of the part's events; undefined if there are none. */
  residue: JsonObject | undefined;
}

export class StepDecoder implements ToolCallHost {
  /**
   * "new": no answer has started. "open": in an answer. "ending": the answer has ended, but its end is not emitted yet.
   * "between": after an answer. "failed": an error was emitted, and nothing is emitted after it.
   */
  state: "new" | "open" | "ending" | "between" | "failed" = "new";
  /** True if the current answer has a part. */
  hasContent = false;
  /** True if the current answer has calls of client tools. */
  hasClientCalls = false;
  /** True if results of client tools have been emitted since the last answer. */
  hasResults = false;
  readonly dialect: string;
  #deltas: Delta[] = [];
  answerCount = 0;
  #partKeys = new Set<string>();
  #texts = new Map<string, TextInProgress>();
  /** The OpenAI item whose summaries arrive: `count` have started, `emittedCount` have a delta, `pieces` have ended. */
  #item: { id: string; partKey: string; pieces: ReasoningPart[]; count: number; emittedCount: number } | undefined;
  readonly #callDecoder = new AiSdkCallDecoder(this);
  /** Results of client tools by call id. They are emitted after the answer, in the order of their calls (B25). */
  #clientResults = new Map<string, { call: AiSdkCall; value: ToolResultPart }>();
  /**
   * The latest result of each provider tool that is not emitted yet, by call id. A later event may replace it, so it is
   * emitted when another part begins; a preliminary result is emitted at the end of the answer.
   */
  readonly #providerResults = new Map<string, ToolResultPart>();
  /** The end of the answer in state "ending"; undefined in all other states. */
  #pendingEnd: DonePayload | undefined;
  #unknownEvents: JsonValue[] = [];
  /** The part key of the last part if that part is a text; otherwise undefined. */
  #lastText: string | undefined;

  constructor(dialect: string) {
    this.dialect = dialect;
  }

  /** Returns the deltas that have been emitted since the last call of this method. */
  takeDeltas(): Delta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  emit(delta: Delta): void {
    this.#deltas.push(delta);
  }

  /** Starts an answer unless one is open; returns false, without starting one, after an error. */
  openAnswer(payload: Partial<StartPayload> = {}): boolean {
    if (this.state === "failed") return false;
    if (this.state === "open") return true;
    this.flush();
    this.#deltas.push(createStartDelta({ modelId: "", requestId: "", ...payload }));
    this.state = "open";
    this.answerCount++;
    this.hasContent = false;
    this.hasClientCalls = false;
    this.hasResults = false;
    this.#partKeys = new Set();
    this.#texts = new Map();
    this.#lastText = undefined;
    return true;
  }

  #newPartKey(id: string): string {
    let key = id;
    for (let count = 2; this.#partKeys.has(key); count++) key = `${id} #${count}`;
    this.#partKeys.add(key);
    return key;
  }

  /** Emits the open OpenAI item and the final provider results. Then starts a part and returns its part key. */
  beginPart(id: string, isText = false): string {
    this.#closeItem();
    if (this.#providerResults.size > 0) this.#emitProviderResults(false);
    const key = this.#newPartKey(id);
    this.hasContent = true;
    this.#lastText = isText ? key : undefined;
    return key;
  }

  startText(kind: "text" | "thinking", wire: JsonObject, extra?: Extra, field?: string): TextInProgress | undefined {
    if (!this.openAnswer()) return undefined;
    const id = readText(wire, "id");
    const options = wire["providerMetadata"];
    const openText = this.#texts.get(kind + id);
    if (openText !== undefined) this.#closeText(openText, kind + id);
    const item = kind === "thinking" ? readItemId(options) : undefined;
    const text: TextInProgress = { kind, partKey: "", options, extra, piece: undefined, residue: undefined };
    if (item === undefined) text.partKey = this.beginPart(id, kind === "text");
    else if (this.#item?.id === item) {
      text.partKey = this.#item.partKey;
      text.piece = this.#item.count++;
      // Each summary up to this one gets at least an empty delta, because it may have no text and must not be missing.
      while (this.#item.emittedCount <= text.piece) this.#emitSummary(text.partKey, this.#item.emittedCount++, "");
    } else {
      text.partKey = this.beginPart(id);
      this.#item = { id: item, partKey: text.partKey, pieces: [], count: 1, emittedCount: 0 };
      text.piece = 0;
    }
    this.#texts.set(kind + id, text);
    if (text.piece === undefined || text.piece === 0) {
      const payload = { textDelta: "", partKey: text.partKey };
      this.#deltas.push({ kind, payload: extra === undefined ? payload : { ...payload, extra } });
    }
    // The seals are emitted before the first summary, because encoders write them in the start event of each summary.
    if (text.piece === 0)
      for (const seal of readSeals(options))
        this.#deltas.push({ kind: "seal", payload: { seal, partKey: text.partKey } });
    mergeTextFields(text, wire, field);
    return text;
  }

  #emitSummary(part: string, summary: number, textDelta: string): void {
    this.#deltas.push({ kind: "thinking", payload: { textDelta, summary, partKey: part } });
  }

  /** Adds a piece to a text, and starts the text if it has not started; `field` is the wire field with the piece. */
  addText(kind: "text" | "thinking", wire: JsonObject, field: "text" | "delta"): void {
    const text = this.#texts.get(kind + readText(wire, "id")) ?? this.startText(kind, wire, undefined, field);
    if (text === undefined || this.state !== "open") return;
    mergeTextFields(text, wire, field);
    const textDelta = readText(wire, field);
    const { partKey: key, piece } = text;
    if (piece === undefined) this.#deltas.push({ kind, payload: { textDelta, partKey: key } });
    else if (textDelta !== "") {
      if (this.#item?.partKey === key) this.#item.emittedCount = Math.max(this.#item.emittedCount, piece + 1);
      this.#emitSummary(key, piece, textDelta);
    }
  }

  /** Ends a text and emits its citations as annotations. */
  endText(kind: "text" | "thinking", wire: JsonObject): void {
    const name = kind + readText(wire, "id");
    const text = this.#texts.get(name);
    if (text === undefined || this.state !== "open") return;
    const citations = kind === "text" ? decodeCitationList(wire["citations"]) : undefined;
    mergeTextFields(text, wire, citations && "citations");
    this.#closeText(text, name);
    for (const annotation of citations ?? []) this.annotate(annotation, text.partKey);
  }

  #closeText(text: TextInProgress, name: string): void {
    this.#texts.delete(name);
    const target: PartBase = text.extra === undefined ? {} : { extra: copyExtra(text.extra) };
    storeResidue(target, this.dialect, text.residue && toJsonObject(text.residue));
    decodeProviderOptions(target, text.options, false);
    if (text.piece !== undefined && this.#item?.partKey === text.partKey) {
      this.#item.pieces[text.piece] = { type: "reasoning", text: "", ...target };
    } else this.#emitSealsAndResidue(text.kind, text.partKey, target);
  }

  /**
   * Ends the current OpenAI item. The seals and residue that its summaries have collected are emitted only now, because
   * they are joined into those of one part.
   */
  #closeItem(): void {
    const item = this.#item;
    if (item === undefined) return;
    for (const [name, text] of this.#texts) if (text.partKey === item.partKey) this.#closeText(text, name);
    this.#item = undefined;
    this.#emitSealsAndResidue("thinking", item.partKey, joinItemPieces(item.pieces));
  }

  #emitSealsAndResidue(kind: "text" | "thinking", part: string, { extra, seals = [] }: PartBase): void {
    if (extra !== undefined) this.#deltas.push({ kind, payload: { textDelta: "", partKey: part, extra } });
    for (const seal of seals) this.#deltas.push({ kind: "seal", payload: { seal, partKey: part } });
  }

  /**
   * Emits an annotation of a part, by default of the last text; returns false without such a part or an open answer.
   */
  annotate(annotation: Annotation, part: string | undefined = this.#lastText): boolean {
    if (part === undefined || this.state !== "open") return false;
    this.#deltas.push({ kind: "annotation", payload: { annotation, partKey: part } });
    return true;
  }

  /** Emits a complete part. */
  addPart(value: Part): void {
    if (!this.openAnswer()) return;
    this.beginPart(value.type);
    this.#deltas.push({ kind: "part", payload: { value } });
  }

  startCall(id: string, fields: CallEventFields): void {
    this.#callDecoder.start(id, fields);
  }

  addInput(id: string, wire: JsonObject, field: "delta" | "inputTextDelta"): void {
    this.#callDecoder.addInput(id, wire, field);
  }

  /** Completes the input of a call. */
  endCall(id: string, input: JsonValue | undefined, fields: CallEventFields): void {
    this.#callDecoder.end(id, input, fields);
  }

  /** Adds a tool result; returns false after an error, or if no call with this id still needs a result. */
  addResult(
    id: string,
    resultFields: Pick<ToolResultPart, "isError" | "output" | "content" | "extra">,
    wire: JsonObject,
  ): boolean {
    const call = this.#callDecoder.findUnansweredCall(id);
    if (call === undefined || this.state === "failed") return false;
    const { toolCallId, toolName, isProvider } = call;
    const value: ToolResultPart = { type: "tool-result", toolCallId, toolName, ...resultFields };
    if (isProvider) value.executor = "provider";
    decodeProviderOptions(value, wire["providerMetadata"], false);
    storeResidue(value, this.dialect, unknownJsonFields(wire, RESULT_EVENT_FIELDS));
    if (isProvider) {
      if (this.openAnswer()) this.#providerResults.set(id, value);
      return true;
    }
    this.#clientResults.set(toolCallId, { call, value });
    const isPreliminary = wire["preliminary"] === true;
    if (!isPreliminary) call.isAnswered = true;
    if (!isPreliminary && this.state === "between") this.#emitClientResults();
    return true;
  }

  /** Emits the results of provider tools; preliminary results are emitted only at the end of the answer (`isEnd`). */
  #emitProviderResults(isEnd: boolean): void {
    for (const [id, value] of this.#providerResults) {
      if (!isEnd && value.extra?.[this.dialect]?.["preliminary"] === true) continue;
      this.#providerResults.delete(id);
      const call = this.#callDecoder.findUnansweredCall(id);
      if (call !== undefined) call.isAnswered = true;
      this.hasContent = true;
      this.#deltas.push({ kind: "part", payload: { value } });
    }
  }

  /** Emits the results of client tools in the order of their calls; later results of these calls are ignored. */
  #emitClientResults(): void {
    if (this.#clientResults.size === 0) return;
    const results = [...this.#clientResults.values()].toSorted((a, b) => a.call.order - b.call.order);
    this.#clientResults = new Map();
    this.hasResults = true;
    for (const { call, value } of results) {
      call.isAnswered = true;
      this.#deltas.push({ kind: "part", payload: { value, role: "tool" } });
    }
  }

  /** Stores an unknown event, which becomes residue of the end of the answer. */
  addUnknownEvent(event: JsonObject): void {
    this.#unknownEvents.push(event);
  }

  emitUsage(payload: UsagePayload): void {
    if (this.openAnswer()) this.#deltas.push({ kind: "usage", payload });
  }

  #closeAll(): void {
    this.#closeItem();
    for (const [name, text] of this.#texts) this.#closeText(text, name);
    this.#emitProviderResults(true);
  }

  /**
   * Ends the answer. The `done` delta is emitted with the next event or by `flush`, because later events may amend it.
   */
  finish(payload: DonePayload): void {
    if (!this.openAnswer()) return;
    this.#closeAll();
    this.#pendingEnd = payload;
    this.state = "ending";
  }

  /** Adds fields to the `done` delta that is not emitted yet. */
  amendEnd(payload: Partial<DonePayload>): void {
    if (this.#pendingEnd !== undefined) this.#pendingEnd = { ...this.#pendingEnd, ...payload };
  }

  amendEndExtra(extra: Extra): void {
    if (this.#pendingEnd !== undefined) {
      this.#pendingEnd = {
        ...this.#pendingEnd,
        extra: mergeExtra(this.#pendingEnd.extra && copyExtra(this.#pendingEnd.extra), extra),
      };
    }
  }

  amendEndMessage(fields: MessageFields): void {
    if (this.#pendingEnd !== undefined)
      this.#pendingEnd = { ...this.#pendingEnd, message: { ...this.#pendingEnd.message, ...fields } };
  }

  flush(): void {
    if (this.#pendingEnd !== undefined) {
      this.#deltas.push({ kind: "done", payload: this.#withUnknownEvents(this.#pendingEnd) });
      this.#pendingEnd = undefined;
      this.state = "between";
    }
    if (this.state === "between") this.#emitClientResults();
  }

  /** Returns a copy of a `done` or `error` payload, with the unknown events since the previous one as residue. */
  #withUnknownEvents<P extends DonePayload | ErrorPayload>(payload: P): P {
    const end = { ...payload };
    storeUnknownEvents(end, this.dialect, this.#unknownEvents);
    this.#unknownEvents = [];
    return end;
  }

  fail(payload: ErrorPayload): void {
    if (this.state === "ending") this.flush();
    if (!this.openAnswer()) return;
    this.#closeAll();
    this.#deltas.push({ kind: "error", payload: this.#withUnknownEvents(payload) });
    this.state = "failed";
  }

  /**
   * Ends the stream; `reason` is the error of a truncated stream. An open answer fails with this error. An answer in
   * the state "ending" fails too, unless `hasFullEnd` is true, which means that the end of a step needs no further
   * event.
   */
  end(reason: Delta, hasFullEnd: boolean): void {
    if (this.state === "between") this.#emitClientResults();
    if (reason.kind !== "error" || this.state === "failed" || this.state === "between") return;
    if (this.state === "ending" && (hasFullEnd || this.#clientResults.size > 0)) {
      this.flush();
      // If `hasFullEnd` is false, no answer to the emitted tool results has arrived, so the run fails below.
      if (hasFullEnd) return;
    } else if (this.state === "ending") {
      this.#pendingEnd = undefined;
      this.state = "open";
    }
    this.fail(reason.payload);
  }
}

/**
 * Merges the fields of a text event other than type, id and text. It creates no list of keys, because it runs for every
 * event.
 */
function mergeTextFields(text: TextInProgress, wire: JsonObject, field?: string): void {
  for (const key in wire) {
    if (key === "type" || key === "id" || key === field || wire[key] === undefined) continue;
    if (key !== "providerMetadata") copyField(wire, key, (text.residue ??= {}));
    else if (isObject(wire[key])) text.options = wire[key];
  }
}

const RESULT_EVENT_FIELDS: ReadonlySet<string> = new Set(
  (
    "type toolCallId toolName input output error errorText providerExecuted providerMetadata " +
    "toolMetadata dynamic title"
  ).split(" "),
);

function readSeals(options: JsonValue | undefined): Seal[] {
  const target: PartBase = {};
  decodeProviderOptions(target, options, false);
  return target.seals ?? [];
}

function readItemId(options: JsonValue | undefined): string | undefined {
  return findOpenAiItemId({ seals: readSeals(options) });
}
