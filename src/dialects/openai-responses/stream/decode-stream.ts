// Decodes stream events into deltas. The last event of an answer repeats the whole answer, which is decoded like any
// other (B80).
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
import type { ResponsesCallIds } from "./call-ids.ts";
import { readUnknownFields, AnswerEventDecoder } from "./event-decoder.ts";
import { EVENT_FORM, isProgressEvent } from "./event-types.ts";
import { decodeUsage } from "../response/usage.ts";

/** The last events of an answer, and their statuses. */
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
  /** The decoder of the current answer. */
  #eventDecoder: AnswerEventDecoder | undefined;
  /** The id of the last ended answer; undefined before the first one has ended. */
  #endedId: string | undefined;
  /** True after an error; later events are ignored. */
  #hasFailed = false;
  #id = "";
  /** Fields that the first event lacked and a later one can have. */
  #missingFields: string[] = [];
  /** The latest fields of the answer itself. */
  #snapshot: JsonObject = {};
  /** An error event; the last event of the answer often repeats the error. */
  #failure: { end: Delta; wire: JsonObject } | undefined;
  /** Events of unknown types. */
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
      // Fast path: most events are text.
      const deltas =
        type === "response.output_text.delta" ? eventDecoder.decodeTextDelta(wire) : eventDecoder.decode(type, wire);
      if (deltas !== undefined) return deltas;
    }
    const out: Delta[] = [];
    this.#decodeAnswerEvent(type ?? "", wire, out);
    return out;
  }

  /** Decodes an event about the answer itself. */
  #decodeAnswerEvent(type: string, wire: JsonObject, out: Delta[]): void {
    const { response } = wire;
    if (type === "error" || (type === "" && wire["error"] !== undefined && wire["output"] === undefined)) {
      this.#storeFailure(wire, out);
      // An error body instead of a stream has no further events (B74).
      if (type === "" && this.#failure !== undefined) this.#emitEnd(this.#failure.end, out);
    } else if (type === "" && Array.isArray(wire["output"])) this.#finishAnswer(type, { response: wire }, out);
    else if (Object.hasOwn(END_STATUSES, type)) this.#finishAnswer(type, wire, out);
    else if (START_EVENTS.has(type)) this.#updateSnapshot(type, isObject(response) ? response : {}, out);
    else if (isProgressEvent(type)) return;
    else if (AnswerEventDecoder.supports(type)) {
      // Events after the end only repeat content.
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

  /** Stores the fields of an answer in progress. Some vendors send another id with each event. */
  #updateSnapshot(type: string, snapshot: JsonObject, out: Delta[]): void {
    const id = toText(snapshot["id"]);
    if (this.#failure !== undefined || (this.#endedId !== undefined && this.#endedId === id && id !== "")) return;
    // The start of another answer ends this one early.
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

  /** Stores an error event; as the first event it is the whole answer. */
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

  /** Ends the answer: emits the rest of its items, the usage and the finish reason. */
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
      // The repeated error lacks fields of the event, so the event is stored.
      if (failure !== undefined) this.#unknownEvents.push(withoutSequenceNumber(failure.wire));
      this.#emitEnd(end, out);
    } else this.#emitEnd(failure.end, out);
  }

  /** Emits the last delta of an answer, with the unknown events. */
  #emitEnd(end: Delta, out: Delta[]): void {
    const { dialect } = this.#context;
    const { payload } = end;
    storeUnknownEvents(payload, dialect, this.#unknownEvents);
    // Fields that the start delta lacked are stored as residue.
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

/** The fields of a start delta. */
const HEAD_FIELDS = ["id", "model", "created_at"];

function hasHeadField(snapshot: JsonObject, field: string): boolean {
  const value = snapshot[field];
  return field === "created_at" ? decodeDate(value) !== undefined : toText(value) !== "";
}

const SEQUENCE_FIELDS: ReadonlySet<string> = new Set(["sequence_number"]);

/** Returns an event without its sequence number: it gets another one when it is sent again (B83). */
function withoutSequenceNumber(event: JsonObject): JsonObject {
  return unknownFields(event, SEQUENCE_FIELDS) ?? {};
}

const EMPTY_MESSAGE: Message = { role: "assistant", parts: [] };

/** Returns the usage delta and the last delta, which has the residue of the answer. */
function createEndDeltas(response: ModelResponse): { usage: Delta | undefined; end: Delta } {
  const deltas = disassemble({ ...response, message: EMPTY_MESSAGE });
  const end = deltas.at(-1) ?? createTruncatedDelta();
  if (response.extra !== undefined) end.payload.extra = response.extra;
  return { usage: deltas.find(({ kind }) => kind === "usage"), end };
}
