// Encodes a Bedrock stream: messageStart, the events of the blocks, messageStop, metadata.
import type { Delta, StartPayload } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { Annotation } from "../../../model/parts.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import type { ModelResponse } from "../../../model/response.ts";
import { encodeErrorResponse, reportErrorFields } from "../../blocks/errors.ts";
import { BlockStreamEncoder } from "../../blocks/stream/encode-stream.ts";
import type { PartWriter } from "../../blocks/stream/part-writers.ts";
import type { EncodeContext, StreamEncoder, WireEvent } from "../../dialect.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import { asStartedCall, withoutAssemblyMetadata } from "../../kit/streams/assembly-metadata.ts";
import { readUnknownEvents, withoutUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { withDetachedReport } from "../../kit/streams/stream-deltas.ts";
import { encodeCitation } from "../content/citations.ts";
import { createEncodeState } from "../content/encode-block.ts";
import type { BedrockLoss } from "../losses.ts";
import { ERROR_CODEC, findExceptionEvent, readError } from "../response/errors.ts";
import { encodeContent, encodeResponse, encodeRole, STOP_REASON } from "../response/response.ts";
import { STREAM_EXCEPTIONS } from "../terms.ts";
import { BedrockEventWriter } from "./block-events.ts";
import type { BedrockStreamState } from "./part-writers.ts";
import { createPartWriter } from "./part-writers.ts";

export function createStreamEncoder(context: EncodeContext<BedrockLoss>): Omit<StreamEncoder, "losses"> {
  return new BedrockStreamEncoder(context);
}

/**
 * `STOP_FIELDS` are the response fields of the messageStop event. All other response fields, except the message in
 * `output`, are written in the metadata event.
 */
const RESPONSE_FIELDS = "additionalModelResponseFields";
const STOP_FIELDS = [STOP_REASON, RESPONSE_FIELDS];
const NON_METADATA_FIELDS: ReadonlySet<string> = new Set(["output", ...STOP_FIELDS]);
const MESSAGE: ReadonlySet<string> = new Set(["message"]);

class BedrockStreamEncoder extends BlockStreamEncoder {
  readonly #context: EncodeContext<BedrockLoss>;
  #state: BedrockStreamState;
  /** The payload of messageStart; undefined until the event has been written. */
  #start: JsonObject | undefined;
  /** The residue of the message that arrived with the start delta. */
  #message: Pick<Message, "extra"> = {};

  constructor(context: EncodeContext<BedrockLoss>) {
    super(context);
    this.#context = context;
    this.#state = this.#createState();
  }

  #createState(): BedrockStreamState {
    return {
      events: new BedrockEventWriter(),
      unchangedCalls: new Set(),
      encodeState: createEncodeState(withDetachedReport(this.#context)),
      reportSplit: (draft) => this.reportSplit(draft),
    };
  }

  protected reset({ message = {} }: StartPayload): void {
    this.#state = this.#createState();
    this.#start = undefined;
    this.#message = message;
  }

  protected takeEvents(): WireEvent[] {
    return this.#state.events.take();
  }

  protected needsStart(_delta: Delta, draft: PartDraft | undefined): boolean {
    return draft?.choice === 0;
  }

  protected writeStart(): void {
    if (this.#start !== undefined) return;
    this.#start = encodeRole(this.#message, this.#context.dialect);
    restoreResidue(this.#start, this.#message, this.#state.encodeState.context);
    this.#state.events.write("messageStart", this.#start);
  }

  protected createWriter(draft: PartDraft): PartWriter {
    return createPartWriter(draft, this.#state);
  }

  protected isCitation(annotation: Annotation): boolean {
    return encodeCitation(annotation, this.#state.encodeState) !== undefined;
  }

  protected writeEnd(): void {
    const response = this.follower.response();
    if (response === undefined) return;
    const { events } = this.#state;
    const answer = {
      ...withoutUnknownEvents(response, this.#context.dialect),
      message: this.#withoutUnchangedArguments(response.message),
    };
    const body = encodeResponse(answer, this.#context).wire as JsonObject;
    const stop: JsonObject = {};
    for (const key of STOP_FIELDS) if (body[key] !== undefined) stop[key] = body[key];
    this.#writeUnknownEvents(response);
    events.write("messageStop", stop);
    const metadata: JsonObject = unknownFields(body, NON_METADATA_FIELDS) ?? {};
    const { output } = body;
    const lateOutput: JsonObject = isObject(output) ? (unknownFields(output, MESSAGE) ?? {}) : {};
    const startFields = new Set(["content", "role", ...Object.keys(this.#start ?? {})]);
    const message = isObject(output) ? output["message"] : undefined;
    const lateMessage = isObject(message) ? unknownFields(message, startFields) : undefined;
    if (lateMessage !== undefined) lateOutput["message"] = lateMessage;
    if (Object.keys(lateOutput).length > 0) metadata["output"] = lateOutput;
    events.write("metadata", metadata);
  }

  /**
   * Replaces the arguments of calls that the stream has written unchanged by an empty object, so that no loss is
   * reported for invalid arguments.
   */
  #withoutUnchangedArguments(message: Message): Message {
    const { unchangedCalls } = this.#state;
    const parts = message.parts.map((part, index) => (unchangedCalls.has(index) ? asStartedCall(part) : part));
    return { ...withoutAssemblyMetadata(message), parts };
  }

  #writeUnknownEvents(response: ModelResponse): void {
    for (const data of readUnknownEvents(response, this.#context.dialect)) this.#state.events.push({ data });
  }

  /** Writes the exception that ends a failed answer (B86). Blocks that are not complete stay open. */
  protected writeFailure(): void {
    const response = this.follower.response();
    const { error } = response ?? {};
    if (response === undefined || error === undefined) return;
    const context = this.#context;
    const exception = encodeException(error);
    const message = withoutAssemblyMetadata(response.message);
    const isAlone =
      this.#start === undefined && encodeErrorResponse({ ...response, message }, context, ERROR_CODEC) !== undefined;
    if (!isAlone) {
      this.writeStart();
      this.hasFailed = true;
      this.closeBlocks();
      const parts = message.parts.map(asStartedCall);
      // The content has already been written; it is encoded once more to report its losses.
      encodeContent({ ...response, message: { ...message, parts } }, createEncodeState(context));
      reportErrorFields(error, exception, context, ERROR_CODEC);
    }
    this.#writeUnknownEvents(response);
    this.#state.events.push({ event: findExceptionEvent(exception) ?? "", data: exception });
  }
}

/**
 * Returns the exception event that ends a stream: the original event if the error was decoded from one and is
 * unchanged.
 */
function encodeException(error: ProviderError): JsonObject {
  const { raw, kind, message } = error;
  if (isObject(raw) && findExceptionEvent(raw) !== undefined) {
    const decoded = readError(raw);
    if (decoded.kind === kind && decoded.message === message) return raw;
  }
  return { [STREAM_EXCEPTIONS.toWire(kind) ?? "internalServerException"]: { message } };
}
