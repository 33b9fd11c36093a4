// Streams on their way out: one message_start, every block opened and closed, one message_delta, message_stop (B81).
// What the end says, and what was lost, is taken from the answer as it would have been written in one piece.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext, StreamEncoder, WireEvent } from "../dialect.ts";
import type { Draft } from "../kit/follow.ts";
import { Follower, placeOf } from "../kit/follow.ts";
import { asBegun, withoutNotes } from "../kit/notes.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import type { PartSink } from "../kit/sequence.ts";
import { PartSequence, reportLate } from "../kit/sequence.ts";
import { eventsOf, withOwnReport, truncated, withoutEvents } from "../kit/streams.ts";
import { startWriting } from "./encode-block.ts";
import { encodeError } from "./errors.ts";
import { encodeFailure, reportFailure } from "./failure.ts";
import type { Code } from "./losses.ts";
import { encodeContent, encodeResponse } from "./response.ts";
import type { Desk, PartWriter } from "./stream-part.ts";
import { citationOf, partWriter } from "./stream-part.ts";
import { BlockWriter } from "./stream-write.ts";

export function streamEncoder(context: EncodeContext<Code>): Omit<StreamEncoder, "losses"> {
  return new MessageEncoder(context);
}

/** What stands in `delta` of a message_delta; everything else that is known late stands beside it. */
const ENDING: ReadonlySet<string> = new Set(["stop_reason", "stop_sequence", "stop_details", "container"]);
/** What stands in message_start alone, in the blocks, or has a place of its own. */
const ELSEWHERE: ReadonlySet<string> = new Set(["id", "type", "role", "model", "content", "usage"]);
/** What a host adds to the last event. */
const OF_HOST = "amazon-bedrock-";

class MessageEncoder implements PartSink {
  readonly #context: EncodeContext<Code>;
  readonly #follower = new Follower();
  #desk: Desk;
  #sequence = new PartSequence(this);
  /** The message as message_start says it; none before. */
  #message: JsonObject | undefined;
  #writer: PartWriter | undefined;
  /** A further block for a part that had been closed. */
  #split: { draft: Draft; writer: PartWriter } | undefined;

