// Deltas as the UI message stream that `useChat` reads: a run is one message, each of its answers a step. Whether another
// answer follows is known only at the end, so that the message is finished there.
import type { DonePayload, ErrorPayload, MessageFields, StartPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Annotation, Part, PartBase, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { StreamEncoder, WireEvent } from "../dialect.ts";
import { encodeOptions, markOf } from "../kit/ai-sdk-options.ts";
import { MODEL } from "../kit/ai-sdk-output.ts";
import { itemSeals } from "../kit/ai-sdk-reasoning.ts";
import { encodeAnnotation, encodeAnnotations } from "../kit/ai-sdk-sources.ts";
import { textIn } from "../kit/ai-sdk-plain.ts";
import type { StreamWords } from "../kit/ai-sdk-stream-write.ts";
import { reframe, reportAnswer, StepWriter } from "../kit/ai-sdk-stream-write.ts";
import { encodeFinish } from "../kit/ai-sdk-terms.ts";
import { writeCallId, writeInput } from "../kit/ai-sdk-tools.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import { withOwnReport, truncated } from "../kit/streams.ts";
import { encodeMessages } from "./encode.ts";
import { encodePart } from "./encode-part.ts";
import { writeOutput } from "./encode-tool.ts";
import type { Context } from "./losses.ts";

export function streamEncoder(context: Context): Omit<StreamEncoder, "losses"> {
  const silent = withOwnReport(context);
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

class ChunkWords implements StreamWords {
  readonly #context: Context;
  /** For what is written piece by piece: the whole answer is reported at its end. */
  readonly #silent: Context;
  readonly #invalid = new Map<string, ToolCallPart>();
  #hasStep = true;
  /** The last answer that has ended. */
  #last: ModelResponse | undefined;
  #hasFailed = false;
  #hasStarted = false;
  #isOpen = false;

  constructor(context: Context, silent: Context) {
    this.#context = context;
    this.#silent = silent;
  }

  start(payload: StartPayload, isFirst: boolean): JsonObject[] {
    const { message = {} } = payload;
    const chunks: JsonObject[] = [];
    this.#hasStarted = true;
    this.#isOpen = true;
    const metadata = this.#metadataOf(message);
    if (isFirst) {
      const start: JsonObject = { type: "start" };
      if (message.id !== undefined) start["messageId"] = message.id;
      if (metadata !== undefined) start["messageMetadata"] = metadata;
      chunks.push(start);
    } else if (metadata !== undefined) chunks.push({ type: "message-metadata", messageMetadata: metadata });
    this.#hasStep = readForm(message, this.#context.dialect)["step"] !== false;
    if (this.#hasStep) chunks.push({ type: "start-step" });
    return chunks.map((chunk) => reframe(chunk, payload, this.#context.dialect));
  }

  #metadataOf({ metadata, extra }: MessageFields): JsonValue | undefined {
    // Metadata are JSON, like everything in the model.
    return (metadata as JsonObject | undefined) ?? extra?.[this.#context.dialect]?.["metadata"];
  }

  text(type: string, id: string, text?: string, part?: Part): JsonObject {
    if (text !== undefined) return { type, id, delta: text };
    const chunk: JsonObject = { type, id };
    if (part === undefined) return chunk;
    if (!type.endsWith("-end")) return this.#withMetadata(chunk, itemSeals(part));
    if (part.type === "text" && part.annotations !== undefined) {
      const { citations } = encodeAnnotations(part, this.#silent);
      if (citations.length > 0) chunk["citations"] = citations;
    }
    return this.#withMetadata(chunk, part);
  }

  /** Puts beside a chunk what a part says to single providers, and what was kept of it. */
  #withMetadata(chunk: JsonObject, part: PartBase): JsonObject {
    const metadata = encodeOptions(part, this.#silent);
    if (metadata !== undefined) chunk["providerMetadata"] = metadata;
    restoreResidue(chunk, part, this.#silent);
    return chunk;
  }

  #callChunk(type: string, call: ToolCallPart): JsonObject {
    const chunk: JsonObject = { type };
    writeCallId(call, chunk, this.#silent);
    chunk["toolName"] = call.toolName;
    if (call.executor === "provider") chunk["providerExecuted"] = true;
    const shown = markOf(call, "tool");
    if (isObject(shown)) for (const field of Object.keys(shown)) copyField(shown, field, chunk);
    return chunk;
  }

  callStart(call: ToolCallPart): JsonObject {
    const chunk = this.#callChunk("tool-input-start", call);
    if (call.format === "text") chunk["inputEncoding"] = "text";
    return chunk;
  }

  callInput(call: ToolCallPart, text: string): JsonObject {
    const chunk: JsonObject = { type: "tool-input-delta" };
    writeCallId(call, chunk, this.#silent);
    chunk["inputTextDelta"] = text;
    return chunk;
  }

  call(call: ToolCallPart, isStreamed: boolean): JsonObject[] {
    // A call that must not be executed stays as far as it came, unless its result says more.
    if (call.invalid === true) {
      this.#invalid.set(call.toolCallId, call);
      return isStreamed ? [] : [this.callStart(call), this.callInput(call, call.inputText ?? "")];
    }
    const chunk = this.#callChunk("tool-input-available", call);
    writeInput(call, chunk, "input", this.#silent);
    if (chunk["input"] === undefined) chunk["input"] = {};
    return [this.#withMetadata(chunk, call)];
  }

  result(result: ToolResultPart): JsonObject[] {
    const { dialect } = this.#context;
    const invalid = this.#invalid.get(result.toolCallId);
    if (invalid !== undefined) return this.#invalidResult(invalid, result);
    const isDenied = readForm(result, dialect)["state"] === "output-denied" && result.isError;
    const chunk: JsonObject = { type: `tool-output-${isDenied ? "denied" : result.isError ? "error" : "available"}` };
    writeCallId(result, chunk, this.#silent);
    if (isDenied) return [this.#withMetadata(chunk, result)];
    writeOutput(chunk, result, this.#silent);
    if (!result.isError) chunk["output"] ??= null;
    if (result.executor === "provider") chunk["providerExecuted"] = true;
    return [this.#withMetadata(chunk, result)];
  }

  /** What came of a call that could not be executed: an error, and if it is none, its input stands as it is. */
  #invalidResult(call: ToolCallPart, result: ToolResultPart): JsonObject[] {
    this.#invalid.delete(call.toolCallId);
    if (!result.isError) return [...this.call({ ...call, invalid: false }, true), ...this.result(result)];
    const chunk = this.#callChunk("tool-input-error", call);
    writeInput(call, chunk, "input", this.#silent);
    if (chunk["input"] === undefined) chunk["input"] = {};
    writeOutput(chunk, result, this.#silent);
    restoreResidue(chunk, call, this.#silent);
    return [this.#withMetadata(chunk, result)];
  }

  source(annotation: Annotation): JsonObject | undefined {
    return encodeAnnotation(annotation, this.#silent).source;
  }

  whole(part: Part, place: readonly (string | number)[]): JsonObject[] {
    const { report } = this.#context;
    if (part.type === "opaque" && part.dialect === MODEL && isApproval(part.value)) return [part.value];
    const chunks: JsonObject[] = [];
    for (const wire of encodePart(part, "assistant", this.#silent)) {
      const { type } = wire;
      if (type === "file") {
        // Fields that only messages have.
        delete wire["filename"];
        delete wire["providerReference"];
        if (part.type !== "opaque" && "name" in part) report.addLoss("field-unsaid", [...place, "name"]);
        if (part.type !== "opaque" && "fileId" in part) report.addLoss("file-id", place);
        else chunks.push(wire);
      } else if (PARTS.has(type) || (typeof type === "string" && type.startsWith("data-"))) chunks.push(wire);
      else report.addLoss("part-unsayable", place);
    }
    return chunks;
  }

  done(response: ModelResponse, payload: DonePayload): JsonObject[] {
    this.#report(response);
    this.#isOpen = false;
    this.#last = response;
    const chunks: JsonObject[] = [];
    const metadata = payload.message === undefined ? undefined : this.#metadataOf(payload.message);
    if (metadata !== undefined) chunks.push({ type: "message-metadata", messageMetadata: metadata });
    if (this.#hasStep) chunks.push({ type: "finish-step" });
    return chunks.map((chunk) => reframe(chunk, response, this.#context.dialect));
  }

  /** What does not arrive of an answer is what does not arrive of its message, and what it says about itself. */
  #report(response: ModelResponse): void {
    const { report } = this.#context;
    const { id, model, usage, createdAt, finishReason } = response;
    for (const [field, value] of Object.entries({ id, model })) if (value !== "") report.addLoss("bookkeeping", field);
    for (const [field, value] of Object.entries({ usage, createdAt })) {
      if (value !== undefined) report.addLoss("bookkeeping", field);
    }
    if (finishReason.raw !== undefined && finishReason.raw !== "interrupted") {
      report.addLoss("finish-raw", ["finishReason", "raw"]);
    }
    // The client names the message where the stream does not.
    reportAnswer(response, this.#context, (message, inList) => {
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
    return [reframe(chunk, payload, this.#context.dialect)];
  }

  finish(): JsonObject[] {
    if (this.#hasFailed || !this.#hasStarted) return [];
    // Who ends a stream within an answer has broken it off.
    if (this.#isOpen) return this.error(truncated().payload);
    const last = this.#last;
    if (last === undefined) return [{ type: "finish" }];
    const finish = { type: "finish", finishReason: encodeFinish(last.finishReason, this.#context) };
    return [reframe(finish, last, this.#context.dialect)];
  }
}

function isApproval(value: unknown): value is JsonObject {
  return isObject(value) && textIn(value, "type").startsWith("tool-approval-");
}
