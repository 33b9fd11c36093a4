// From the events of a stream to deltas. An answer begins with its first event and ends with the event that says so;
// what that event repeats of the answer is what a whole answer would have been, and is read like one (B80).
import { disassemble } from "../../assembly/disassemble.ts";
import type { Delta } from "../../model/delta.ts";
import { copyExtra } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder } from "../dialect.ts";
import { decodeOpenAiError } from "../kit/openai-errors.ts";
import { isObject, readObject, unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { keepEvents, startDelta, truncated } from "../kit/streams.ts";
import { dateOf, describeResponse, stringOf } from "./response.ts";
import type { StreamIds } from "./stream-calls.ts";
import { othersOf, Pieces } from "./stream-pieces.ts";
import { EVENT, isBookkeeping } from "./stream-terms.ts";
import { decodeUsage } from "./usage.ts";

/** The events that end an answer, and the status that each stands for. */
const ENDS: Readonly<Record<string, string>> = {
  "response.completed": "completed",
  "response.incomplete": "incomplete",
  "response.failed": "failed",
};
const BEGINS: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);

export function streamDecoder(context: DecodeContext, options: DecodeReplyOptions): EventDecoder {
  return new ResponseReader(context, options);
}

class ResponseReader implements EventDecoder {
  readonly #context: DecodeContext;
  readonly #options: DecodeReplyOptions;
  readonly #ids: StreamIds = { taken: new Set(), answered: new Set() };
  /** What has come of the answer under way. */
  #pieces: Pieces | undefined;
  /** The id of the answer that has ended last; undefined before there is one. */
  #ended: string | undefined;
  /** After an error nothing more can be said. */
  #isOver = false;
  #id = "";
  /** What the answer lacked when it began, though it may say it later. */
  #missing: string[] = [];
  /** What the answer has said of itself last. */
  #snapshot: JsonObject = {};
  /** An error that came as an event of its own: the answer often says it again at its end. */
  #failure: { end: Delta; wire: JsonObject } | undefined;
  /** Events that nobody knows. */
  #unknown: JsonValue[] = [];

  constructor(context: DecodeContext, options: DecodeReplyOptions) {
    this.#context = context;
    this.#options = options;
  }

