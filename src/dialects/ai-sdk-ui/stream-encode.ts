// Deltas as the UI message stream that `useChat` reads: a run is one message, each of its answers a step. Whether another
// answer follows is known only at the end, so that the message is finished there.
import type { DonePayload, ErrorPayload, MessageFields, StartPayload } from "../../model/delta.ts";
import type { FinishReason } from "../../model/finish.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Annotation, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { Response } from "../../model/response.ts";
import type { StreamEncoder, WireEvent } from "../dialect.ts";
import { encodeOptions, markOf } from "../kit/ai-sdk-options.ts";
import { MODEL } from "../kit/ai-sdk-output.ts";
import { itemSeals } from "../kit/ai-sdk-reasoning.ts";
import { encodeAnnotation } from "../kit/ai-sdk-sources.ts";
import { textIn } from "../kit/ai-sdk-stream-read.ts";
import type { StreamWords } from "../kit/ai-sdk-stream-write.ts";
import { StepWriter } from "../kit/ai-sdk-stream-write.ts";
import { encodeFinish } from "../kit/ai-sdk-terms.ts";
import { writeCallId, writeInput } from "../kit/ai-sdk-tools.ts";
import { copyField, isObject } from "../kit/read.ts";
import { Report } from "../kit/report.ts";
import { formOf } from "../kit/residue.ts";
import { Trail } from "../kit/trail.ts";
import { encodeMessages } from "./encode.ts";
import { encodePart } from "./encode-part.ts";
import { writeOutput } from "./encode-tool.ts";
import type { Context } from "./losses.ts";
import { LOSSES } from "./losses.ts";

export function streamEncoder(context: Context): Omit<StreamEncoder, "losses"> {
  const silentTrail = new Trail();
  const silent: Context = { ...context, trail: silentTrail, report: new Report(silentTrail, LOSSES) };
  const words = new ChunkWords(context, silent);
  const writer = new StepWriter(words, context, silent);
  return {
    push: (delta) => writer.push(delta),
    end: () => [...words.finish().map((data): WireEvent => ({ data })), { data: "[DONE]" }],
  };
}

/** Parts that stream as they are. */
const PARTS: ReadonlySet<unknown> = new Set([
  "source-url",
  "source-document",
  "custom",
  "reasoning-file",
  "steering-message",
  "tool-output-available",
  "tool-output-error",
  "tool-output-denied",
]);
const FILE: ReadonlySet<string> = new Set(["type", "url", "mediaType", "providerMetadata"]);

const BROKEN_OFF: ErrorPayload = {
  errorCode: "truncated",
  message: "The stream ended before the answer did; what came is a part of it.",
};

class ChunkWords implements StreamWords {
  private readonly context: Context;
  /** For what is written piece by piece: the whole answer is reported at its end. */
  private readonly silent: Context;
  private readonly invalid = new Map<string, ToolCallPart>();
  private hasStep = true;
  private ending: FinishReason | undefined;
  private hasFailed = false;
  private hasStarted = false;
  private isOpen = false;

  constructor(context: Context, silent: Context) {
    this.context = context;
    this.silent = silent;
  }

  start({ message = {} }: StartPayload, isFirst: boolean): JsonObject[] {
    const chunks: JsonObject[] = [];
    this.hasStarted = true;
    this.isOpen = true;
    const metadata = this.metadataOf(message);
    if (isFirst) {
      const start: JsonObject = { type: "start" };
      if (message.id !== undefined) start["messageId"] = message.id;
      if (metadata !== undefined) start["messageMetadata"] = metadata;
      chunks.push(start);
    } else if (metadata !== undefined) chunks.push({ type: "message-metadata", messageMetadata: metadata });
    this.hasStep = formOf(message, this.context.dialect)["step"] !== false;
    if (this.hasStep) chunks.push({ type: "start-step" });
    return chunks;
  }

