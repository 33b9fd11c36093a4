// Decodes the full stream of `streamText` into deltas. Its events are in-memory objects and may have values that are
// not JSON: errors, dates, files.
import type { DonePayload, ErrorPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { MediaPart, Part, WithExtra } from "../../model/parts.ts";
import type { DecodeContext, EventDecoder } from "../dialect.ts";
import { toBase64 } from "../ai-sdk/files.ts";
import { toMediaPartType, toMimeType } from "../ai-sdk/media-types.ts";
import { decodeProviderOptions } from "../ai-sdk/provider-options.ts";
import { DEFAULT_DENIAL } from "../ai-sdk/tool-output.ts";
import { toJson, toJsonObject, unknownJsonFields, readText, withoutUndefined } from "../ai-sdk/to-json.ts";
import { decodeSourcePart, toSourcePart, UI_DIALECT } from "../ai-sdk/sources.ts";
import { readCallFields } from "../ai-sdk/tool-call-decoder.ts";
import { StepDecoder } from "../ai-sdk/step-decoder.ts";
import { decodeFinishReason, decodeUsage } from "../ai-sdk/finish-reason-and-usage.ts";
import { kindFromMessage, kindFromStatus } from "../kit/errors/provider-errors.ts";
import { isObject, readObject } from "../kit/fields/read-wire.ts";
import { storeResidue } from "../kit/residue/residue.ts";
import { createTruncatedDelta } from "../kit/streams/stream-deltas.ts";

export function createStreamDecoder(context: DecodeContext): EventDecoder {
  const decoder = new ModelStreamDecoder(context.dialect);
  return {
    push(data) {
      if (data === "[DONE]") decoder.finish({});
      else decoder.decodeEvent(readObject(data, context));
      return decoder.steps.takeDeltas();
    },
    end(reason = createTruncatedDelta()) {
      decoder.steps.end(reason, true);
      return decoder.steps.takeDeltas();
    },
  };
}

const TYPE_FIELDS: ReadonlySet<string> = new Set(["type"]);
const ERROR_FIELDS: ReadonlySet<string> = new Set(["type", "error"]);
const ABORT_FIELDS: ReadonlySet<string> = new Set(["type", "reason"]);
const FINISH_STEP_FIELDS: ReadonlySet<string> = new Set(["type", "usage", "finishReason", "rawFinishReason"]);
const FINISH_FIELDS: ReadonlySet<string> = new Set(["type", "totalUsage", "finishReason", "rawFinishReason"]);

class ModelStreamDecoder {
  readonly steps: StepDecoder;
  readonly #dialect: string;
  /** Ids of invalid calls whose error result is already emitted; the `tool-error` event that follows is ignored. */
  readonly #invalid = new Set<string>();
  /** The unknown fields of the run's `start` event, which the first answer stores; undefined if there are none. */
  #runStart: JsonObject | undefined;

  constructor(dialect: string) {
    this.#dialect = dialect;
    this.steps = new StepDecoder(dialect);
  }

  decodeEvent(wire: JsonObject): void {
    const { steps } = this;
    const type = readText(wire, "type");
    switch (type) {
      case "text-delta":
      case "reasoning-delta":
        steps.addText(toDeltaKind(type), wire, "text");
        break;
      case "text-start":
      case "reasoning-start":
        steps.startText(toDeltaKind(type), wire);
        break;
      case "text-end":
      case "reasoning-end":
        steps.endText(toDeltaKind(type), wire);
        break;
      case "start-step":
        if (steps.state === "open" && steps.hasContent) steps.finish(this.#createImpliedEnd());
        steps.openAnswer(this.#toStepStart(wire));
        break;
      case "finish-step":
        this.#finishStep(wire);
        break;
      case "finish":
        this.finish(wire);
        break;
      case "error":
        steps.fail({
          ...decodeError(wire["error"]),
          ...this.#toEventResidue({ error: unknownJsonFields(wire, ERROR_FIELDS) }),
        });
        break;
      case "abort": {
        const { reason } = wire;
        const errorMessage = typeof reason === "string" ? { message: reason } : {};
        const residue = this.#toEventResidue({ abort: unknownJsonFields(wire, ABORT_FIELDS) });
        steps.fail({
          errorCode: "aborted",
          ...errorMessage,
          retryable: false,
          raw: withoutUndefined(wire),
          ...residue,
        });
        break;
      }
      case "start":
        this.#runStart = unknownJsonFields(wire, TYPE_FIELDS);
        break;
      case "ping":
      case "raw":
        break;
      default:
        if (type.startsWith("tool-")) this.#decodeToolEvent(type, wire);
        else this.#decodePart(type, wire);
    }
  }

  /**
   * Returns the end of a step whose `finish-step` event is missing; the finish reason is derived from the calls of the
   * step.
   */
  #createImpliedEnd(): DonePayload {
    return { finishReason: this.steps.hasClientCalls ? "tool-calls" : "stop" };
  }

  /** Returns the unknown fields of events that start or end an answer as residue, by event type. */
  #toEventResidue(events: Record<string, JsonObject | undefined>): WithExtra {
    const eventResidue: JsonObject = {};
    for (const [type, rest] of Object.entries(events)) if (rest !== undefined) eventResidue[type] = rest;
    return Object.keys(eventResidue).length === 0 ? {} : { extra: { [this.#dialect]: eventResidue } };
  }

  #toStepStart(wire: JsonObject): WithExtra {
    const step = unknownJsonFields(wire, TYPE_FIELDS) ?? {};
    // Nearly every step has an empty `request` and empty `warnings`, which the encoder adds again, so they are not
    // stored.
    if (isObject(step["request"]) && Object.keys(step["request"]).length === 0) delete step["request"];
    if (Array.isArray(step["warnings"]) && step["warnings"].length === 0) delete step["warnings"];
    const start = this.#runStart;
    this.#runStart = undefined;
    return this.#toEventResidue({ start, "start-step": Object.keys(step).length === 0 ? undefined : step });
  }

  #finishStep(wire: JsonObject): void {
    const { steps } = this;
    const dialect = this.#dialect;
    const { usage, finishReason, rawFinishReason } = wire;
    if (isObject(usage)) steps.emitUsage(decodeUsage(usage, dialect));
    const { unified, raw } = decodeFinishReason(finishReason, rawFinishReason);
    const residue = this.#toEventResidue({ "finish-step": unknownJsonFields(wire, FINISH_STEP_FIELDS) });
    steps.finish({ finishReason: unified, ...(raw !== undefined && { raw }), ...residue });
  }

  /** Ends the run. The total usage is not decoded, because it is the sum of the steps' usage. */
  finish(wire: JsonObject): void {
    const { steps } = this;
    if (steps.state === "open" || (steps.state === "new" && wire["type"] !== undefined)) {
      const { unified, raw } = decodeFinishReason(wire["finishReason"], wire["rawFinishReason"]);
      const donePayload: DonePayload = raw === undefined ? { finishReason: unified } : { finishReason: unified, raw };
      steps.finish(wire["finishReason"] === undefined ? this.#createImpliedEnd() : donePayload);
    }
    const { extra } = this.#toEventResidue({ finish: unknownJsonFields(wire, FINISH_FIELDS) });
    if (extra !== undefined) steps.amendEndExtra(extra);
    steps.flush();
  }

  #decodeToolEvent(type: string, wire: JsonObject): void {
    const { steps } = this;
    const id = readText(wire, type.startsWith("tool-input-") ? "id" : "toolCallId");
    switch (type) {
      case "tool-input-start":
        steps.startCall(id, readCallFields(wire));
        break;
      case "tool-input-delta":
        steps.addInput(id, wire, "delta");
        break;
      case "tool-input-end":
        break;
      case "tool-call":
        steps.endCall(id, toJson(wire["input"]), readCallFields(wire));
        if (wire["invalid"] === true && wire["error"] !== undefined) {
          // A `tool-error` event with the same error follows, which must not become a second result.
          this.#invalid.add(id);
          steps.addResult(id, { isError: true, output: readErrorMessage(wire["error"]) }, {});
        }
        break;
      case "tool-approval-request":
      case "tool-approval-response":
        this.#decodeApproval(wire);
        break;
      default:
        if (!this.#decodeResult(type, wire, id)) steps.addUnknownEvent(toJsonObject(wire));
    }
  }

  #decodeResult(type: string, wire: JsonObject, id: string): boolean {
    const { steps } = this;
    if (type === "tool-result") {
      return steps.addResult(id, { isError: false, output: toJson(wire["output"]) ?? null }, wire);
    }
    if (type === "tool-error" && this.#invalid.delete(id)) return true;
    if (type === "tool-error") return steps.addResult(id, { isError: true, output: toToolError(wire) }, wire);
    if (type !== "tool-output-denied") return false;
    // The forms, one for each AI SDK format, store that the error result is a denial.
    const extra = {
      [this.#dialect]: { $form: { output: "execution-denied", reason: null } },
      [UI_DIALECT]: { $form: { state: "output-denied" } },
    };
    return steps.addResult(id, { isError: true, output: DEFAULT_DENIAL, extra }, wire);
  }

  /**
   * Decodes an approval event as an opaque part in the shape of model messages, which have the id of the call instead
   * of the whole call.
   */
  #decodeApproval(wire: JsonObject): void {
    const { toolCall, ...others } = wire;
    const value = toJsonObject(others);
    const isRequest = value["type"] === "tool-approval-request";
    if (isRequest && isObject(toolCall)) value["toolCallId"] = readText(toolCall, "toolCallId");
    this.steps.addPart({ type: "opaque", dialect: this.#dialect, value });
  }

  #decodePart(type: string, wire: JsonObject): void {
    const { steps } = this;
    const dialect = this.#dialect;
    if (type === "source") {
      const value = toSourcePart(wire);
      const annotation = value && decodeSourcePart(value);
      if (annotation !== undefined && steps.annotate(annotation)) return;
      if (value !== undefined) {
        steps.addPart({ type: "opaque", dialect: UI_DIALECT, value });
        return;
      }
    }
    if (type === "steering-message") {
      // A steering message is a user's message between two steps. It becomes an answer of its own, and a form stores
      // that this answer has no step events.
      steps.openAnswer({ message: { extra: { [UI_DIALECT]: { $form: { step: false } } } } });
      steps.addPart({ type: "opaque", dialect, value: toJsonObject(wire) });
      return;
    }
    const part = decodeWholePart(type, wire, dialect);
    if (part === undefined) steps.addUnknownEvent(toJsonObject(wire));
    else steps.addPart(part);
  }
}

const CUSTOM_FIELDS: ReadonlySet<string> = new Set(["type", "kind", "providerMetadata"]);
const FILE_EVENT_FIELDS: ReadonlySet<string> = new Set(["type", "file", "providerMetadata"]);
/** Known fields of a file object. The fields with the suffix `Data` are private fields of the AI SDK's class. */
const FILE_FIELDS: ReadonlySet<string> = new Set(
  "type mediaType base64 base64Data uint8Array uint8ArrayData".split(" "),
);

function decodeWholePart(type: string, wire: JsonObject, dialect: string): Part | undefined {
  const { providerMetadata, kind, file } = wire;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (type === "custom") {
    const value = { ...unknownJsonFields(wire, CUSTOM_FIELDS), type, kind: kind ?? "", ...options };
    return { type: "opaque", dialect, value };
  }
  const data = isObject(file) ? readFileData(file) : undefined;
  if (data === undefined || !isObject(file)) return undefined;
  const mediaType = readText(file, "mediaType");
  const rest = unknownJsonFields(wire, FILE_EVENT_FIELDS);
  if (type === "reasoning-file") {
    return { type: "opaque", dialect, value: { ...rest, type, data, mediaType, ...options } };
  }
  if (type !== "file") return undefined;
  const part: MediaPart = { type: toMediaPartType(mediaType), data };
  const mimeType = toMimeType(mediaType);
  if (mimeType !== undefined) part.mimeType = mimeType;
  decodeProviderOptions(part, providerMetadata, false);
  storeResidue(part, dialect, rest);
  storeResidue(part, dialect, unknownJsonFields(file, FILE_FIELDS), "file");
  return part;
}

/**
 * Returns the base64 data of a generated file; undefined if there is none. `base64` is a getter in the AI SDK's class.
 */
function readFileData(file: JsonObject): string | undefined {
  const { base64, base64Data } = file;
  if (typeof base64 === "string") return base64;
  if (typeof base64Data === "string") return base64Data;
  const bytes: unknown = file["uint8Array"];
  return bytes instanceof Uint8Array ? toBase64(bytes) : undefined;
}

/** Returns the error of a tool: the error value for provider tools, and the error message for client tools. */
function toToolError({ error, providerExecuted }: JsonObject): JsonValue {
  if (providerExecuted === true && typeof error !== "string") return toJson(error) ?? null;
  return readErrorMessage(error);
}

/** Returns the message of an error in any form; "unknown error" for a missing error. */
function readErrorMessage(error: unknown): string {
  if (typeof error === "string") return error;
  const message: unknown = isObject(error) ? error["message"] : undefined;
  if (typeof message === "string") return message;
  return error === undefined || error === null ? "unknown error" : JSON.stringify(error);
}

function decodeError(error: unknown): ErrorPayload {
  const fields: JsonObject = isObject(error) ? error : {};
  const { statusCode, isRetryable, name } = fields;
  const message = readErrorMessage(error);
  const status = typeof statusCode === "number" ? statusCode : undefined;
  const raw = error instanceof Error ? { name: name ?? "Error", message } : toJson(error);
  return {
    errorCode: kindFromMessage(message) ?? kindFromStatus(status),
    message,
    ...(status !== undefined && { status }),
    ...(typeof isRetryable === "boolean" && { retryable: isRetryable }),
    ...(raw !== undefined && { raw }),
  };
}

function toDeltaKind(type: string): "text" | "thinking" {
  return type.startsWith("text") ? "text" : "thinking";
}