  push(data: unknown, event: string | undefined): Delta[] {
    if (data === "[DONE]" || this.#isOver) return [];
    const wire = readObject(data, this.#context);
    const type = typeof wire["type"] === "string" ? wire["type"] : event;
    const pieces = this.#pieces;
    if (pieces !== undefined && this.#failure === undefined) {
      // Nearly every event is a piece of text.
      const said = type === "response.output_text.delta" ? pieces.text(wire) : pieces.read(type, wire);
      if (said !== undefined) return said;
    }
    const out: Delta[] = [];
    this.#take(type ?? "", wire, out);
    return out;
  }

  /** What is no piece of an open answer. */
  #take(type: string, wire: JsonObject, out: Delta[]): void {
    const { response } = wire;
    if (type === "error" || (type === "" && wire["error"] !== undefined && wire["output"] === undefined)) {
      this.#failWith(wire, out);
      // A body that is an error, not a stream: nothing follows it (B74).
      if (type === "" && this.#failure !== undefined) this.#close(this.#failure.end, out);
    } else if (type === "" && Array.isArray(wire["output"])) this.#finish(type, { response: wire }, out);
    else if (Object.hasOwn(ENDS, type)) this.#finish(type, wire, out);
    else if (BEGINS.has(type)) this.#describe(type, isObject(response) ? response : {}, out);
    else if (isBookkeeping(type)) return;
    else if (Pieces.knows(type)) {
      // What still comes after the end only repeats it.
      if (this.#ended !== undefined || this.#failure !== undefined) return;
      for (const delta of this.#begin({}, out).read(type, wire) ?? []) out.push(delta);
    } else this.#unknown.push(unnumbered(wire));
  }

  #begin(snapshot: JsonObject, out: Delta[]): Pieces {
    const { id, model, created_at: seconds } = snapshot;
    this.#id = stringOf(id);
    this.#ended = undefined;
    const createdAt = dateOf(seconds);
    this.#missing = HEAD.filter((field) => !hasHead(snapshot, field));
    const start = { modelId: stringOf(model), requestId: this.#id };
    out.push(startDelta(createdAt === undefined ? start : { ...start, createdAt }));
    this.#pieces = new Pieces(this.#context, this.#options.names, this.#id, this.#ids);
    return this.#pieces;
  }

  /** What an answer says of itself while it is under way. Some give it another id each time. */
  #describe(type: string, snapshot: JsonObject, out: Delta[]): void {
    const id = stringOf(snapshot["id"]);
    if (this.#failure !== undefined || (this.#ended !== undefined && this.#ended === id && id !== "")) return;
    // Another answer begins where this one has said something already: it will not go on.
    const isOther = type === "response.created" && this.#pieces?.isBegun === true && id !== this.#id;
    if (isOther) {
      this.#pieces?.items.sayAsked(out);
      return this.#close(truncated(), out);
    }
    if (this.#pieces === undefined) this.#begin(snapshot, out);
    this.#snapshot = snapshot;
    const { usage } = snapshot;
    if (isObject(usage)) out.push({ kind: "usage", payload: { ...decodeUsage(usage, this.#context) } });
  }

  /** An error of its own; where it comes first, it is the whole answer. */
  #failWith(wire: JsonObject, out: Delta[]): void {
    if (this.#failure !== undefined || (this.#pieces === undefined && this.#ended !== undefined)) return;
    if (this.#pieces === undefined) this.#begin({}, out);
    const error = decodeOpenAiError(wire);
    const { end } = endOf({ id: "", model: "", message: NOTHING, finishReason: { unified: "error" }, error });
    this.#failure = { end, wire };
  }

  /** The answer has ended: what is left to say of its items, what it cost, and how it ended. */
  #finish(type: string, wire: JsonObject, out: Delta[]): void {
    const said = wire["response"];
    const status = ENDS[type];
    const snapshot = isObject(said) ? said : { ...this.#snapshot, ...(status !== undefined && { status }) };
    const id = stringOf(snapshot["id"]);
    if (this.#pieces === undefined && this.#ended !== undefined && (this.#ended === id || id === "")) return;
    const { items } = this.#pieces ?? this.#begin(snapshot, out);
    this.#snapshot = snapshot;
    const finished = items.finishAll(snapshot["output"]);
    const list = finished.map((each) => each.wire);
    const response = describeResponse(
      snapshot,
      list,
      finished.flatMap((each) => each.parts),
      this.#context,
    );
    items.end(finished, response.finishReason.unified !== "stop" && status !== "completed", out);
    const others = othersOf(wire);
    if (others !== undefined) storeForm(response, this.#context.dialect, EVENT, others);
    const { usage, end } = endOf(response);
    if (usage !== undefined) out.push(usage);
    const failure = this.#failure;
    if (failure === undefined || response.error !== undefined) {
      // The error is told again, but not in every detail.
      if (failure !== undefined) this.#unknown.push(unnumbered(failure.wire));
      this.#close(end, out);
    } else this.#close(failure.end, out);
  }

  /** The last delta of an answer, with the events that nobody knew. */
  #close(end: Delta, out: Delta[]): void {
    const { dialect } = this.#context;
    const { payload } = end;
    keepEvents(payload, dialect, this.#unknown);
    // What an answer is called is said by its beginning; where that is missing, it stands beside the answer.
    const late = this.#missing.filter((field) => hasHead(this.#snapshot, field));
    if (late.length > 0) {
      payload.extra = payload.extra === undefined ? {} : copyExtra(payload.extra);
      storeResidue(payload, dialect, Object.fromEntries(late.map((field) => [field, this.#snapshot[field] ?? null])));
    }
    out.push(end);
    this.#isOver = end.kind === "error";
    this.#ended = this.#id;
    this.#pieces = undefined;
    this.#failure = undefined;
    this.#snapshot = {};
    this.#unknown = [];
  }

  end(reason: Delta = truncated()): Delta[] {
    const out: Delta[] = [];
    if (this.#pieces === undefined && this.#ended !== undefined) return out;
    if (this.#pieces === undefined) this.#begin({}, out);
    this.#pieces?.items.sayAsked(out);
    this.#close(this.#failure?.end ?? reason, out);
    return out;
  }
}

/** What an answer is called, and when it was made. */
const HEAD = ["id", "model", "created_at"];

function hasHead(snapshot: JsonObject, field: string): boolean {
  const value = snapshot[field];
  return field === "created_at" ? dateOf(value) !== undefined : stringOf(value) !== "";
}

const NUMBER: ReadonlySet<string> = new Set(["sequence_number"]);

/** An event without its place in the stream: it gets another one when it goes out again (B83). */
function unnumbered(event: JsonObject): JsonObject {
  return unknownFields(event, NUMBER) ?? {};
}

const NOTHING: Message = { role: "assistant", parts: [] };

/** How an answer ends, as deltas: its last one carries what the answer says beside its parts. */
function endOf(response: ModelResponse): { usage: Delta | undefined; end: Delta } {
  const deltas = disassemble({ ...response, message: NOTHING });
  const end = deltas.at(-1) ?? truncated();
  if (response.extra !== undefined) end.payload.extra = response.extra;
  return { usage: deltas.find(({ kind }) => kind === "usage"), end };
}
