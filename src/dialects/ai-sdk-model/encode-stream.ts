// Encodes deltas as the full stream of `streamText`, with JSON events. One answer is one step.
import type { ErrorPayload, StartPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type {
  Annotation,
  MediaPart,
  OpaquePart,
  Part,
  PartBase,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { Usage } from "../../model/usage.ts";
import { addUsage } from "../../model/usage.ts";
import type { StreamEncoder, WireEvent } from "../dialect.ts";
import { encodeMediaType } from "../ai-sdk/media-types.ts";
import { encodeProviderOptions, readSharedForm, reportOtherResidue } from "../ai-sdk/provider-options.ts";
import { encodeOutputContent } from "../ai-sdk/tool-output.ts";
import { pickItemSeals } from "../ai-sdk/reasoning.ts";
import { encodeAnnotation, encodeAnnotations, toSourceEvent, UI_DIALECT } from "../ai-sdk/sources.ts";
import type { StepEvents } from "../ai-sdk/step-encoder.ts";
import { restoreEventResidue, reportAnswerLosses, StepEncoder } from "../ai-sdk/step-encoder.ts";
import { encodeFinishReason, encodeUsage, UNSUPPORTED_COUNTS } from "../ai-sdk/finish-reason-and-usage.ts";
import { encodeCallId, encodeInput } from "../ai-sdk/tool-calls.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm, restoreResidue } from "../kit/residue/residue.ts";
import { withDetachedReport } from "../kit/streams/stream-deltas.ts";
import { encodeMessages } from "./encode.ts";
import type { ModelMessageEncodeContext } from "./losses.ts";

export function createStreamEncoder(context: ModelMessageEncodeContext): Omit<StreamEncoder, "losses"> {
  const silentContext = withDetachedReport(context);
  const events = new ModelStepEvents(context, silentContext);
  const steps = new StepEncoder(events, context, silentContext);
  return {
    push: (delta) => steps.push(delta),
    end: () => events.finish().map((data): WireEvent => ({ data })),
  };
}

class ModelStepEvents implements StepEvents {
  readonly #context: ModelMessageEncodeContext;
  /**
   * The context for single events. Its losses are discarded, because all losses are reported once at the end of the
   * answer.
   */
  readonly #silentContext: ModelMessageEncodeContext;
  /** The wire input of each call by call id; events of results repeat it. */
  readonly #inputs = new Map<string, JsonValue>();
  /** The last complete answer, whose finish reason is repeated in the `finish` event; undefined if there is none. */
  #lastResponse: ModelResponse | undefined;
  /** The sum of the usage of all answers; undefined if no answer has usage. */
  #totalUsage: Usage | undefined;
  #hasFailed = false;
  /** True if the current answer has step events; false for a message between two steps. */
  #hasStep = true;

  constructor(context: ModelMessageEncodeContext, silentContext: ModelMessageEncodeContext) {
    this.#context = context;
    this.#silentContext = silentContext;
  }

  start(payload: StartPayload, isFirst: boolean): JsonObject[] {
    const { dialect } = this.#context;
    this.#hasStep = readForm(payload.message ?? {}, UI_DIALECT)["step"] !== false;
    const step = restoreEventResidue({ type: "start-step" }, payload, dialect);
    step["request"] ??= {};
    step["warnings"] ??= [];
    const start = isFirst ? [restoreEventResidue({ type: "start" }, payload, dialect)] : [];
    return this.#hasStep ? [...start, step] : start;
  }

  /** Adds the provider metadata and the residue of a part to its event. */
  #withMetadata(event: JsonObject, part: PartBase): JsonObject {
    const metadata = encodeProviderOptions(part, this.#silentContext);
    if (metadata !== undefined) event["providerMetadata"] = metadata;
    restoreResidue(event, part, this.#silentContext, "file");
    return event;
  }

  text(type: string, id: string, text?: string, part?: Part): JsonObject {
    if (text !== undefined) return { type, id, text };
    const event: JsonObject = { type, id };
    if (part === undefined) return event;
    if (type === "reasoning-start") return this.#withMetadata(event, pickItemSeals(part));
    if (!type.endsWith("-end")) return event;
    if (part.type === "text" && part.annotations !== undefined) {
      const { citations } = encodeAnnotations(part, this.#silentContext);
      if (citations.length > 0) event["citations"] = citations;
    }
    return this.#withMetadata(event, part);
  }

  #addDisplayFields(event: JsonObject, call: ToolCallPart): JsonObject {
    if (call.executor === "provider") event["providerExecuted"] = true;
    const displayFields = readSharedForm(call, "tool");
    if (isObject(displayFields)) for (const field of Object.keys(displayFields)) copyField(displayFields, field, event);
    return event;
  }

  #toWireCallId(call: ToolCallPart | ToolResultPart): JsonValue {
    const holder: JsonObject = {};
    encodeCallId(call, holder, this.#silentContext);
    return holder["toolCallId"] ?? "";
  }

  callStart(call: ToolCallPart): JsonObject {
    const event: JsonObject = { type: "tool-input-start", id: this.#toWireCallId(call), toolName: call.toolName };
    if (call.format === "text") event["inputEncoding"] = "text";
    return this.#addDisplayFields(event, call);
  }

  callInput(call: ToolCallPart, text: string): JsonObject {
    return { type: "tool-input-delta", id: this.#toWireCallId(call), delta: text };
  }

  call(call: ToolCallPart, isStreamed: boolean): JsonObject[] {
    const id = this.#toWireCallId(call);
    const event: JsonObject = { type: "tool-call", toolCallId: id, toolName: call.toolName };
    encodeInput(call, event, "input", this.#silentContext);
    // The check is for undefined, because null is a valid input that must be written.
    if (event["input"] === undefined) event["input"] = {};
    this.#inputs.set(call.toolCallId, event["input"]);
    if (call.invalid === true) Object.assign(event, { dynamic: true, invalid: true });
    this.#withMetadata(this.#addDisplayFields(event, call), call);
    return isStreamed ? [{ type: "tool-input-end", id }, event] : [event];
  }

  #findInput(toolCallId: string): JsonValue {
    const input = this.#inputs.get(toolCallId);
    return input === undefined ? {} : input;
  }

  result(result: ToolResultPart): JsonObject[] {
    const { isError, output, content, toolName } = result;
    const event: JsonObject = {
      type: isError ? "tool-error" : "tool-result",
      toolCallId: this.#toWireCallId(result),
      toolName,
    };
    if (isError && readForm(result, this.#context.dialect)["output"] === "execution-denied") {
      event["type"] = "tool-output-denied";
      return [this.#withMetadata(event, result)];
    }
    event["input"] = this.#findInput(result.toolCallId);
    const field = isError ? "error" : "output";
    if (content !== undefined)
      event[field] = { type: "content", value: encodeOutputContent(result, this.#silentContext) };
    else if (output !== undefined) copyField(result, "output", event, field);
    else event[field] = isError ? "" : null;
    if (result.executor === "provider") event["providerExecuted"] = true;
    return [this.#withMetadata(event, result)];
  }

  source(annotation: Annotation): JsonObject | undefined {
    const { source } = encodeAnnotation(annotation, this.#silentContext);
    return source && toSourceEvent(source);
  }

  whole(part: Part, path: readonly (string | number)[]): JsonObject[] {
    if (part.type === "opaque") return this.#encodeOpaque(part, path);
    if ("data" in part && part.data !== undefined) return [this.#encodeFile(part, part.data)];
    // The stream supports only files with inline data, so a URL or a provider's file is dropped.
    this.#context.report.addLoss("media-source-unsupported", path);
    return [];
  }

  #encodeFile(part: MediaPart, base64: string): JsonObject {
    return this.#withMetadata(
      { type: "file", file: { base64, mediaType: encodeMediaType(part, this.#silentContext) } },
      part,
    );
  }

  #encodeOpaque({ dialect, value }: OpaquePart, path: readonly (string | number)[]): JsonObject[] {
    const source = dialect === UI_DIALECT && isObject(value) ? toSourceEvent(value) : undefined;
    if (source !== undefined) return [source];
    if (dialect !== this.#context.dialect || !isObject(value)) return [];
    const { providerOptions, toolCallId, data, mediaType, ...others } = value;
    const metadata = providerOptions === undefined ? {} : { providerMetadata: providerOptions };
    if (value["type"] === "custom") return [{ ...others, ...metadata }];
    if (value["type"] === "reasoning-file" && typeof data === "string") {
      return [{ ...others, file: { base64: data, mediaType: mediaType ?? "" }, ...metadata }];
    }
    if (value["type"] === "tool-approval-request") {
      const id = typeof toolCallId === "string" ? toolCallId : "";
      return [{ ...others, toolCall: { type: "tool-call", toolCallId: id, input: this.#findInput(id) } }];
    }
    if (value["type"] === "tool-approval-response" || value["type"] === "steering-message") return [others];
    this.#context.report.addLoss("part-unsupported", path);
    return [];
  }

  done(response: ModelResponse): JsonObject[] {
    const { dialect } = this.#context;
    this.#reportLosses(response);
    const { usage, finishReason, id, model, createdAt } = response;
    this.#lastResponse = response;
    if (!this.#hasStep) return [];
    if (usage !== undefined)
      this.#totalUsage = this.#totalUsage === undefined ? usage : addUsage(this.#totalUsage, usage);
    const responseFields: JsonObject = {};
    if (id !== "") responseFields["id"] = id;
    if (model !== "") responseFields["modelId"] = model;
    if (createdAt !== undefined) responseFields["timestamp"] = createdAt;
    const counts = encodeUsage(usage ?? {});
    if (usage !== undefined)
      restoreResidue(counts, usage, this.#silentContext, "inputTokenDetails", "outputTokenDetails");
    const step: JsonObject = { type: "finish-step", response: responseFields, usage: counts };
    step["finishReason"] = encodeFinishReason(finishReason, this.#silentContext);
    if (finishReason.raw !== undefined) step["rawFinishReason"] = finishReason.raw;
    return [restoreEventResidue(step, response, dialect)];
  }

  /**
   * Reports the losses of an answer: of its token counts, and of its message. Sources are left out of the message,
   * because the stream writes them as events.
   */
  #reportLosses(response: ModelResponse): void {
    const context = this.#context;
    const { usage } = response;
    for (const count of UNSUPPORTED_COUNTS) {
      if (usage?.[count] !== undefined) context.report.addLoss("field-unsupported", ["usage", count]);
    }
    if (usage !== undefined) context.pathTracker.into("usage", () => reportOtherResidue(usage, context));
    encodeFinishReason(response.finishReason, context);
    reportAnswerLosses(response, context, (message, inList) => {
      encodeMessages([withoutSources(message)], inList);
      message.parts.forEach((part, at) => {
        if (part.type !== "text" || part.annotations === undefined) return;
        for (const step of [0, "parts", at]) inList.pathTracker.enter(step);
        encodeAnnotations(part, inList);
        inList.pathTracker.leave(3);
      });
    });
  }

  error(payload: ErrorPayload): JsonObject[] {
    const { errorCode, message, raw } = payload;
    this.#hasFailed = true;
    const errorObject = isObject(raw) ? raw : { message: message ?? errorCode };
    const event: JsonObject =
      errorCode === "aborted"
        ? { type: "abort", ...(message !== undefined && { reason: message }) }
        : { type: "error", error: typeof raw === "string" ? raw : errorObject };
    return [restoreEventResidue(event, payload, this.#context.dialect)];
  }

  finish(): JsonObject[] {
    const last = this.#lastResponse;
    if (this.#hasFailed || last === undefined) return [];
    const { raw } = last.finishReason;
    const finish: JsonObject = {
      type: "finish",
      finishReason: encodeFinishReason(last.finishReason, this.#silentContext),
    };
    if (raw !== undefined) finish["rawFinishReason"] = raw;
    finish["totalUsage"] = encodeUsage(this.#totalUsage ?? {});
    return [restoreEventResidue(finish, last, this.#context.dialect)];
  }
}

/** Returns the message without the sources and annotations that the stream writes as events. */
function withoutSources(message: Message): Message {
  const parts = message.parts.flatMap((part): Part[] => {
    if (part.type === "opaque" && part.dialect === UI_DIALECT && isObject(part.value) && toSourceEvent(part.value))
      return [];
    if (part.type !== "text" || part.annotations === undefined) return [part];
    const { annotations: _, ...text } = part;
    return [text];
  });
  return { ...message, parts };
}
