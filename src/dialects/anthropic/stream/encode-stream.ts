// Encodes an Anthropic stream: one message_start, a start and a stop event for each block, one message_delta, and one
// message_stop (B81).
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { Annotation } from "../../../model/parts.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import type { ModelResponse } from "../../../model/response.ts";
import { encodeErrorResponse, reportErrorFields } from "../../blocks/errors.ts";
import { BlockStreamEncoder } from "../../blocks/stream/encode-stream.ts";
import type { PartWriter } from "../../blocks/stream/part-writers.ts";
import type { EncodeContext, StreamEncoder, WireEvent } from "../../dialect.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm } from "../../kit/residue/residue.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import { asStartedCall, withoutAssemblyMetadata } from "../../kit/streams/assembly-metadata.ts";
import { readUnknownEvents, withoutUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { withDetachedReport } from "../../kit/streams/stream-deltas.ts";
import { encodeCitation } from "../content/citations.ts";
import { createEncodeState } from "../content/encode-block.ts";
import type { AnthropicLoss } from "../losses.ts";
import { encodeError, ERROR_CODEC } from "../response/errors.ts";
import { encodeContent, encodeResponse } from "../response/response.ts";
import { AnthropicEventWriter } from "./block-events.ts";
import type { AnthropicStreamState } from "./part-writers.ts";
import { createPartWriter } from "./part-writers.ts";

export function createStreamEncoder(context: EncodeContext<AnthropicLoss>): Omit<StreamEncoder, "losses"> {
  return new AnthropicStreamEncoder(context);
}

/**
 * Message fields that message_delta has in its field `delta`. Any other field that is new or changed since
 * message_start is a field of message_delta itself.
 */
const DELTA_FIELDS: ReadonlySet<string> = new Set(["stop_reason", "stop_sequence", "stop_details", "container"]);
/**
 * Message fields that are not copied to message_delta: they are in message_start or in the blocks, or, as `usage`, are
 * written separately.
 */
const OTHER_FIELDS: ReadonlySet<string> = new Set(["id", "type", "role", "model", "content", "usage"]);
/** Prefix of the metrics that Amazon Bedrock, as a host of this API, adds to message_stop. */
const HOST_PREFIX = "amazon-bedrock-";

class AnthropicStreamEncoder extends BlockStreamEncoder {
  readonly #context: EncodeContext<AnthropicLoss>;
  #state: AnthropicStreamState;
  /** The field `message` of the message_start event; undefined until the event is written. */
  #message: JsonObject | undefined;

  constructor(context: EncodeContext<AnthropicLoss>) {
    super(context);
    this.#context = context;
    this.#state = this.#createState();
  }

  #createState(): AnthropicStreamState {
    return {
      events: new AnthropicEventWriter(),
      reportStaleForm: (path) => this.#context.report.addLoss("form-stale", path),
      reportSplit: (draft) => this.reportSplit(draft),
      encodeState: createEncodeState(withDetachedReport(this.#context)),
    };
  }

  protected reset(): void {
    this.#state = this.#createState();
    this.#message = undefined;
  }

  protected takeEvents(): WireEvent[] {
    return this.#state.events.take();
  }

  protected needsStart(delta: Delta, draft: PartDraft | undefined): boolean {
    return draft !== undefined || delta.kind === "usage";
  }

  /** Writes message_start, with the token counts that are known so far (B82). */
  protected writeStart(): void {
    if (this.#message !== undefined) return;
    const answer = this.follower.response();
    if (answer === undefined) return;
    const { error: _, message, ...fields } = answer;
    // encodeResponse adds fields to an answer whose stop reason is not one of Anthropic's. The stop reason "end_turn"
    // prevents this; below, it is removed or replaced by null, because the real one is not known yet.
    const finishReason: ModelResponse["finishReason"] = { unified: "stop", raw: "end_turn" };
    const start: ModelResponse = { ...fields, message: { ...message, parts: [] }, finishReason };
    const wire = encodeResponse(start, this.#state.encodeState.context).wire as JsonObject;
    if (readForm(answer, this.#context.dialect)["stop_reason"] === "none") delete wire["stop_reason"];
    else wire["stop_reason"] = null;
    // If the deltas were made from a whole response, `start` already has residue with these two fields. They are known
    // only at the end of an answer, so message_start has null for them.
    for (const field of ["stop_sequence", "stop_details"]) if (wire[field] !== undefined) wire[field] = null;
    // Clients add the counts of later events to those of message_start, so message_start needs counts even if none are
    // known yet.
    if (answer.usage === undefined || !isObject(wire["usage"])) wire["usage"] = { input_tokens: 0, output_tokens: 0 };
    this.#message = wire;
    this.#state.events.write({ type: "message_start", message: wire });
  }

  protected createWriter(draft: PartDraft): PartWriter {
    return createPartWriter(draft, this.#state);
  }

  protected isCitation(annotation: Annotation): boolean {
    return encodeCitation(annotation, this.#state.encodeState) !== undefined;
  }

  protected writeEnd(): void {
    const { events } = this.#state;
    const response = this.follower.response();
    if (response === undefined) return;
    const answer = withoutAddedMetadata(withoutUnknownEvents(response, this.#context.dialect));
    const body = encodeResponse(answer, this.#context).wire as JsonObject;
    const usage = isObject(body["usage"]) ? body["usage"] : { output_tokens: 0 };
    // If the encoded response has no usage, an output count of 0 is written and reported, because clients of a stream
    // require a usage.
    if (body["usage"] !== usage) this.#context.report.addLoss("usage-synthesized", "usage");
    const delta: JsonObject = {};
    const messageDelta: JsonObject = { type: "message_delta", delta, usage };
    const messageStop: JsonObject = { type: "message_stop" };
    const start = this.#message ?? {};
    for (const key of Object.keys(body)) {
      if (OTHER_FIELDS.has(key)) continue;
      if (key.startsWith(HOST_PREFIX)) copyField(body, key, messageStop);
      else if (DELTA_FIELDS.has(key)) copyField(body, key, delta);
      else if (!Object.hasOwn(start, key) || !sameJson(start[key], body[key])) copyField(body, key, messageDelta);
    }
    if (start["stop_sequence"] === null && body["stop_sequence"] === undefined) {
      this.#state.reportStaleForm(["extra", this.#context.dialect, "$form", "stop_sequence"]);
    }
    events.write(messageDelta);
    this.#writeUnknownEvents(response);
    events.write(messageStop);
  }

  #writeUnknownEvents(response: ModelResponse): void {
    for (const event of readUnknownEvents(response, this.#context.dialect)) this.#state.events.write(event);
  }

  /** Writes the error event of a failed answer (B86). Incomplete blocks stay open. */
  protected writeFailure(): void {
    const response = this.follower.response();
    if (response?.error === undefined) return;
    this.#writeUnknownEvents(response);
    const answer = withoutUnknownEvents(response, this.#context.dialect);
    const body = encodeErrorResponse(answer, this.#context, ERROR_CODEC);
    this.#state.events.write(body ?? this.#encodeFailure(answer, response.error));
  }

  /**
   * Encodes an error that arrives after content. The content has been written; it is encoded again only to report its
   * losses.
   */
  #encodeFailure(response: ModelResponse, error: ProviderError): JsonObject {
    const context = this.#context;
    const { message } = withoutAddedMetadata(response);
    const parts = message.parts.map(asStartedCall);
    encodeContent({ ...response, message: { ...message, parts } }, createEncodeState(context));
    const wire = encodeError(error).wire as JsonObject;
    reportErrorFields(error, wire, context, ERROR_CODEC);
    return wire;
  }
}

/**
 * Returns the response without the message metadata that the assembler added, which is not part of the answer. Metadata
 * without keys is kept: it belongs to the answer, because the assembler never adds empty metadata.
 */
function withoutAddedMetadata(response: ModelResponse): ModelResponse {
  const { message } = response;
  const hasMetadata = Object.keys(message.metadata ?? {}).length > 0;
  return hasMetadata ? { ...response, message: withoutAssemblyMetadata(message) } : response;
}
