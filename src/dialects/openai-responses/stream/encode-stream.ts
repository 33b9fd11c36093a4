// Encodes deltas as stream events (B83). Content is sent as soon as it arrives, item by item. The last event contains
// the complete response, so it also has data that arrived too late for the other events.
import type { Delta, StartPayload } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { EncodeContext, EncodeStreamOptions, StreamEncoder, WireEvent } from "../../dialect.ts";
import { AnswerFollower } from "../../kit/streams/answer-follower.ts";
import { withoutInterruptedFlag } from "../../kit/streams/assembly-metadata.ts";
import { decodeOpenAiError } from "../../openai/errors.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { withDetachedReport } from "../../kit/streams/stream-deltas.ts";
import { readUnknownEvents, withoutUnknownEvents } from "../../kit/residue/unknown-events.ts";
import type { ResponsesLossCode } from "../losses.ts";
import { encodeResponse } from "../response/response.ts";
import { ResponsesItemEncoder } from "./item-encoder.ts";
import { EVENT_FORM } from "./event-types.ts";

export function createStreamEncoder(
  context: EncodeContext<ResponsesLossCode>,
  _options: EncodeStreamOptions,
): Omit<StreamEncoder, "losses"> {
  return new ResponsesStreamEncoder(context);
}

/** The type of the last event for each status. For any other status the type is `response.incomplete`. */
const END_EVENTS: Readonly<Record<string, string>> = {
  completed: "response.completed",
  failed: "response.failed",
};

class ResponsesStreamEncoder implements Omit<StreamEncoder, "losses"> {
  readonly #context: EncodeContext<ResponsesLossCode>;
  readonly #follower = new AnswerFollower();
  #itemEncoder: ResponsesItemEncoder;
  /** The id in the first event of the answer; undefined if that event has no id. */
  #id: JsonValue | undefined;

  constructor(context: EncodeContext<ResponsesLossCode>) {
    this.#context = context;
    this.#itemEncoder = new ResponsesItemEncoder(withoutReport(context), context.report, "", false);
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    if (draft !== undefined) {
      // Responses has only one choice, so the deltas of further choices are ignored.
      if (draft.choice === 0) this.#itemEncoder.add(draft, delta);
    } else if (delta.kind === "start") this.#startAnswer(delta.payload);
    else if (delta.kind === "done" || delta.kind === "error") this.#finishAnswer(delta.kind === "done");
    else if (delta.kind === "part") this.#context.report.addLoss("stream-result-dropped");
    return this.#itemEncoder.takeEvents();
  }

  end(): WireEvent[] {
    return [];
  }

