// Encodes deltas as the UI message stream that `useChat` reads: a run is one message, and each answer is a step. The
// `finish` event is written at the end of the stream, because further answers may follow.
import type { DonePayload, ErrorPayload, MessageFields, StartPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Annotation, Part, PartBase, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { StreamEncoder, WireEvent } from "../dialect.ts";
import { encodeProviderOptions, readSharedForm } from "../ai-sdk/provider-options.ts";
import { MODEL_DIALECT } from "../ai-sdk/tool-output.ts";
import { pickItemSeals } from "../ai-sdk/reasoning.ts";
import { encodeAnnotation, encodeAnnotations } from "../ai-sdk/sources.ts";
import { readText } from "../ai-sdk/to-json.ts";
import type { StepEvents } from "../ai-sdk/step-encoder.ts";
import { restoreEventResidue, reportAnswerLosses, StepEncoder } from "../ai-sdk/step-encoder.ts";
import { encodeFinishReason } from "../ai-sdk/finish-reason-and-usage.ts";
import { encodeCallId, encodeInput } from "../ai-sdk/tool-calls.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm, restoreResidue } from "../kit/residue/residue.ts";
import { withDetachedReport, createTruncatedDelta } from "../kit/streams/stream-deltas.ts";
import { encodeMessages } from "./encode.ts";
import { encodePart } from "./encode-part.ts";
import { encodeUiOutput } from "./encode-tool.ts";
import type { UiEncodeContext } from "./losses.ts";

export function createStreamEncoder(context: UiEncodeContext): Omit<StreamEncoder, "losses"> {
  const silentContext = withDetachedReport(context);
  const events = new UiStepEvents(context, silentContext);
  const steps = new StepEncoder(events, context, silentContext);
  return {
    push: (delta) => steps.push(delta),
    end: () => [...events.finish().map((data): WireEvent => ({ data })), { data: "[DONE]" }],
  };
}

/** Types of message parts that the stream also has as events. */
const PART_EVENTS: ReadonlySet<unknown> = new Set([
  "source-url",
  "source-document",
  "custom",
  "reasoning-file",
  "steering-message",
  "tool-output-available",
  "tool-output-error",
  "tool-output-denied",
]);

class UiStepEvents implements StepEvents {
  readonly #context: UiEncodeContext;
  /**
   * The context for single events. Its losses are discarded, because all losses are reported once at the end of the
   * answer.
   */
  readonly #silentContext: UiEncodeContext;
  /**
   * Invalid calls without a result, by call id; the events that end their input are written together with their result.
   */
  readonly #invalidCalls = new Map<string, ToolCallPart>();
  /** True if the current answer has step events. */
  #hasStep = true;
  /** The last complete answer, whose finish reason is in the `finish` event; undefined if there is none. */
  #lastResponse: ModelResponse | undefined;
  #hasFailed = false;
  #hasStarted = false;
  /** True between the start and the end of an answer. */
  #isOpen = false;

  constructor(context: UiEncodeContext, silentContext: UiEncodeContext) {
    this.#context = context;
    this.#silentContext = silentContext;
  }

  start(payload: StartPayload, isFirst: boolean): JsonObject[] {
    const { message = {} } = payload;
    const chunks: JsonObject[] = [];
    this.#hasStarted = true;
    this.#isOpen = true;
    const metadata = this.#readMetadata(message);
    if (isFirst) {
      const start: JsonObject = { type: "start" };
      if (message.id !== undefined) start["messageId"] = message.id;
      if (metadata !== undefined) start["messageMetadata"] = metadata;
      chunks.push(start);
    } else if (metadata !== undefined) chunks.push({ type: "message-metadata", messageMetadata: metadata });
    this.#hasStep = readForm(message, this.#context.dialect)["step"] !== false;
    if (this.#hasStep) chunks.push({ type: "start-step" });
    return chunks.map((chunk) => restoreEventResidue(chunk, payload, this.#context.dialect));
  }

  #readMetadata({ metadata, extra }: MessageFields): JsonValue | undefined {
    // The cast is safe: metadata is JSON, although its type is wider.
    return (metadata as JsonObject | undefined) ?? extra?.[this.#context.dialect]?.["metadata"];
  }

  text(type: string, id: string, text?: string, part?: Part): JsonObject {
    if (text !== undefined) return { type, id, delta: text };
    const chunk: JsonObject = { type, id };
    if (part === undefined) return chunk;
    if (!type.endsWith("-end")) return this.#withMetadata(chunk, pickItemSeals(part));
    if (part.type === "text" && part.annotations !== undefined) {
      const { citations } = encodeAnnotations(part, this.#silentContext);
      if (citations.length > 0) chunk["citations"] = citations;
    }
    return this.#withMetadata(chunk, part);
  }

  /** Adds the provider metadata and the residue of a part to its event. */
  #withMetadata(chunk: JsonObject, part: PartBase): JsonObject {
    const metadata = encodeProviderOptions(part, this.#silentContext);
    if (metadata !== undefined) chunk["providerMetadata"] = metadata;
    restoreResidue(chunk, part, this.#silentContext);
    return chunk;
  }

  #callChunk(type: string, call: ToolCallPart): JsonObject {
    const chunk: JsonObject = { type };
    encodeCallId(call, chunk, this.#silentContext);
    chunk["toolName"] = call.toolName;
    if (call.executor === "provider") chunk["providerExecuted"] = true;
    const displayFields = readSharedForm(call, "tool");
    if (isObject(displayFields)) for (const field of Object.keys(displayFields)) copyField(displayFields, field, chunk);
    return chunk;
  }

  callStart(call: ToolCallPart): JsonObject {
    const chunk = this.#callChunk("tool-input-start", call);
    if (call.format === "text") chunk["inputEncoding"] = "text";
    return chunk;
  }

  callInput(call: ToolCallPart, text: string): JsonObject {
    const chunk: JsonObject = { type: "tool-input-delta" };
    encodeCallId(call, chunk, this.#silentContext);
    chunk["inputTextDelta"] = text;
    return chunk;
  }

  call(call: ToolCallPart, isStreamed: boolean): JsonObject[] {
    // An invalid call must not be executed, so it stays in its streaming state until its result arrives.
    if (call.invalid === true) {
      this.#invalidCalls.set(call.toolCallId, call);
      return isStreamed ? [] : [this.callStart(call), this.callInput(call, call.inputText ?? "")];
    }
    const chunk = this.#callChunk("tool-input-available", call);
    encodeInput(call, chunk, "input", this.#silentContext);
    if (chunk["input"] === undefined) chunk["input"] = {};
    return [this.#withMetadata(chunk, call)];
  }

  result(result: ToolResultPart): JsonObject[] {
    const { dialect } = this.#context;
    const invalid = this.#invalidCalls.get(result.toolCallId);
    if (invalid !== undefined) return this.#invalidResult(invalid, result);
    const isDenied = readForm(result, dialect)["state"] === "output-denied" && result.isError;
    const chunk: JsonObject = { type: `tool-output-${isDenied ? "denied" : result.isError ? "error" : "available"}` };
    encodeCallId(result, chunk, this.#silentContext);
    if (isDenied) return [this.#withMetadata(chunk, result)];
    encodeUiOutput(chunk, result, this.#silentContext);
    if (!result.isError) chunk["output"] ??= null;
    if (result.executor === "provider") chunk["providerExecuted"] = true;
    return [this.#withMetadata(chunk, result)];
  }

  /**
   * Encodes the result of an invalid call: an error as a `tool-input-error` event; for any other result, the call is
   * written as a valid call, followed by the result.
   */
  #invalidResult(call: ToolCallPart, result: ToolResultPart): JsonObject[] {
    this.#invalidCalls.delete(call.toolCallId);
    if (!result.isError) return [...this.call({ ...call, invalid: false }, true), ...this.result(result)];
    const chunk = this.#callChunk("tool-input-error", call);
    encodeInput(call, chunk, "input", this.#silentContext);
    if (chunk["input"] === undefined) chunk["input"] = {};
    encodeUiOutput(chunk, result, this.#silentContext);
    restoreResidue(chunk, call, this.#silentContext);
    return [this.#withMetadata(chunk, result)];
  }

  source(annotation: Annotation): JsonObject | undefined {
    return encodeAnnotation(annotation, this.#silentContext).source;
  }

  whole(part: Part, path: readonly (string | number)[]): JsonObject[] {
    const { report } = this.#context;
    if (part.type === "opaque" && part.dialect === MODEL_DIALECT && isApproval(part.value)) return [part.value];
    const chunks: JsonObject[] = [];
    for (const wire of encodePart(part, "assistant", this.#silentContext)) {
      const { type } = wire;
      if (type === "file") {
        // UI messages have the fields `filename` and `providerReference`, but the events of the stream do not.
        delete wire["filename"];
        delete wire["providerReference"];
        if (part.type !== "opaque" && "name" in part) report.addLoss("field-unsupported", [...path, "name"]);
        if (part.type !== "opaque" && "fileId" in part) report.addLoss("file-id-not-portable", path);
        else chunks.push(wire);
      } else if (PART_EVENTS.has(type) || (typeof type === "string" && type.startsWith("data-"))) chunks.push(wire);
      else report.addLoss("part-unsupported", path);
    }
    return chunks;
  }

  done(response: ModelResponse, payload: DonePayload): JsonObject[] {
    this.#reportLosses(response);
    this.#isOpen = false;
    this.#lastResponse = response;
    const chunks: JsonObject[] = [];
    const metadata = payload.message === undefined ? undefined : this.#readMetadata(payload.message);
    if (metadata !== undefined) chunks.push({ type: "message-metadata", messageMetadata: metadata });
    if (this.#hasStep) chunks.push({ type: "finish-step" });
    return chunks.map((chunk) => restoreEventResidue(chunk, response, this.#context.dialect));
  }

  /** Reports the losses of an answer: of its message, and of the response fields that the stream does not have. */
  #reportLosses(response: ModelResponse): void {
    const { report } = this.#context;
    const { id, model, usage, createdAt, finishReason } = response;
    for (const [field, value] of Object.entries({ id, model }))
      if (value !== "") report.addLoss("metadata-dropped", field);
    for (const [field, value] of Object.entries({ usage, createdAt })) {
      if (value !== undefined) report.addLoss("metadata-dropped", field);
    }
    if (finishReason.raw !== undefined && finishReason.raw !== "interrupted") {
      report.addLoss("raw-finish-reason-dropped", ["finishReason", "raw"]);
    }
    // `encodeMessages` reports `id-synthesized` for a message without an id. In a stream the client creates the id, so
    // an empty id prevents that report.
    reportAnswerLosses(response, this.#context, (message, inList) => {
      encodeMessages([{ ...message, id: message.id ?? "" }], inList);
    });
  }

  error(payload: ErrorPayload): JsonObject[] {
    const { errorCode, message } = payload;
    this.#hasFailed = true;
    const chunk: JsonObject =
      errorCode === "aborted"
        ? { type: "abort", ...(message !== undefined && { reason: message }) }
        : { type: "error", errorText: message ?? errorCode };
    return [restoreEventResidue(chunk, payload, this.#context.dialect)];
  }

  finish(): JsonObject[] {
    if (this.#hasFailed || !this.#hasStarted) return [];
    // The stream ended inside an answer, so the answer is truncated.
    if (this.#isOpen) return this.error(createTruncatedDelta().payload);
    const last = this.#lastResponse;
    if (last === undefined) return [{ type: "finish" }];
    const finish = { type: "finish", finishReason: encodeFinishReason(last.finishReason, this.#context) };
    return [restoreEventResidue(finish, last, this.#context.dialect)];
  }
}

function isApproval(value: unknown): value is JsonObject {
  return isObject(value) && readText(value, "type").startsWith("tool-approval-");
}