  private metadataOf({ metadata, extra }: MessageFields): JsonValue | undefined {
    // Metadata are JSON, like everything in the model.
    return (metadata as JsonObject | undefined) ?? extra?.[this.context.dialect]?.["metadata"];
  }

  text(type: string, id: string, text?: string, part?: Part): JsonObject {
    if (text !== undefined) return { type, id, delta: text };
    const chunk: JsonObject = { type, id };
    if (part === undefined) return chunk;
    const isEnd = type.endsWith("-end");
    const [wire] = part.type === "text" && isEnd ? encodePart(part, "assistant", this.silent) : [];
    const said = isEnd ? part : itemSeals(part);
    const metadata = wire === undefined ? encodeOptions(said, this.silent) : wire["providerMetadata"];
    if (metadata !== undefined) chunk["providerMetadata"] = metadata;
    if (Array.isArray(wire?.["citations"])) chunk["citations"] = wire["citations"];
    return chunk;
  }

  private callChunk(type: string, call: ToolCallPart): JsonObject {
    const chunk: JsonObject = { type };
    writeCallId(call, chunk, this.silent);
    chunk["toolName"] = call.toolName;
    if (call.executor === "provider") chunk["providerExecuted"] = true;
    const shown = markOf(call, "tool");
    if (isObject(shown)) for (const field of Object.keys(shown)) copyField(shown, field, chunk);
    return chunk;
  }

  callStart(call: ToolCallPart): JsonObject {
    const chunk = this.callChunk("tool-input-start", call);
    if (call.format === "text") chunk["inputEncoding"] = "text";
    return chunk;
  }

  callInput(call: ToolCallPart, text: string): JsonObject {
    const chunk: JsonObject = { type: "tool-input-delta" };
    writeCallId(call, chunk, this.silent);
    chunk["inputTextDelta"] = text;
    return chunk;
  }

  call(call: ToolCallPart, isStreamed: boolean): JsonObject[] {
    // A call that must not be executed stays as far as it came, unless its result says more.
    if (call.invalid === true) {
      this.invalid.set(call.toolCallId, call);
      return isStreamed ? [] : [this.callStart(call), this.callInput(call, call.inputText ?? "")];
    }
    const chunk = this.callChunk("tool-input-available", call);
    writeInput(call, chunk, "input", this.silent);
    chunk["input"] ??= {};
    const metadata = encodeOptions(call, this.silent);
    if (metadata !== undefined) chunk["providerMetadata"] = metadata;
    return [chunk];
  }

  result(result: ToolResultPart): JsonObject[] {
    const { dialect } = this.context;
    const invalid = this.invalid.get(result.toolCallId);
    if (invalid !== undefined) return this.invalidResult(invalid, result);
    const isDenied = formOf(result, dialect)["state"] === "output-denied" && result.isError;
    const chunk: JsonObject = { type: `tool-output-${isDenied ? "denied" : result.isError ? "error" : "available"}` };
    writeCallId(result, chunk, this.silent);
    if (isDenied) return [chunk];
    writeOutput(chunk, result, this.silent);
    if (!result.isError) chunk["output"] ??= null;
    if (result.executor === "provider") chunk["providerExecuted"] = true;
    const metadata = encodeOptions(result, this.silent);
    if (metadata !== undefined) chunk["providerMetadata"] = metadata;
    if (result.extra?.[dialect]?.["preliminary"] === true) chunk["preliminary"] = true;
    return [chunk];
  }

  /** What came of a call that could not be executed: an error, and if it is none, its input stands as it is. */
  private invalidResult(call: ToolCallPart, result: ToolResultPart): JsonObject[] {
    this.invalid.delete(call.toolCallId);
    if (!result.isError) return [...this.call({ ...call, invalid: false }, true), ...this.result(result)];
    const chunk = this.callChunk("tool-input-error", call);
    writeInput(call, chunk, "input", this.silent);
    chunk["input"] ??= {};
    writeOutput(chunk, result, this.silent);
    const metadata = encodeOptions(result, this.silent);
    if (metadata !== undefined) chunk["providerMetadata"] = metadata;
    return [chunk];
  }