  constructor(context: EncodeContext<Code>) {
    this.#context = context;
    this.#desk = newDesk(context);
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    if (draft !== undefined) {
      if (this.#message === undefined) this.#start();
      // Other choices than the first have no place; that is reported at the end.
      if (draft.choice === 0) this.#sequence.push(draft, delta);
    } else if (delta.kind === "usage") {
      if (this.#message === undefined) this.#start();
    } else if (delta.kind === "done") this.#finish();
    else if (delta.kind === "error") this.#fail();
    else if (delta.kind === "start") this.#reset();
    else if (delta.kind === "part") this.#context.report.addLoss("result-between");
    return this.#desk.out.take();
  }

  /** A stream that its reader gives up ends as one that broke off (B86). */
  end(): WireEvent[] {
    return this.#follower.isOpen ? this.push(truncated()) : [];
  }

  #reset(): void {
    this.#desk = newDesk(this.#context);
    this.#sequence = new PartSequence(this);
    this.#message = undefined;
    this.#writer = undefined;
    this.#split = undefined;
  }

  /** Begins the message, with the counts that are known by now (B82). */
  #start(): void {
    const answer = this.#follower.response();
    if (answer === undefined) return;
    const { error: _, message, ...known } = answer;
    // An ending of this dialect, so that nothing is added for the sake of another's.
    const finishReason: ModelResponse["finishReason"] = { unified: "stop", raw: "end_turn" };
    const begun: ModelResponse = { ...known, message: { ...message, parts: [] }, finishReason };
    const wire = encodeResponse(begun, this.#desk.writing.context).wire as JsonObject; // it writes no other
    if (readForm(answer, this.#context.dialect)["stop_reason"] === "none") delete wire["stop_reason"];
    else wire["stop_reason"] = null;
    // A whole answer knows its end already.
    for (const field of ["stop_sequence", "stop_details"]) if (wire[field] !== undefined) wire[field] = null;
    // Readers add to the counts of the start.
    if (answer.usage === undefined || !isObject(wire["usage"])) wire["usage"] = { input_tokens: 0, output_tokens: 0 };
    this.#message = wire;
    this.#desk.out.write({ type: "message_start", message: wire });
  }

  open(draft: Draft): void {
    this.#closeSplit();
    this.#writer = partWriter(draft, this.#desk);
  }

  add(draft: Draft, delta: Delta): void {
    if (draft.kind === "whole" && delta.kind !== "part") this.#reportLate(draft, delta);
    this.#writer?.add(delta);
  }

  close(): void {
    this.#writer?.close();
    this.#writer = undefined;
  }

  late(draft: Draft, delta: Delta): void {
    this.#reportLate(draft, delta);
    const isText = delta.kind === "text" || delta.kind === "refusal" || delta.kind === "thinking";
    if (!isText || delta.payload.textDelta === "") return;
    if (this.#split?.draft !== draft) {
      this.#closeSplit();
      this.#desk.split(draft);
      const part: Part = { type: delta.kind === "thinking" ? "reasoning" : "text", text: "" };
      this.#split = { draft, writer: partWriter({ ...draft, part }, this.#desk) };
    }
    const { extra: _, ...payload } = delta.payload;
    this.#split.writer.add({ kind: delta.kind, payload });
  }

  #closeSplit(): void {
    this.#split?.writer.close();
    this.#split = undefined;
  }

  #reportLate(draft: Draft, delta: Delta): void {
    reportLate(draft, delta, this.#context, (annotation) => citationOf(annotation, this.#desk) !== undefined);
  }

  #finish(): void {
    if (this.#message === undefined) this.#start();
    this.#sequence.end();
    this.#closeSplit();
    const { out } = this.#desk;
    const response = this.#follower.response();
    if (response === undefined) return;
    const answer = unnoted(withoutEvents(response, this.#context.dialect));
    const body = encodeResponse(answer, this.#context).wire as JsonObject; // it writes no other
    const usage = isObject(body["usage"]) ? body["usage"] : { output_tokens: 0 };
    // An answer may be without counts; readers of a stream count on them.
    if (body["usage"] !== usage) this.#context.report.addLoss("usage-made", "usage");
    const delta: JsonObject = {};
    const event: JsonObject = { type: "message_delta", delta, usage };
    const stop: JsonObject = { type: "message_stop" };
    const start = this.#message ?? {};
    for (const key of Object.keys(body)) {
      if (ELSEWHERE.has(key)) continue;
      if (key.startsWith(OF_HOST)) copyField(body, key, stop);
      else if (ENDING.has(key)) copyField(body, key, delta);
      else if (!Object.hasOwn(start, key) || !sameJson(start[key], body[key])) copyField(body, key, event);
    }
    if (start["stop_sequence"] === null && body["stop_sequence"] === undefined) {
      this.#desk.stale(["extra", this.#context.dialect, "$form", "stop_sequence"]);
    }
    out.write(event);
    this.#writeKept(response);
    out.write(stop);
  }

  #writeKept(response: ModelResponse): void {
    for (const event of eventsOf(response, this.#context.dialect)) this.#desk.out.write(event);
  }

  /** The stream ends with the error (B86); blocks stay open, because they are not complete. */
  #fail(): void {
    const response = this.#follower.response();
    if (response?.error === undefined) return;
    const context = this.#context;
    this.#writeKept(response);
    const answer = withoutEvents(response, context.dialect);
    this.#desk.out.write(encodeFailure(answer, context) ?? this.#failureOf(answer, response.error));
  }

  #failureOf(response: ModelResponse, error: ProviderError): JsonObject {
    const context = this.#context;
    const { message } = unnoted(response);
    const parts = message.parts.map(asBegun);
    encodeContent({ ...response, message: { ...message, parts } }, startWriting(context));
    const wire = encodeError(error).wire as JsonObject; // an envelope, whatever was kept of another
    reportFailure(error, wire, context);
    return wire;
  }
}

/** What the assembly of an answer has noted about it is told to nobody; empty metadata are no note. */
function unnoted(response: ModelResponse): ModelResponse {
  const { message } = response;
  const isNoted = Object.keys(message.metadata ?? {}).length > 0;
  return isNoted ? { ...response, message: withoutNotes(message) } : response;
}

/** A new table to write at, with a report that nobody reads. */
function newDesk(context: EncodeContext<Code>): Desk {
  return {
    out: new BlockWriter(),
    stale: (place) => context.report.addLoss("form-stale", place),
    split: (draft) => context.report.addLoss("part-split", placeOf(draft)),
    writing: startWriting(withOwnReport(context)),
  };
}