  #startAnswer({ requestId, modelId, createdAt, extra }: StartPayload): void {
    const { dialect } = this.#context;
    const silent = withoutReport(this.#context);
    this.#itemEncoder = new ResponsesItemEncoder(
      silent,
      this.#context.report,
      requestId,
      extra?.[dialect] !== undefined,
    );
    const started: ModelResponse = {
      id: requestId,
      model: modelId,
      message: { role: "assistant", parts: [] },
      finishReason: { unified: "other", raw: "in_progress" },
      ...(createdAt !== undefined && { createdAt }),
      ...(extra !== undefined && { extra }),
    };
    const response = encodeBody(started, silent);
    Object.assign(response, { status: "in_progress", incomplete_details: null, usage: null, output: [] });
    delete response["output_text"];
    this.#id = response["id"];
    this.#itemEncoder.emit("response.created", { response });
    this.#itemEncoder.emit("response.in_progress", { response });
  }

  #finishAnswer(isDone: boolean): void {
    const context = this.#context;
    const itemEncoder = this.#itemEncoder;
    const whole = this.#follower.response();
    if (whole === undefined) return;
    itemEncoder.startWaitingPart();
    const { fields, response } = separateEventFields(whole, context.dialect);
    const events = readUnknownEvents(whole, context.dialect);
    const event = findErrorEvent(response.error);
    if (event !== undefined) {
      for (const each of [...events, event]) itemEncoder.emitStoredEvent(each);
      return;
    }
    const wire = this.#encodeStreamedBody(response);
    const items = Array.isArray(wire["output"]) ? wire["output"].filter(isObject) : [];
    // Open items are finished only by the normal end of an answer, not by an error.
    if (isDone) itemEncoder.finishAnswer(items);
    // A failed answer without a raw finish reason was interrupted, so its open items are incomplete.
    else if (response.finishReason.raw === undefined) itemEncoder.markIncomplete(items);
    for (const event of events) itemEncoder.emitStoredEvent(event);
    const { status = "completed" } = wire;
    const end = typeof status === "string" ? END_EVENTS[status] : undefined;
    const type = isDone ? (end ?? "response.incomplete") : "response.failed";
    itemEncoder.emit(type, { ...fields, response: wire });
  }

  /**
   * Encodes the complete response so that it agrees with the events. Losses are reported for the parts before they are
   * split into continuations.
   */
  #encodeStreamedBody(response: ModelResponse): JsonObject {
    const context = this.#context;
    const items = this.#itemEncoder;
    const { message } = response;
    const parts = items.toStreamedParts(message.parts);
    const whole = { ...response, message: { ...message, parts } };
    let wire = encodeBody(whole, context);
    if (items.hasSplitParts) {
      const divided = { ...message, parts: items.toSplitParts(parts) };
      wire = encodeBody({ ...response, message: divided }, withoutReport(context));
    }
    // Clients reject an answer whose id changes, so the id of the first event is sent.
    if (this.#id !== undefined && typeof wire["id"] === "string" && wire["id"] !== this.#id) {
      wire["id"] = this.#id;
      context.report.addLoss("field-unsupported", ["extra", context.dialect, "id"]);
    }
    return wire;
  }
}

/**
 * Returns the original error event if it still decodes to the same error; undefined otherwise, and for errors without a
 * code, which Responses does not send as events.
 */
function findErrorEvent(error: ProviderError | undefined): JsonObject | undefined {
  const raw = error?.raw;
  if (error === undefined || !isObject(raw) || raw["type"] !== "error") return undefined;
  const errorFields = isObject(raw["error"]) ? raw["error"] : raw;
  if (typeof errorFields["message"] !== "string" || errorFields["code"] === undefined) return undefined;
  const { kind, message } = decodeOpenAiError(raw);
  return kind === error.kind && message === error.message ? raw : undefined;
}

/**
 * Returns a context that discards losses, because the losses are reported from the complete response. It also disables
 * repairs, because responses are not repaired.
 */
function withoutReport(context: EncodeContext<ResponsesLossCode>): EncodeContext<ResponsesLossCode> {
  return withDetachedReport({ ...context, repair: false });
}

function encodeBody(response: ModelResponse, context: EncodeContext<ResponsesLossCode>): JsonObject {
  // The cast is safe, because the encoder returns an object.
  return encodeResponse(response, context).wire as JsonObject;
}

interface SeparatedResponse {
  fields: JsonObject;
  response: ModelResponse;
}

/**
 * Removes the unknown fields of the last event, the unknown events and the metadata flag `interrupted` from a response,
 * because a stream expresses them with events. Returns the unknown fields of the last event separately.
 */
function separateEventFields(whole: ModelResponse, dialect: string): SeparatedResponse {
  const response = withoutUnknownEvents(whole, dialect);
  const { [EVENT_FORM]: fields, ...form } = readForm(whole, dialect);
  if (fields !== undefined) {
    const { $form: _, ...residue } = response.extra?.[dialect] ?? {};
    const isPlain = Object.keys(form).length === 0;
    response.extra = { ...response.extra, [dialect]: isPlain ? residue : { ...residue, $form: form } };
  }
  const { message } = response;
  if (message.metadata?.interrupted === true) response.message = withoutInterruptedFlag(message);
  return {
    fields: isObject(fields) ? fields : {},
    response,
  };
}