  source(annotation: Annotation): JsonObject | undefined {
    return encodeAnnotation(annotation, this.silent).source;
  }

  whole(part: Part, place: readonly (string | number)[]): JsonObject[] {
    const { report } = this.context;
    if (part.type === "opaque" && part.dialect === MODEL && isApproval(part.value)) return [part.value];
    const chunks: JsonObject[] = [];
    for (const wire of encodePart(part, "assistant", this.silent)) {
      const { type } = wire;
      if (type === "file") {
        // The stream has no field for the rest.
        for (const key of Object.keys(wire)) if (!FILE.has(key)) delete wire[key];
        if (part.type !== "opaque" && "name" in part) report.lose("field-unsaid", [...place, "name"]);
        if (part.type !== "opaque" && "fileId" in part) report.lose("file-id", place);
        else chunks.push(wire);
      } else if (PARTS.has(type) || (typeof type === "string" && type.startsWith("data-"))) chunks.push(wire);
      else report.lose("part-unsayable", place);
    }
    return chunks;
  }

  done(response: Response, payload: DonePayload): JsonObject[] {
    this.report(response);
    this.isOpen = false;
    this.ending = response.finishReason;
    const chunks = eventsOf(payload, this.context.dialect);
    const metadata = payload.message === undefined ? undefined : this.metadataOf(payload.message);
    if (metadata !== undefined) chunks.push({ type: "message-metadata", messageMetadata: metadata });
    if (this.hasStep) chunks.push({ type: "finish-step" });
    return chunks;
  }

  /** What does not arrive of an answer is what does not arrive of its message, and what it says about itself. */
  private report(response: Response): void {
    const { report } = this.context;
    const { message, id, model, usage, createdAt, alternatives, finishReason } = response;
    for (const [field, value] of Object.entries({ id, model })) if (value !== "") report.lose("bookkeeping", field);
    for (const [field, value] of Object.entries({ usage, createdAt })) {
      if (value !== undefined) report.lose("bookkeeping", field);
    }
    if (alternatives !== undefined) report.lose("field-unsaid", "alternatives");
    if (finishReason.raw !== undefined && finishReason.raw !== "interrupted") {
      report.lose("finish-raw", ["finishReason", "raw"]);
    }
    // A list of one message, whose place in the response is another.
    const place = new Trail();
    const inList: Context = { ...this.context, trail: place, report: new Report(place, LOSSES) };
    encodeMessages([message], inList);
    for (const loss of inList.report.losses) {
      if (loss.code !== "id-made") report.losses.push({ ...loss, path: loss.path.replace(/^\/0/, "/message") });
    }
  }

  error({ errorCode, message }: ErrorPayload): JsonObject[] {
    this.hasFailed = true;
    if (errorCode === "aborted") return [{ type: "abort", ...(message !== undefined && { reason: message }) }];
    return [{ type: "error", errorText: message ?? errorCode }];
  }

  finish(): JsonObject[] {
    if (this.hasFailed || !this.hasStarted) return [];
    // Who ends a stream within an answer has broken it off.
    if (this.isOpen) return this.error(BROKEN_OFF);
    const { ending } = this;
    return [{ type: "finish", ...(ending && { finishReason: encodeFinish(ending, this.context) }) }];
  }
}

function isApproval(value: unknown): value is JsonObject {
  return isObject(value) && textIn(value, "type").startsWith("tool-approval-");
}

/** Events that were no part of the answer, as they came. */
function eventsOf({ extra }: DonePayload, dialect: string): JsonObject[] {
  const events = extra?.[dialect]?.["$events"];
  return Array.isArray(events) ? events.filter(isObject) : [];
}
