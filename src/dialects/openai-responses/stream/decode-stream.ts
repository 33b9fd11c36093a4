// Decodes stream events into deltas. The last event of an answer contains the complete response, which is decoded like
// a response that was not streamed (B80).
import { disassemble } from "../../../assembly/disassemble.ts";
import type { Delta } from "../../../model/delta.ts";
import { copyExtra } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder } from "../../dialect.ts";
import { decodeOpenAiError } from "../../openai/errors.ts";
import { isObject, readObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { createStartDelta, createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";
import { storeUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { decodeDate, decodeResponseFields, toText } from "../response/response.ts";
import type { ResponsesCallIds } from "./decoded-call-ids.ts";
import { readUnknownFields, AnswerEventDecoder } from "./event-decoder.ts";
import { EVENT_FORM, isProgressEvent } from "./event-types.ts";
import { decodeUsage } from "../response/usage.ts";

/** The types of the last event of an answer, with the status that each implies. */
const END_STATUSES: Readonly<Record<string, string>> = {
  "response.completed": "completed",
  "response.incomplete": "incomplete",
  "response.failed": "failed",
};
const START_EVENTS: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);

export function createStreamDecoder(context: DecodeContext, options: DecodeReplyOptions): EventDecoder {
  return new ResponsesStreamDecoder(context, options);
}

class ResponsesStreamDecoder implements EventDecoder {
  readonly #context: DecodeContext;
  readonly #options: DecodeReplyOptions;
  readonly #ids: ResponsesCallIds = { usedIds: new Set(), answeredIds: new Set() };
  /** The decoder of the current answer; undefined before an answer starts and after it has ended. */
  #eventDecoder: AnswerEventDecoder | undefined;
  /** The id of the answer that ended last; undefined until an answer has ended and while another answer is decoded. */
  #endedId: string | undefined;
  /** True once an answer has ended with an error; further events are ignored. */
  #hasFailed = false;
  /** The id of the current answer. */
  #id = "";
  /**
   * Fields of `HEAD_FIELDS` (id, model, creation time) that the first event of the answer lacked. A later event can
   * have them.
   */
  #missingFields: string[] = [];
  /** The response object of the latest event that had one. */
  #snapshot: JsonObject = {};
  /**
   * The first error event of the answer; undefined if there is none. The answer does not end with it, because the last
   * event often repeats the error.
   */
  #failure: { end: Delta; wire: JsonObject } | undefined;
  /** Events of unknown types, which become residue of the answer. */
  #unknownEvents: JsonValue[] = [];

  constructor(context: DecodeContext, options: DecodeReplyOptions) {
    this.#context = context;
    this.#options = options;
  }

  push(data: unknown, event: string | undefined): Delta[] {
    if (data === "[DONE]" || this.#hasFailed) return [];
    const wire = readObject(data, this.#context);
    const type = typeof wire["type"] === "string" ? wire["type"] : event;
    const eventDecoder = this.#eventDecoder;
    if (eventDecoder !== undefined && this.#failure === undefined) {
      // Fast path, because most events are text deltas.
      const deltas =
        type === "response.output_text.delta" ? eventDecoder.decodeTextDelta(wire) : eventDecoder.decode(type, wire);
      if (deltas !== undefined) return deltas;
    }
    const out: Delta[] = [];
    this.#decodeAnswerEvent(type ?? "", wire, out);
    return out;
  }

  /** Decodes an event that is about the answer, not about its content. */
  #decodeAnswerEvent(type: string, wire: JsonObject, out: Delta[]): void {
    const { response } = wire;
    if (type === "error" || (type === "" && wire["error"] !== undefined && wire["output"] === undefined)) {
      this.#storeFailure(wire, out);
      // An error body that is sent instead of a stream has no further events (B74).
      if (type === "" && this.#failure !== undefined) this.#emitEnd(this.#failure.end, out);
    } else if (type === "" && Array.isArray(wire["output"])) this.#finishAnswer(type, { response: wire }, out);
    else if (Object.hasOwn(END_STATUSES, type)) this.#finishAnswer(type, wire, out);
    else if (START_EVENTS.has(type)) this.#updateSnapshot(type, isObject(response) ? response : {}, out);
    else if (isProgressEvent(type)) return;
    else if (AnswerEventDecoder.supports(type)) {
      // Content events after the end of an answer or after an error only repeat content and are ignored. Otherwise the
      // event that starts the answer is missing, so the answer starts here.
      if (this.#endedId !== undefined || this.#failure !== undefined) return;
      for (const delta of this.#startAnswer({}, out).decode(type, wire) ?? []) out.push(delta);
    } else this.#unknownEvents.push(withoutSequenceNumber(wire));
  }

  #startAnswer(snapshot: JsonObject, out: Delta[]): AnswerEventDecoder {
    const { id, model, created_at: seconds } = snapshot;
    this.#id = toText(id);
    this.#endedId = undefined;
    const createdAt = decodeDate(seconds);
    this.#missingFields = HEAD_FIELDS.filter((field) => !hasHeadField(snapshot, field));
    const start = { modelId: toText(model), requestId: this.#id };
    out.push(createStartDelta(createdAt === undefined ? start : { ...start, createdAt }));
    this.#eventDecoder = new AnswerEventDecoder(this.#context, this.#options.names, this.#id, this.#ids);
    return this.#eventDecoder;
  }

  /**
   * Stores the response object of an answer in progress. Another id alone does not start an answer, because some
   * vendors send another id with each event.
   */
  #updateSnapshot(type: string, snapshot: JsonObject, out: Delta[]): void {
    const id = toText(snapshot["id"]);
    if (this.#failure !== undefined || (this.#endedId !== undefined && this.#endedId === id && id !== "")) return;
    // An event that starts another answer ends the current answer as truncated, and all further events are ignored.
    const isOther = type === "response.created" && this.#eventDecoder?.hasContent === true && id !== this.#id;
    if (isOther) {
      this.#eventDecoder?.items.emitUnstartedCalls(out);
      return this.#emitEnd(createTruncatedDelta(), out);
    }
    if (this.#eventDecoder === undefined) this.#startAnswer(snapshot, out);
    this.#snapshot = snapshot;
    const { usage } = snapshot;
    if (isObject(usage)) out.push({ kind: "usage", payload: { ...decodeUsage(usage, this.#context) } });
  }

  /** Stores an error event. If it is the first event of the stream, it also starts an answer. */
  #storeFailure(wire: JsonObject, out: Delta[]): void {
    if (this.#failure !== undefined || (this.#eventDecoder === undefined && this.#endedId !== undefined)) return;
    if (this.#eventDecoder === undefined) this.#startAnswer({}, out);
    const error = decodeOpenAiError(wire);
    const { end } = createEndDeltas({
      id: "",
      model: "",
      message: EMPTY_MESSAGE,
      finishReason: { unified: "error" },
      error,
    });
    this.#failure = { end, wire };
  }

  /** Ends the answer: emits the remaining deltas of its items, the usage and the finish reason. */
  #finishAnswer(type: string, wire: JsonObject, out: Delta[]): void {
    const responseField = wire["response"];
    const status = END_STATUSES[type];
    const snapshot = isObject(responseField)
      ? responseField
      : { ...this.#snapshot, ...(status !== undefined && { status }) };
    const id = toText(snapshot["id"]);
    if (this.#eventDecoder === undefined && this.#endedId !== undefined && (this.#endedId === id || id === "")) return;
    const { items } = this.#eventDecoder ?? this.#startAnswer(snapshot, out);
    this.#snapshot = snapshot;
    const finished = items.decodeFinalItems(snapshot["output"]);
    const list = finished.map((each) => each.wire);
    const response = decodeResponseFields(
      snapshot,
      list,
      finished.flatMap((each) => each.parts),
      this.#context,
    );
    items.finishAnswer(finished, response.finishReason.unified !== "stop" && status !== "completed", out);
    const otherFields = readUnknownFields(wire);
    if (otherFields !== undefined) storeForm(response, this.#context.dialect, EVENT_FORM, otherFields);
    const { usage, end } = createEndDeltas(response);
    if (usage !== undefined) out.push(usage);
    const failure = this.#failure;
    if (failure === undefined || response.error !== undefined) {
      // The error of the response lacks fields of the error event, so the event is stored as residue.
      if (failure !== undefined) this.#unknownEvents.push(withoutSequenceNumber(failure.wire));
      this.#emitEnd(end, out);
    } else this.#emitEnd(failure.end, out);
  }

  /** Emits the last delta of an answer, with the unknown events as residue. */
  #emitEnd(end: Delta, out: Delta[]): void {
    const { dialect } = this.#context;
    const { payload } = end;
    storeUnknownEvents(payload, dialect, this.#unknownEvents);
    // An id, model or creation time that arrived after the start delta is stored as residue.
    const late = this.#missingFields.filter((field) => hasHeadField(this.#snapshot, field));
    if (late.length > 0) {
      payload.extra = payload.extra === undefined ? {} : copyExtra(payload.extra);
      storeResidue(payload, dialect, Object.fromEntries(late.map((field) => [field, this.#snapshot[field] ?? null])));
    }
    out.push(end);
    this.#hasFailed = end.kind === "error";
    this.#endedId = this.#id;
    this.#eventDecoder = undefined;
    this.#failure = undefined;
    this.#snapshot = {};
    this.#unknownEvents = [];
  }

  end(reason: Delta = createTruncatedDelta()): Delta[] {
    const out: Delta[] = [];
    if (this.#eventDecoder === undefined && this.#endedId !== undefined) return out;
    if (this.#eventDecoder === undefined) this.#startAnswer({}, out);
    this.#eventDecoder?.items.emitUnstartedCalls(out);
    this.#emitEnd(this.#failure?.end ?? reason, out);
    return out;
  }
}

/** The wire fields that a start delta contains. */
const HEAD_FIELDS = ["id", "model", "created_at"];

function hasHeadField(snapshot: JsonObject, field: string): boolean {
  const value = snapshot[field];
  return field === "created_at" ? decodeDate(value) !== undefined : toText(value) !== "";
}

const SEQUENCE_FIELDS: ReadonlySet<string> = new Set(["sequence_number"]);

/** Returns an event without its sequence number, because the encoder assigns a new number (B83). */
function withoutSequenceNumber(event: JsonObject): JsonObject {
  return unknownFields(event, SEQUENCE_FIELDS) ?? {};
}

const EMPTY_MESSAGE: Message = { role: "assistant", parts: [] };

/** Returns the usage delta (undefined without usage) and the last delta, which contains the residue of the answer. */
function createEndDeltas(response: ModelResponse): { usage: Delta | undefined; end: Delta } {
  const deltas = disassemble({ ...response, message: EMPTY_MESSAGE });
  const end = deltas.at(-1) ?? createTruncatedDelta();
  if (response.extra !== undefined) end.payload.extra = response.extra;
  return { usage: deltas.find(({ kind }) => kind === "usage"), end };
}
