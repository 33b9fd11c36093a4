// The full stream of `streamText` as deltas. Its events live in memory: what is no JSON in them (errors, dates, files) is
// read for what it says.
import type { DonePayload, ErrorPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra, MediaPart, Part } from "../../model/parts.ts";
import type { DecodeContext, EventDecoder } from "../dialect.ts";
import { base64OfBytes } from "../kit/ai-sdk-files.ts";
import { kindOfMedia, mimeOfMedia } from "../kit/ai-sdk-media.ts";
import { decodeOptions } from "../kit/ai-sdk-options.ts";
import { DENIED } from "../kit/ai-sdk-output.ts";
import { plainJson, plainObject, plainRest, textIn, withoutGaps } from "../kit/ai-sdk-plain.ts";
import { sourceAnnotation, sourcePart, UI } from "../kit/ai-sdk-sources.ts";
import { factsOf } from "../kit/ai-sdk-stream-calls.ts";
import { StepReader } from "../kit/ai-sdk-stream-read.ts";
import { decodeFinish, decodeUsage } from "../kit/ai-sdk-terms.ts";
import { kindOfMessage, kindOfStatus } from "../kit/provider-errors.ts";
import { isObject, readObject } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";
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

const TYPE: ReadonlySet<string> = new Set(["type"]);
const ERROR: ReadonlySet<string> = new Set(["type", "error"]);
const ABORT: ReadonlySet<string> = new Set(["type", "reason"]);
const STEP: ReadonlySet<string> = new Set(["type", "usage", "finishReason", "rawFinishReason"]);
const FINISH: ReadonlySet<string> = new Set(["type", "totalUsage", "finishReason", "rawFinishReason"]);

class PartDecoder {
  readonly reader: StepReader;
  readonly #dialect: string;
  readonly #invalid = new Set<string>();
  /** What the beginning of the run said. */
  #first: JsonObject | undefined;

  constructor(dialect: string) {
    this.#dialect = dialect;
    this.reader = new StepReader(dialect);
  }

