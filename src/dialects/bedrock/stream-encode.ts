// Streams on their way out: messageStart, the blocks, messageStop, metadata. What the end says, and what was lost, is
// taken from the answer as it would have been written in one piece.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext, StreamEncoder, WireEvent } from "../dialect.ts";
import type { Draft } from "../kit/follow.ts";
import { Follower, placeOf } from "../kit/follow.ts";
import { asBegun, withoutNotes } from "../kit/notes.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { restoreResidue } from "../kit/residue.ts";
import type { PartSink } from "../kit/sequence.ts";
import { PartSequence, reportLate } from "../kit/sequence.ts";
import { eventsOf, withOwnReport, truncated, withoutEvents } from "../kit/streams.ts";
import { encodeCitation } from "./citations.ts";
import { startWriting } from "./encode-block.ts";
import { exceptionIn, readError } from "./errors.ts";
import { encodeFailure, reportFailure } from "./failure.ts";
import type { Code } from "./losses.ts";
import { encodeContent, encodeResponse, STOP, writeRole } from "./response.ts";
import type { Desk, PartWriter } from "./stream-part.ts";
import { partWriter } from "./stream-part.ts";
import { BlockWriter, eventOf } from "./stream-write.ts";
import { STREAM_ERROR } from "./terms.ts";

export function streamEncoder(context: EncodeContext<Code>): Omit<StreamEncoder, "losses"> {
  return new ConverseEncoder(context);
}

/** What stands in messageStop; everything else that is known of the answer stands in the metadata. */
const ENDING = "additionalModelResponseFields";
const ELSEWHERE: ReadonlySet<string> = new Set(["output", STOP, ENDING]);
const MESSAGE: ReadonlySet<string> = new Set(["message"]);

class ConverseEncoder implements PartSink {
  readonly #context: EncodeContext<Code>;
  readonly #follower = new Follower();
  #desk: Desk;
  #sequence = new PartSequence(this);
  #writer: PartWriter | undefined;
  /** What messageStart has said; none before. */
  #begun: JsonObject | undefined;
  #message: Pick<Message, "extra"> = {};
  #hasFailed = false;
  /** A further block for a part that had been closed. */
  #split: { draft: Draft; writer: PartWriter } | undefined;

  constructor(context: EncodeContext<Code>) {
    this.#context = context;
    this.#desk = newDesk(context);
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    if (draft !== undefined) {
      // Other choices than the first have no place; that is reported at the end.
      if (draft.choice === 0) {
        this.#begin();
        this.#sequence.push(draft, delta);
      }
    } else if (delta.kind === "done") this.#finish();
    else if (delta.kind === "error") this.#fail();
    else if (delta.kind === "start") this.#reset(delta.payload.message ?? {});
    else if (delta.kind === "part") this.#context.report.addLoss("result-between");
    return this.#desk.out.take();
  }

  /** A stream that its reader gives up ends as one that broke off (B86). */
  end(): WireEvent[] {
    return this.#follower.isOpen ? this.push(truncated()) : [];
  }

