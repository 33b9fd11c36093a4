// Deltas as the full stream of `streamText`, in the JSON of its events: an answer is a step.
import type { DonePayload, ErrorPayload, StartPayload } from "../../model/delta.ts";
import type { FinishReason } from "../../model/finish.ts";
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
import type { Response } from "../../model/response.ts";
import type { Usage } from "../../model/usage.ts";
import { addUsage } from "../../model/usage.ts";
import type { StreamEncoder, WireEvent } from "../dialect.ts";
import { encodeMediaType } from "../kit/ai-sdk-media.ts";
import { encodeOptions, markOf } from "../kit/ai-sdk-options.ts";
import { encodeContent } from "../kit/ai-sdk-output.ts";
import { itemSeals } from "../kit/ai-sdk-reasoning.ts";
import { encodeAnnotation, encodeAnnotations, partSource, UI } from "../kit/ai-sdk-sources.ts";
import type { StreamWords } from "../kit/ai-sdk-stream-write.ts";
import { StepWriter } from "../kit/ai-sdk-stream-write.ts";
import { encodeFinish, encodeUsage, UNCOUNTED } from "../kit/ai-sdk-terms.ts";
import { writeCallId, writeInput } from "../kit/ai-sdk-tools.ts";
import { copyField, isObject } from "../kit/read.ts";
import { Report } from "../kit/report.ts";
import { formOf, putBack } from "../kit/residue.ts";
import { Trail } from "../kit/trail.ts";
import { encodeMessages } from "./encode.ts";
import type { Context } from "./losses.ts";
import { LOSSES } from "./losses.ts";

export function streamEncoder(context: Context): Omit<StreamEncoder, "losses"> {
  const trail = new Trail();
  const silent: Context = { ...context, trail, report: new Report(trail, LOSSES) };
  const words = new PartWords(context, silent);
  const writer = new StepWriter(words, context, silent);
  return {
    push: (delta) => writer.push(delta),
    end: () => words.finish().map((data): WireEvent => ({ data })),
  };
}

class PartWords implements StreamWords {
  private readonly context: Context;
  /** For what is written piece by piece: the whole answer is reported at its end. */
  private readonly silent: Context;
  private readonly inputs = new Map<string, JsonValue>();
  private ending: FinishReason | undefined;
  private total: Usage | undefined;
  private hasFailed = false;

  constructor(context: Context, silent: Context) {
    this.context = context;
    this.silent = silent;
  }

  start({ extra }: StartPayload, isFirst: boolean): JsonObject[] {
    const warnings = extra?.[this.context.dialect]?.["warnings"] ?? [];
    const step: JsonObject = { type: "start-step", request: {}, warnings };
    return isFirst ? [{ type: "start" }, step] : [step];
  }

  private withMetadata(event: JsonObject, part: PartBase): JsonObject {
    const metadata = encodeOptions(part, this.silent);
    if (metadata !== undefined) event["providerMetadata"] = metadata;
    return event;
  }

  text(type: string, id: string, text?: string, part?: Part): JsonObject {
    if (text !== undefined) return { type, id, text };
    const event: JsonObject = { type, id };
    if (part === undefined) return event;
    if (type === "reasoning-start") return this.withMetadata(event, itemSeals(part));
    if (!type.endsWith("-end")) return event;
    if (part.type === "text" && part.annotations !== undefined) {
      const { citations } = encodeAnnotations(part, this.silent);
      if (citations.length > 0) event["citations"] = citations;
    }
    return this.withMetadata(event, part);
  }

  private shown(event: JsonObject, call: ToolCallPart): JsonObject {
    if (call.executor === "provider") event["providerExecuted"] = true;
    const shown = markOf(call, "tool");
    if (isObject(shown)) for (const field of Object.keys(shown)) copyField(shown, field, event);
    return event;
  }

  private idOf(call: ToolCallPart | ToolResultPart): JsonValue {
    const holder: JsonObject = {};
    writeCallId(call, holder, this.silent);
    return holder["toolCallId"] ?? "";
  }

  callStart(call: ToolCallPart): JsonObject {
    const event: JsonObject = { type: "tool-input-start", id: this.idOf(call), toolName: call.toolName };
    if (call.format === "text") event["inputEncoding"] = "text";
    return this.shown(event, call);
  }

  callInput(call: ToolCallPart, text: string): JsonObject {
    return { type: "tool-input-delta", id: this.idOf(call), delta: text };
  }

  call(call: ToolCallPart, isStreamed: boolean): JsonObject[] {
    const id = this.idOf(call);
    const event: JsonObject = { type: "tool-call", toolCallId: id, toolName: call.toolName };
    writeInput(call, event, "input", this.silent);
    event["input"] ??= {};
    this.inputs.set(call.toolCallId, event["input"]);
    if (call.invalid === true) Object.assign(event, { dynamic: true, invalid: true });
    this.withMetadata(this.shown(event, call), call);
    return isStreamed ? [{ type: "tool-input-end", id }, event] : [event];
  }