  read(wire: JsonObject): void {
    const { reader } = this;
    const type = textIn(wire, "type");
    switch (type) {
      case "text-delta":
      case "reasoning-delta":
        reader.addText(kindOf(type), wire, "text");
        break;
      case "text-start":
      case "reasoning-start":
        reader.startText(kindOf(type), wire);
        break;
      case "text-end":
      case "reasoning-end":
        reader.endText(kindOf(type), wire);
        break;
      case "start-step":
        if (reader.state === "open" && reader.hasContent) reader.finish(this.#implied());
        reader.open(this.#startOf(wire));
        break;
      case "finish-step":
        this.#finishStep(wire);
        break;
      case "finish":
        this.finish(wire);
        break;
      case "error":
        reader.fail({ ...errorOf(wire["error"]), ...this.#residue({ error: plainRest(wire, ERROR) }) });
        break;
      case "abort": {
        const { reason } = wire;
        const why = typeof reason === "string" ? { message: reason } : {};
        const residue = this.#residue({ abort: plainRest(wire, ABORT) });
        reader.fail({ errorCode: "aborted", ...why, retryable: false, raw: withoutGaps(wire), ...residue });
        break;
      }
      case "start":
        this.#first = plainRest(wire, TYPE);
        break;
      case "ping":
      case "raw":
        break;
      default:
        if (type.startsWith("tool-")) this.#readTool(type, wire);
        else this.#readPart(type, wire);
    }
  }

  #implied(): DonePayload {
    return { finishReason: this.reader.hasClientCalls ? "tool-calls" : "stop" };
  }

  /** What events said that frame an answer and have no place in it, under the name of each. */
  #residue(events: Record<string, JsonObject | undefined>): { extra?: Extra } {
    const kept: JsonObject = {};
    for (const [type, rest] of Object.entries(events)) if (rest !== undefined) kept[type] = rest;
    return Object.keys(kept).length === 0 ? {} : { extra: { [this.#dialect]: kept } };
  }

  #startOf(wire: JsonObject): { extra?: Extra } {
    const step = plainRest(wire, TYPE) ?? {};
    // What every step has.
    if (isObject(step["request"]) && Object.keys(step["request"]).length === 0) delete step["request"];
    if (Array.isArray(step["warnings"]) && step["warnings"].length === 0) delete step["warnings"];
    const start = this.#first;
    this.#first = undefined;
    return this.#residue({ start, "start-step": Object.keys(step).length === 0 ? undefined : step });
  }

  #finishStep(wire: JsonObject): void {
    const { reader } = this;
    const dialect = this.#dialect;
    const { usage, finishReason, rawFinishReason } = wire;
    if (isObject(usage)) reader.usage(decodeUsage(usage, dialect));
    const { unified, raw } = decodeFinish(finishReason, rawFinishReason);
    const residue = this.#residue({ "finish-step": plainRest(wire, STEP) });
    reader.finish({ finishReason: unified, ...(raw !== undefined && { raw }), ...residue });
  }

  /** The run has ended. Its totals follow from its steps. */
  finish(wire: JsonObject): void {
    const { reader } = this;
    if (reader.state === "open" || (reader.state === "new" && wire["type"] !== undefined)) {
      const { unified, raw } = decodeFinish(wire["finishReason"], wire["rawFinishReason"]);
      const said: DonePayload = raw === undefined ? { finishReason: unified } : { finishReason: unified, raw };
      reader.finish(wire["finishReason"] === undefined ? this.#implied() : said);
    }
    const { extra } = this.#residue({ finish: plainRest(wire, FINISH) });
    if (extra !== undefined) reader.amendExtra(extra);
    reader.flush();
  }

  #readTool(type: string, wire: JsonObject): void {
    const { reader } = this;
    const id = textIn(wire, type.startsWith("tool-input-") ? "id" : "toolCallId");
    switch (type) {
      case "tool-input-start":
        reader.startCall(id, factsOf(wire));
        break;
      case "tool-input-delta":
        reader.addInput(id, wire, "delta");
        break;
      case "tool-input-end":
        break;
      case "tool-call":
        reader.endCall(id, plainJson(wire["input"]), factsOf(wire));
        if (wire["invalid"] === true && wire["error"] !== undefined) {
          // An error of the tool follows that says the same again.
          this.#invalid.add(id);
          reader.addResult(id, { isError: true, output: messageOf(wire["error"]) }, {});
        }
        break;
      case "tool-approval-request":
      case "tool-approval-response":
        this.#readApproval(wire);
        break;
      default:
        if (!this.#readResult(type, wire, id)) reader.keepEvent(plainObject(wire));
    }
  }

  #readResult(type: string, wire: JsonObject, id: string): boolean {
    const { reader } = this;
    if (type === "tool-result") {
      return reader.addResult(id, { isError: false, output: plainJson(wire["output"]) ?? null }, wire);
    }
    if (type === "tool-error" && this.#invalid.delete(id)) return true;
    if (type === "tool-error") return reader.addResult(id, { isError: true, output: failureOf(wire) }, wire);
    if (type !== "tool-output-denied") return false;
    // Both shapes say so, each in its way.
    const extra = {
      [this.#dialect]: { $form: { output: "execution-denied", reason: null } },
      [UI]: { $form: { state: "output-denied" } },
    };
    return reader.addResult(id, { isError: true, output: DENIED, extra }, wire);
  }

  /** Approvals as prompts have them: with the id of the call in place of the call. */
  #readApproval(wire: JsonObject): void {
    const { toolCall, ...others } = wire;
    const value = plainObject(others);
    const isRequest = value["type"] === "tool-approval-request";
    if (isRequest && isObject(toolCall)) value["toolCallId"] = textIn(toolCall, "toolCallId");
    this.reader.add({ type: "opaque", dialect: this.#dialect, value });
  }

  #readPart(type: string, wire: JsonObject): void {
    const { reader } = this;
    const dialect = this.#dialect;
    if (type === "source") {
      const value = sourcePart(wire);
      const annotation = value && sourceAnnotation(value);
      if (annotation !== undefined && reader.annotate(annotation)) return;
      if (value !== undefined) {
        reader.add({ type: "opaque", dialect: UI, value });
        return;
      }
    }
    if (type === "steering-message") {
      // It stands between two steps, and no step begins with it.
      reader.open({ message: { extra: { [UI]: { $form: { step: false } } } } });
      reader.add({ type: "opaque", dialect, value: plainObject(wire) });
      return;
    }
    const part = partOf(type, wire, dialect);
    if (part === undefined) reader.keepEvent(plainObject(wire));
    else reader.add(part);
  }
}

const CUSTOM: ReadonlySet<string> = new Set(["type", "kind", "providerMetadata"]);
const FILE: ReadonlySet<string> = new Set(["type", "file", "providerMetadata"]);
/** Bytes in either form, as the SDK names them within and without. */
const BYTES: ReadonlySet<string> = new Set("type mediaType base64 base64Data uint8Array uint8ArrayData".split(" "));

function partOf(type: string, wire: JsonObject, dialect: string): Part | undefined {
  const { providerMetadata, kind, file } = wire;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (type === "custom") {
    const value = { ...plainRest(wire, CUSTOM), type, kind: kind ?? "", ...options };
    return { type: "opaque", dialect, value };
  }
  const data = isObject(file) ? fileData(file) : undefined;
  if (data === undefined || !isObject(file)) return undefined;
  const mediaType = textIn(file, "mediaType");
  const rest = plainRest(wire, FILE);
  if (type === "reasoning-file") {
    return { type: "opaque", dialect, value: { ...rest, type, data, mediaType, ...options } };
  }
  if (type !== "file") return undefined;
  const part: MediaPart = { type: kindOfMedia(mediaType), data };
  const mime = mimeOfMedia(mediaType);
  if (mime !== undefined) part.mimeType = mime;
  decodeOptions(part, providerMetadata, false);
  storeResidue(part, dialect, rest);
  storeResidue(part, dialect, plainRest(file, BYTES), "file");
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
