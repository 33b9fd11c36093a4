// The full stream of `streamText` as deltas. Its events live in memory: what is no JSON in them (errors, dates, files) is
// read for what it says.
import type { DonePayload, ErrorPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { MediaPart, Part } from "../../model/parts.ts";
import type { DecodeContext, EventDecoder } from "../dialect.ts";
import { base64OfBytes } from "../kit/ai-sdk-files.ts";
import { kindOfMedia, mimeOfMedia } from "../kit/ai-sdk-media.ts";
import { decodeOptions } from "../kit/ai-sdk-options.ts";
import { DENIED } from "../kit/ai-sdk-output.ts";
import { decodeCitationList, sourceAnnotation, sourcePart, UI } from "../kit/ai-sdk-sources.ts";
import { factsOf } from "../kit/ai-sdk-stream-calls.ts";
import { StepReader, textIn, withoutGaps } from "../kit/ai-sdk-stream-read.ts";
import { decodeFinish, decodeUsage } from "../kit/ai-sdk-terms.ts";
import { kindOfMessage, kindOfStatus } from "../kit/provider-errors.ts";
import { isObject, readObject } from "../kit/read.ts";
import { truncated } from "../kit/streams.ts";

export function streamDecoder(context: DecodeContext): EventDecoder {
  const decoder = new PartDecoder(context.dialect);
  return {
    push(data) {
      if (data === "[DONE]") decoder.finish({});
      else decoder.read(readObject(data, context));
      return decoder.reader.take();
    },
    end(reason = truncated()) {
      decoder.reader.end(reason, true);
      return decoder.reader.take();
    },
  };
}

class PartDecoder {
  readonly reader: StepReader;
  private readonly dialect: string;
  private readonly invalid = new Set<string>();

  constructor(dialect: string) {
    this.dialect = dialect;
    this.reader = new StepReader(dialect);
  }

  read(wire: JsonObject): void {
    const { reader } = this;
    const type = textIn(wire, "type");
    switch (type) {
      case "text-delta":
      case "reasoning-delta":
        reader.addText(kindOf(type), textIn(wire, "id"), textIn(wire, "text"), wire["providerMetadata"]);
        break;
      case "text-start":
      case "reasoning-start":
        reader.startText(kindOf(type), textIn(wire, "id"), wire["providerMetadata"]);
        break;
      case "text-end":
      case "reasoning-end":
        this.endText(type, wire);
        break;
      case "start-step":
        if (reader.state === "open" && reader.hasContent) reader.finish(this.implied());
        reader.open(startOf(wire, this.dialect));
        break;
      case "finish-step":
        this.finishStep(wire);
        break;
      case "finish":
        this.finish(wire);
        break;
      case "error":
        reader.fail(errorOf(wire["error"]));
        break;
      case "abort": {
        const { reason } = wire;
        const why = typeof reason === "string" ? { message: reason } : {};
        reader.fail({ errorCode: "aborted", ...why, retryable: false, raw: withoutGaps(wire) });
        break;
      }
      case "start":
      case "ping":
      case "raw":
        break;
      default:
        if (type.startsWith("tool-")) this.readTool(type, wire);
        else this.readPart(type, wire);
    }
  }

  private endText(type: string, wire: JsonObject): void {
    const { reader } = this;
    const key = reader.endText(kindOf(type), textIn(wire, "id"), wire["providerMetadata"]);
    if (key === undefined) return;
    for (const annotation of decodeCitationList(wire["citations"]) ?? []) reader.annotate(annotation, key);
  }

  private implied(): DonePayload {
    return { finishReason: this.reader.hasClientCalls ? "tool-calls" : "stop" };
  }

  private finishStep(wire: JsonObject): void {
    const { reader, dialect } = this;
    const { type: _, usage, finishReason, rawFinishReason, ...others } = wire;
    if (isObject(usage)) reader.usage(decodeUsage(usage, dialect));
    const { unified, raw } = decodeFinish(finishReason, rawFinishReason);
    const rest = plainJson(others);
    reader.finish({
      finishReason: unified,
      ...(raw !== undefined && { raw }),
      ...(isObject(rest) && Object.keys(rest).length > 0 && { extra: { [dialect]: rest } }),
    });
  }

  /** The run has ended. Its totals follow from its steps. */
  finish(wire: JsonObject): void {
    const { reader } = this;
    if (reader.state === "open" || (reader.state === "new" && wire["type"] !== undefined)) {
      const { unified, raw } = decodeFinish(wire["finishReason"], wire["rawFinishReason"]);
      const said: DonePayload = raw === undefined ? { finishReason: unified } : { finishReason: unified, raw };
      reader.finish(wire["finishReason"] === undefined ? this.implied() : said);
    }
    reader.flush();
  }

  private readTool(type: string, wire: JsonObject): void {
    const { reader } = this;
    const id = textIn(wire, type.startsWith("tool-input-") ? "id" : "toolCallId");
    switch (type) {
      case "tool-input-start":
        reader.startCall(id, factsOf(wire));
        break;
      case "tool-input-delta":
        reader.addInput(id, textIn(wire, "delta"));
        break;
      case "tool-input-end":
        break;
      case "tool-call":
        reader.endCall(id, plainJson(wire["input"]), factsOf(wire));
        if (wire["invalid"] === true && wire["error"] !== undefined) {
          // An error of the tool follows that says the same again.
          this.invalid.add(id);
          reader.addResult(id, { isError: true, output: messageOf(wire["error"]) }, undefined);
        }
        break;
      case "tool-approval-request":
      case "tool-approval-response":
        this.readApproval(wire);
        break;
      default:
        if (!this.readResult(type, wire, id)) reader.keepEvent(objectOf(plainJson(wire)));
    }
  }

  private readResult(type: string, wire: JsonObject, id: string): boolean {
    const { reader } = this;
    const options = wire["providerMetadata"];
    if (type === "tool-result") {
      const output = plainJson(wire["output"]) ?? null;
      return reader.addResult(id, { isError: false, output }, options, wire["preliminary"] === true);
    }
    if (type === "tool-error" && this.invalid.delete(id)) return true;
    if (type === "tool-error") return reader.addResult(id, { isError: true, output: failureOf(wire) }, options);
    if (type !== "tool-output-denied") return false;
    // Both shapes say so, each in its way.
    const extra = {
      [this.dialect]: { $form: { output: "execution-denied", reason: null } },
      [UI]: { $form: { state: "output-denied" } },
    };
    return reader.addResult(id, { isError: true, output: DENIED, extra }, options);
  }

  /** Approvals as prompts have them: with the id of the call in place of the call. */
  private readApproval(wire: JsonObject): void {
    const { toolCall, ...others } = wire;
    const value = objectOf(plainJson(others));
    const isRequest = value["type"] === "tool-approval-request";
    if (isRequest && isObject(toolCall)) value["toolCallId"] = textIn(toolCall, "toolCallId");
    this.reader.add({ type: "opaque", dialect: this.dialect, value });
  }

  private readPart(type: string, wire: JsonObject): void {
    const { reader, dialect } = this;
    if (type === "source") {
      const value = sourcePart(wire);
      const annotation = value && sourceAnnotation(value);
      if (annotation !== undefined && reader.annotate(annotation)) return;
      if (value !== undefined) {
        reader.add({ type: "opaque", dialect: UI, value });
        return;
      }
    }
    const part = partOf(type, wire, dialect);
    if (part === undefined) reader.keepEvent(objectOf(plainJson(wire)));
    else reader.add(part);
  }
}

function partOf(type: string, wire: JsonObject, dialect: string): Part | undefined {
  const { providerMetadata, kind, file } = wire;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (type === "custom") return { type: "opaque", dialect, value: { type, kind: kind ?? "", ...options } };
  const data = isObject(file) ? fileData(file) : undefined;
  if (data === undefined || !isObject(file)) return undefined;
  const mediaType = textIn(file, "mediaType");
  if (type === "reasoning-file") return { type: "opaque", dialect, value: { type, data, mediaType, ...options } };
  if (type !== "file") return undefined;
  const part: MediaPart = { type: kindOfMedia(mediaType), data };
  const mime = mimeOfMedia(mediaType);
  if (mime !== undefined) part.mimeType = mime;
  decodeOptions(part, providerMetadata, false);
  return part;
}

/** The bytes of a generated file, which makes base64 of them where it is asked. */
function fileData(file: JsonObject): string | undefined {
  const { base64, base64Data } = file;
  if (typeof base64 === "string") return base64;
  if (typeof base64Data === "string") return base64Data;
  const bytes: unknown = file["uint8Array"];
  return bytes instanceof Uint8Array ? base64OfBytes(bytes) : undefined;
}

function startOf({ warnings }: JsonObject, dialect: string): { extra?: { [dialect: string]: JsonObject } } {
  const kept = Array.isArray(warnings) && warnings.length > 0 ? plainJson(warnings) : undefined;
  return kept === undefined ? {} : { extra: { [dialect]: { warnings: kept } } };
}

/** What went wrong in a tool: what a provider said as it is, what a client's tool threw as text. */
function failureOf({ error, providerExecuted }: JsonObject): JsonValue {
  if (providerExecuted === true && typeof error !== "string") return plainJson(error) ?? null;
  return messageOf(error);
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  const message: unknown = isObject(error) ? error["message"] : undefined;
  if (typeof message === "string") return message;
  return error === undefined || error === null ? "unknown error" : JSON.stringify(error);
}

function errorOf(error: unknown): ErrorPayload {
  const fields: JsonObject = isObject(error) ? error : {};
  const { statusCode, isRetryable, name } = fields;
  const message = messageOf(error);
  const status = typeof statusCode === "number" ? statusCode : undefined;
  const raw = error instanceof Error ? { name: name ?? "Error", message } : plainJson(error);
  return {
    errorCode: kindOfMessage(message) ?? kindOfStatus(status),
    message,
    ...(status !== undefined && { status }),
    ...(typeof isRetryable === "boolean" && { retryable: isRetryable }),
    ...(raw !== undefined && { raw }),
  };
}

function kindOf(type: string): "text" | "thinking" {
  return type.startsWith("text") ? "text" : "thinking";
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** A value as JSON has it; one that is JSON already stays the same. */
function plainJson(value: unknown): JsonValue | undefined {
  if (isPlain(value)) return value;
  const text = JSON.stringify(value) as string | undefined;
  // What JSON.stringify wrote, JSON.parse reads.
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}

function isPlain(value: unknown): value is JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object": {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      const prototype: unknown = Object.getPrototypeOf(value);
      return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
    }
    default:
      return false;
  }
}
