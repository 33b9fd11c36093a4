// Deltas as the full stream of `streamText`, in the JSON of its events: an answer is a step.
import type { ErrorPayload, StartPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
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
import { encodeMediaType } from "../kit/ai-sdk-media.ts";
import { encodeOptions, markOf, reportOthers } from "../kit/ai-sdk-options.ts";
import { encodeContent } from "../kit/ai-sdk-output.ts";
import { itemSeals } from "../kit/ai-sdk-reasoning.ts";
import { encodeAnnotation, encodeAnnotations, partSource, UI } from "../kit/ai-sdk-sources.ts";
import type { StreamWords } from "../kit/ai-sdk-stream-write.ts";
import { reframe, reportAnswer, StepWriter } from "../kit/ai-sdk-stream-write.ts";
import { encodeFinish, encodeUsage, UNCOUNTED } from "../kit/ai-sdk-terms.ts";
import { writeCallId, writeInput } from "../kit/ai-sdk-tools.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import { withOwnReport } from "../kit/streams.ts";
import { encodeMessages } from "./encode.ts";
import type { Context } from "./losses.ts";

export function streamEncoder(context: Context): Omit<StreamEncoder, "losses"> {
  const silent = withOwnReport(context);
  const words = new PartWords(context, silent);
  const writer = new StepWriter(words, context, silent);
  return {
    push: (delta) => writer.push(delta),
    end: () => words.finish().map((data): WireEvent => ({ data })),
  };
}

class PartWords implements StreamWords {
  readonly #context: Context;
  /** For what is written piece by piece: the whole answer is reported at its end. */
  readonly #silent: Context;
  readonly #inputs = new Map<string, JsonValue>();
  /** The last answer that has ended. */
  #last: ModelResponse | undefined;
  #total: Usage | undefined;
  #hasFailed = false;
  #hasStep = true;

  constructor(context: Context, silent: Context) {
    this.#context = context;
    this.#silent = silent;
  }

  start(payload: StartPayload, isFirst: boolean): JsonObject[] {
    const { dialect } = this.#context;
    this.#hasStep = readForm(payload.message ?? {}, UI)["step"] !== false;
    const step = reframe({ type: "start-step" }, payload, dialect);
    step["request"] ??= {};
    step["warnings"] ??= [];
    const start = isFirst ? [reframe({ type: "start" }, payload, dialect)] : [];
    return this.#hasStep ? [...start, step] : start;
  }

  /** Puts beside an event what a part says to single providers, and what was kept of it. */
  #withMetadata(event: JsonObject, part: PartBase): JsonObject {
    const metadata = encodeOptions(part, this.#silent);
    if (metadata !== undefined) event["providerMetadata"] = metadata;
    restoreResidue(event, part, this.#silent, "file");
    return event;
  }

  text(type: string, id: string, text?: string, part?: Part): JsonObject {
    if (text !== undefined) return { type, id, text };
    const event: JsonObject = { type, id };
    if (part === undefined) return event;
    if (type === "reasoning-start") return this.#withMetadata(event, itemSeals(part));
    if (!type.endsWith("-end")) return event;
    if (part.type === "text" && part.annotations !== undefined) {
      const { citations } = encodeAnnotations(part, this.#silent);
      if (citations.length > 0) event["citations"] = citations;
    }
    return this.#withMetadata(event, part);
  }

  #shown(event: JsonObject, call: ToolCallPart): JsonObject {
    if (call.executor === "provider") event["providerExecuted"] = true;
    const shown = markOf(call, "tool");
    if (isObject(shown)) for (const field of Object.keys(shown)) copyField(shown, field, event);
    return event;
  }

  #idOf(call: ToolCallPart | ToolResultPart): JsonValue {
    const holder: JsonObject = {};
    writeCallId(call, holder, this.#silent);
    return holder["toolCallId"] ?? "";
  }

  callStart(call: ToolCallPart): JsonObject {
    const event: JsonObject = { type: "tool-input-start", id: this.#idOf(call), toolName: call.toolName };
    if (call.format === "text") event["inputEncoding"] = "text";
    return this.#shown(event, call);
  }

  callInput(call: ToolCallPart, text: string): JsonObject {
    return { type: "tool-input-delta", id: this.#idOf(call), delta: text };
  }

  call(call: ToolCallPart, isStreamed: boolean): JsonObject[] {
    const id = this.#idOf(call);
    const event: JsonObject = { type: "tool-call", toolCallId: id, toolName: call.toolName };
    writeInput(call, event, "input", this.#silent);
    // Not where it is null, which a model may well ask.
    if (event["input"] === undefined) event["input"] = {};
    this.#inputs.set(call.toolCallId, event["input"]);
    if (call.invalid === true) Object.assign(event, { dynamic: true, invalid: true });
    this.#withMetadata(this.#shown(event, call), call);
    return isStreamed ? [{ type: "tool-input-end", id }, event] : [event];
  }

  /** What a call has asked. */
  #inputOf(toolCallId: string): JsonValue {
    const input = this.#inputs.get(toolCallId);
    return input === undefined ? {} : input;
  }

  result(result: ToolResultPart): JsonObject[] {
    const { isError, output, content, toolName } = result;
    const event: JsonObject = {
      type: isError ? "tool-error" : "tool-result",
      toolCallId: this.#idOf(result),
      toolName,
    };
    if (isError && readForm(result, this.#context.dialect)["output"] === "execution-denied") {
      event["type"] = "tool-output-denied";
      return [this.#withMetadata(event, result)];
    }
    event["input"] = this.#inputOf(result.toolCallId);
    const field = isError ? "error" : "output";
    if (content !== undefined) event[field] = { type: "content", value: encodeContent(result, this.#silent) };
    else if (output !== undefined) copyField(result, "output", event, field);
    else event[field] = isError ? "" : null;
    if (result.executor === "provider") event["providerExecuted"] = true;
    return [this.#withMetadata(event, result)];
  }

  source(annotation: Annotation): JsonObject | undefined {
    const { source } = encodeAnnotation(annotation, this.#silent);
    return source && partSource(source);
  }

  whole(part: Part, place: readonly (string | number)[]): JsonObject[] {
    if (part.type === "opaque") return this.#opaque(part, place);
    if ("data" in part && part.data !== undefined) return [this.#file(part, part.data)];
    // A model's files are bytes.
    this.#context.report.addLoss("media-elsewhere", place);
    return [];
  }

  #file(part: MediaPart, base64: string): JsonObject {
    return this.#withMetadata({ type: "file", file: { base64, mediaType: encodeMediaType(part, this.#silent) } }, part);
  }

  #opaque({ dialect, value }: OpaquePart, place: readonly (string | number)[]): JsonObject[] {
    const source = dialect === UI && isObject(value) ? partSource(value) : undefined;
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
      return [{ ...others, toolCall: { type: "tool-call", toolCallId: id, input: this.#inputOf(id) } }];
    }
    if (value["type"] === "tool-approval-response" || value["type"] === "steering-message") return [others];
    this.#context.report.addLoss("part-unsayable", place);
    return [];
  }

  done(response: ModelResponse): JsonObject[] {
    const { dialect } = this.#context;
    this.#report(response);
    const { usage, finishReason, id, model, createdAt } = response;
    this.#last = response;
    if (!this.#hasStep) return [];
    if (usage !== undefined) this.#total = this.#total === undefined ? usage : addUsage(this.#total, usage);
    const about: JsonObject = {};
    if (id !== "") about["id"] = id;
    if (model !== "") about["modelId"] = model;
    if (createdAt !== undefined) about["timestamp"] = createdAt;
    const counts = encodeUsage(usage ?? {});
    if (usage !== undefined) restoreResidue(counts, usage, this.#silent, "inputTokenDetails", "outputTokenDetails");
    const step: JsonObject = { type: "finish-step", response: about, usage: counts };
    step["finishReason"] = encodeFinish(finishReason, this.#silent);
    if (finishReason.raw !== undefined) step["rawFinishReason"] = finishReason.raw;
    return [reframe(step, response, dialect)];
  }

  /** What does not arrive of an answer: of its message, but for sources, which only streams have; and of its counts. */
  #report(response: ModelResponse): void {
    const context = this.#context;
    const { usage } = response;
    for (const count of UNCOUNTED) {
      if (usage?.[count] !== undefined) context.report.addLoss("field-unsaid", ["usage", count]);
    }
    if (usage !== undefined) context.pathTracker.into("usage", () => reportOthers(usage, context));
    encodeFinish(response.finishReason, context);
    reportAnswer(response, context, (message, inList) => {
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
    const named = isObject(raw) ? raw : { message: message ?? errorCode };
    const event: JsonObject =
      errorCode === "aborted"
        ? { type: "abort", ...(message !== undefined && { reason: message }) }
        : { type: "error", error: typeof raw === "string" ? raw : named };
    return [reframe(event, payload, this.#context.dialect)];
  }

  finish(): JsonObject[] {
    const last = this.#last;
    if (this.#hasFailed || last === undefined) return [];
    const { raw } = last.finishReason;
    const finish: JsonObject = { type: "finish", finishReason: encodeFinish(last.finishReason, this.#silent) };
    if (raw !== undefined) finish["rawFinishReason"] = raw;
    finish["totalUsage"] = encodeUsage(this.#total ?? {});
    return [reframe(finish, last, this.#context.dialect)];
  }
}

/** The message without what streams say by events of their own. */
function withoutSources(message: Message): Message {
  const parts = message.parts.flatMap((part): Part[] => {
    if (part.type === "opaque" && part.dialect === UI && isObject(part.value) && partSource(part.value)) return [];
    if (part.type !== "text" || part.annotations === undefined) return [part];
    const { annotations: _, ...text } = part;
    return [text];
  });
  return { ...message, parts };
}