  result(result: ToolResultPart): JsonObject[] {
    const { isError, output, content, toolName } = result;
    const event: JsonObject = { type: isError ? "tool-error" : "tool-result", toolCallId: this.idOf(result), toolName };
    if (isError && formOf(result, this.context.dialect)["output"] === "execution-denied") {
      event["type"] = "tool-output-denied";
      return [event];
    }
    event["input"] = this.inputs.get(result.toolCallId) ?? {};
    const field = isError ? "error" : "output";
    if (content !== undefined) event[field] = { type: "content", value: encodeContent(result, this.silent) };
    else if (output !== undefined) copyField(result, "output", event, field);
    else event[field] = isError ? "" : null;
    if (result.executor === "provider") event["providerExecuted"] = true;
    if (result.extra?.[this.context.dialect]?.["preliminary"] === true) event["preliminary"] = true;
    return [this.withMetadata(event, result)];
  }

  source(annotation: Annotation): JsonObject | undefined {
    const { source } = encodeAnnotation(annotation, this.silent);
    return source && partSource(source);
  }

  whole(part: Part, place: readonly (string | number)[]): JsonObject[] {
    if (part.type === "opaque") return this.opaque(part, place);
    if ("data" in part && part.data !== undefined) return [this.file(part, part.data)];
    // A model's files are bytes.
    this.context.report.lose("media-elsewhere", place);
    return [];
  }

  private file(part: MediaPart, base64: string): JsonObject {
    return this.withMetadata({ type: "file", file: { base64, mediaType: encodeMediaType(part, this.silent) } }, part);
  }

  private opaque({ dialect, value }: OpaquePart, place: readonly (string | number)[]): JsonObject[] {
    const source = dialect === UI && isObject(value) ? partSource(value) : undefined;
    if (source !== undefined) return [source];
    if (dialect !== this.context.dialect || !isObject(value)) return [];
    const { providerOptions, toolCallId, data, mediaType, ...others } = value;
    const metadata = providerOptions === undefined ? {} : { providerMetadata: providerOptions };
    if (value["type"] === "custom") return [{ ...others, ...metadata }];
    if (value["type"] === "reasoning-file" && typeof data === "string") {
      return [{ ...others, file: { base64: data, mediaType: mediaType ?? "" }, ...metadata }];
    }
    if (value["type"] === "tool-approval-request") {
      const id = typeof toolCallId === "string" ? toolCallId : "";
      return [{ ...others, toolCall: { type: "tool-call", toolCallId: id, input: this.inputs.get(id) ?? {} } }];
    }
    if (value["type"] === "tool-approval-response") return [others];
    this.context.report.lose("part-unsayable", place);
    return [];
  }

  done(response: Response, payload: DonePayload): JsonObject[] {
    const { dialect, report } = this.context;
    this.report(response);
    const { usage, finishReason, id, model, createdAt } = response;
    this.ending = finishReason;
    if (usage !== undefined) this.total = this.total === undefined ? usage : addUsage(this.total, usage);
    const residue = payload.extra?.[dialect] ?? {};
    const { $events, ...kept } = residue;
    const step: JsonObject = { type: "finish-step", response: {} };
    const about: JsonObject = {};
    if (id !== "") about["id"] = id;
    if (model !== "") about["modelId"] = model;
    if (createdAt !== undefined) about["timestamp"] = createdAt;
    step["response"] = about;
    step["usage"] = encodeUsage(usage ?? {});
    if (isObject(step["usage"]) && usage?.extra !== undefined) {
      putBack(step["usage"], usage.extra[dialect], () => undefined, "inputTokenDetails", "outputTokenDetails");
    }
    step["finishReason"] = encodeFinish(finishReason, this.silent);
    if (finishReason.raw !== undefined) step["rawFinishReason"] = finishReason.raw;
    putBack(step, kept, (...path) => report.lose("residue-clash", ["extra", dialect, ...path]), "response");
    return [...(Array.isArray($events) ? $events.filter(isObject) : []), step];
  }

  /** What does not arrive of an answer: of its message, but for sources, which only streams have; and of its counts. */
  private report(response: Response): void {
    const { report } = this.context;
    const { message, usage, alternatives, finishReason } = response;
    if (alternatives !== undefined) report.lose("field-unsaid", "alternatives");
    for (const count of UNCOUNTED) if (usage?.[count] !== undefined) report.lose("field-unsaid", ["usage", count]);
    encodeFinish(finishReason, this.context);
    const trail = new Trail();
    const inList: Context = { ...this.context, trail, report: new Report(trail, LOSSES) };
    encodeMessages([withoutSources(message)], inList);
    message.parts.forEach((part, at) => {
      if (part.type !== "text" || part.annotations === undefined) return;
      for (const step of [0, "parts", at]) trail.enter(step);
      encodeAnnotations(part, inList);
      trail.leave(3);
    });
    for (const loss of inList.report.losses) {
      report.losses.push({ ...loss, path: loss.path.replace(/^\/0/, "/message") });
    }
  }

  error({ errorCode, message, raw }: ErrorPayload): JsonObject[] {
    this.hasFailed = true;
    if (errorCode === "aborted") return [{ type: "abort", ...(message !== undefined && { reason: message }) }];
    const named = isObject(raw) ? raw : { message: message ?? errorCode };
    return [{ type: "error", error: typeof raw === "string" ? raw : named }];
  }

  finish(): JsonObject[] {
    if (this.hasFailed || this.ending === undefined) return [];
    const finish: JsonObject = { type: "finish", finishReason: encodeFinish(this.ending, this.silent) };
    if (this.ending.raw !== undefined) finish["rawFinishReason"] = this.ending.raw;
    finish["totalUsage"] = encodeUsage(this.total ?? {});
    return [finish];
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