  #reset(message: Pick<Message, "extra">): void {
    this.#desk = newDesk(this.#context);
    this.#sequence = new PartSequence(this);
    this.#writer = undefined;
    this.#split = undefined;
    this.#begun = undefined;
    this.#hasFailed = false;
    this.#message = message;
  }

  /** Begins the message with what is known of it by now; an error alone is no message. */
  #begin(): void {
    if (this.#begun !== undefined) return;
    this.#begun = writeRole(this.#message, this.#context.dialect);
    restoreResidue(this.#begun, this.#message, this.#desk.writing.context);
    this.#desk.out.write(eventOf("messageStart", this.#begun));
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
    this.#writer?.close(!this.#hasFailed);
    this.#writer = undefined;
  }

  late(draft: Draft, delta: Delta): void {
    const isText = delta.kind === "text" || delta.kind === "refusal" || delta.kind === "thinking";
    if (!isText || delta.payload.textDelta === "") {
      this.#reportLate(draft, delta);
      return;
    }
    if (this.#split?.draft !== draft) {
      this.#closeSplit();
      this.#desk.split(draft);
      const type = draft.part.type === "reasoning" ? "reasoning" : "text";
      const bare: Draft = { ...draft, part: { type, text: "" } };
      this.#split = { draft, writer: partWriter(bare, this.#desk) };
    }
    this.#split.writer.add(delta);
  }

  #closeSplit(): void {
    this.#split?.writer.close(!this.#hasFailed);
    this.#split = undefined;
  }

  #reportLate(draft: Draft, delta: Delta): void {
    const { writing } = this.#desk;
    reportLate(draft, delta, this.#context, (annotation) => encodeCitation(annotation, writing) !== undefined);
  }

  #finish(): void {
    this.#begin();
    this.#sequence.end();
    this.#closeSplit();
    const response = this.#follower.response();
    if (response === undefined) return;
    const { out } = this.#desk;
    const answer = { ...withoutEvents(response, this.#context.dialect), message: this.#asSaid(response.message) };
    const body = encodeResponse(answer, this.#context).wire as JsonObject; // it writes no other
    const stop: JsonObject = {};
    for (const key of [STOP, ENDING]) if (body[key] !== undefined) stop[key] = body[key];
    this.#writeKept(response);
    out.write(eventOf("messageStop", stop));
    const metadata: JsonObject = unknownFields(body, ELSEWHERE) ?? {};
    const { output } = body;
    const beside: JsonObject = isObject(output) ? (unknownFields(output, MESSAGE) ?? {}) : {};
    const known = new Set(["content", "role", ...Object.keys(this.#begun ?? {})]);
    const said = isObject(output) && isObject(output["message"]) ? unknownFields(output["message"], known) : undefined;
    if (said !== undefined) beside["message"] = said;
    if (Object.keys(beside).length > 0) metadata["output"] = beside;
    out.write(eventOf("metadata", metadata));
  }

  /** Arguments that cannot be read have gone out as they came: nothing of them is lost. */
  #asSaid(message: Message): Message {
    const { verbatim } = this.#desk;
    const parts = message.parts.map((part, index) => (verbatim.has(index) ? asBegun(part) : part));
    return { ...withoutNotes(message), parts };
  }

  #writeKept(response: ModelResponse): void {
    for (const data of eventsOf(response, this.#context.dialect)) this.#desk.out.write({ data });
  }

  /** The stream ends with the error (B86); blocks stay open, because they are not complete. */
  #fail(): void {
    const response = this.#follower.response();
    const { error } = response ?? {};
    if (response === undefined || error === undefined) return;
    const context = this.#context;
    const event = failureOf(error);
    const message = withoutNotes(response.message);
    const isAlone = this.#begun === undefined && encodeFailure({ ...response, message }, context) !== undefined;
    if (!isAlone) {
      this.#begin();
      this.#hasFailed = true;
      this.#sequence.end();
      this.#closeSplit();
      const parts = message.parts.map(asBegun);
      encodeContent({ ...response, message: { ...message, parts } }, startWriting(context));
      reportFailure(error, event, context);
    }
    this.#writeKept(response);
    this.#desk.out.write({ event: exceptionIn(event) ?? "", data: event });
  }
}

/** The exception that ends a stream; one that came as such goes out as it came. */
function failureOf(error: ProviderError): JsonObject {
  const { raw, kind, message } = error;
  if (isObject(raw) && exceptionIn(raw) !== undefined) {
    const again = readError(raw);
    if (again.kind === kind && again.message === message) return raw;
  }
  return { [STREAM_ERROR.theirs(kind) ?? "internalServerException"]: { message } };
}

/** A new table to write at, with a report that nobody reads. */
function newDesk(context: EncodeContext<Code>): Desk {
  return {
    out: new BlockWriter(),
    verbatim: new Set(),
    writing: startWriting(withOwnReport(context)),
    split: (draft) => context.report.addLoss("part-split", placeOf(draft)),
  };
}
