// Decodes the UI message stream into deltas. A stream is one UI message, and its steps are answers. Fields of the
// message are emitted with the next start or end of an answer.
import type { DonePayload, MessageFields } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Extra, ToolResultPart, WithExtra } from "../../model/parts.ts";
import type { DecodeContext, EventDecoder } from "../dialect.ts";
import { MODEL_DIALECT } from "../ai-sdk/tool-output.ts";
import { readText, withoutUndefined } from "../ai-sdk/to-json.ts";
import { decodeSourcePart } from "../ai-sdk/sources.ts";
import { readCallFields } from "../ai-sdk/tool-call-decoder.ts";
import { StepDecoder } from "../ai-sdk/step-decoder.ts";
import { decodeFinishReason } from "../ai-sdk/finish-reason-and-usage.ts";
import { kindFromMessage } from "../kit/errors/provider-errors.ts";
import { isObject, readObject, unknownFields } from "../kit/fields/read-wire.ts";
import { createTruncatedDelta } from "../kit/streams/stream-deltas.ts";
import { isMetadata } from "./decode.ts";
import { decodePart } from "./decode-part.ts";
import { createDeniedResult, decodeUiOutput } from "./decode-tool.ts";

export function createStreamDecoder(context: DecodeContext): EventDecoder {
  const decoder = new UiStreamDecoder(context);
  return {
    push(data) {
      if (data === "[DONE]") decoder.finish();
      else decoder.decodeEvent(readObject(data, context));
      return decoder.steps.takeDeltas();
    },
    end(reason = createTruncatedDelta()) {
      decoder.openPending();
      // The finish reason of the last step arrives only with the end of the message, so a stream without that end is
      // truncated.
      decoder.steps.end(reason, false);
      return decoder.steps.takeDeltas();
    },
  };
}

class UiStreamDecoder {
  readonly steps: StepDecoder;
  readonly #context: DecodeContext;
  /**
   * The fields of the `start` event, until the first answer of the message starts and receives them; undefined
   * otherwise.
   */
  #pendingMessage: MessageFields | undefined;
  /** Call ids by approval id, because an approval response does not have the call id. */
  readonly #callIdsByApproval = new Map<string, string>();
  /** The reason in the approval response of each call, by call id; a denied result uses it as its output. */
  readonly #denialReasons = new Map<string, string>();
  /** The merged metadata of the message so far. */
  #metadata: JsonValue | undefined;
  /** True if metadata has arrived that is not emitted yet. */
  #isMetadataNew = false;
  /**
   * Unknown fields of frame events, by event type. The next delta that starts or ends an answer stores them as residue.
   */
  #eventResidue: JsonObject | undefined;
  /** Data events that arrived before the `start` event. */
  #earlyEvents: JsonObject[] = [];

  constructor(context: DecodeContext) {
    this.#context = context;
    this.steps = new StepDecoder(context.dialect);
  }

  /**
   * Decodes an event. Data events before the `start` event are decoded after it, so that the first delta has the
   * message id.
   */
  decodeEvent(wire: JsonObject): void {
    const type = readText(wire, "type");
    if (this.steps.state === "new" && this.#pendingMessage === undefined && type.startsWith("data-")) {
      this.#earlyEvents.push(wire);
      return;
    }
    if (type !== "start") this.#decodeEarlyEvents();
    this.#decodeChunk(type, wire);
    this.#decodeEarlyEvents();
  }

  #decodeEarlyEvents(): void {
    const early = this.#earlyEvents;
    if (early.length === 0) return;
    this.#earlyEvents = [];
    for (const wire of early) this.#decodeChunk(readText(wire, "type"), wire);
  }

  #decodeChunk(type: string, wire: JsonObject): void {
    const { steps } = this;
    if (steps.state !== "open" && !FRAME_EVENTS.has(type)) this.#openAnswer(false);
    switch (type) {
      case "text-delta":
      case "reasoning-delta":
        steps.addText(toDeltaKind(type), wire, "delta");
        break;
      case "text-start":
      case "reasoning-start":
        steps.startText(toDeltaKind(type), wire, this.#reasoningId(wire));
        break;
      case "text-end":
      case "reasoning-end":
        steps.endText(toDeltaKind(type), wire);
        break;
      case "start":
      case "start-step":
      case "finish-step":
      case "finish":
      case "message-metadata":
      case "reset-step":
        this.#decodeFrame(type, wire);
        break;
      case "error":
      case "abort":
        this.#fail(type, wire);
        break;
      default:
        if (type.startsWith("tool-")) this.#decodeToolEvent(type, wire);
        else this.#decodePart(type, wire);
    }
  }

  /**
   * Returns the id of a reasoning part as residue; undefined for a text, because UI messages do not store the id of a
   * text.
   */
  #reasoningId(wire: JsonObject): Extra | undefined {
    if (wire["type"] !== "reasoning-start" || typeof wire["id"] !== "string") return undefined;
    return { [this.#context.dialect]: { id: wire["id"] } };
  }

  #decodeFrame(type: string, wire: JsonObject): void {
    const { steps } = this;
    if (isObject(wire["messageMetadata"]) || (wire["messageMetadata"] ?? undefined) !== undefined) {
      this.#metadata = mergeMetadata(this.#metadata, wire["messageMetadata"]);
      this.#isMetadataNew = true;
    }
    if (type === "start-step") this.#finishStep();
    this.#storeEventResidue(type, wire);
    if (type === "start" && steps.state !== "open") {
      const id = wire["messageId"];
      this.#pendingMessage = typeof id === "string" ? { id } : {};
    } else if (type === "start-step") this.#openAnswer(true);
    else if (type === "finish-step") this.#finishStep();
    else if (type === "reset-step" && steps.state === "open" && steps.hasContent) {
      // At `reset-step`, clients discard the parts of the current step. Here these parts become an interrupted answer.
      steps.finish({ finishReason: "error", raw: type, message: { metadata: { interrupted: true } } });
    } else if (type === "finish") this.finish(wire);
  }

  /** Stores the unknown fields of a frame event, which starts or ends an answer, for the next start or end delta. */
  #storeEventResidue(type: string, wire: JsonObject): void {
    const rest = unknownFields(wire, FRAME_FIELDS);
    if (rest !== undefined) this.#eventResidue = { ...this.#eventResidue, [type]: rest };
  }

  #takeEventResidue(): WithExtra {
    const eventResidue = this.#eventResidue;
    this.#eventResidue = undefined;
    return eventResidue === undefined ? {} : { extra: { [this.#context.dialect]: eventResidue } };
  }

  /**
   * Starts an answer. Forms store that the answer has no `start-step` event, or that it follows another answer of the
   * same UI message without tool results between them.
   */
  #openAnswer(hasStep: boolean): void {
    const { steps } = this;
    const continuesMessage = steps.state === "ending" || steps.state === "between";
    steps.flush();
    const message: MessageFields = { ...this.#pendingMessage, ...this.#takeMetadata() };
    this.#pendingMessage = undefined;
    const form: JsonObject = {};
    if (!hasStep) form["step"] = false;
    if (continuesMessage && !steps.hasResults) form["joined"] = true;
    if (Object.keys(form).length > 0) message.extra = this.#addForm(form, message.extra);
    steps.openAnswer({ ...(Object.keys(message).length > 0 && { message }), ...this.#takeEventResidue() });
  }

  /**
   * Decodes the data events that arrived before the `start` event. Then starts an answer without a `start-step` event
   * if the `start` event has arrived and no answer has started.
   */
  openPending(): void {
    this.#decodeEarlyEvents();
    if (this.#pendingMessage !== undefined && this.steps.state === "new") this.#openAnswer(false);
  }

  #addForm(form: JsonObject, extra: Extra = {}): Extra {
    const { dialect } = this.#context;
    return { ...extra, [dialect]: { ...extra[dialect], $form: form } };
  }

  /** Returns the metadata if new metadata has arrived since the last call; an empty object otherwise. */
  #takeMetadata(): MessageFields {
    if (!this.#isMetadataNew) return {};
    this.#isMetadataNew = false;
    const metadata = this.#metadata;
    if (isMetadata(metadata)) return { metadata };
    return { extra: { [this.#context.dialect]: { metadata: metadata ?? null } } };
  }

  #finishStep(): void {
    const { steps } = this;
    if (steps.state === "open") steps.finish(this.#createEnd(steps.hasClientCalls ? "tool-calls" : "stop"));
  }

  #createEnd(finishReason: DonePayload["finishReason"], raw?: string): DonePayload {
    const done: DonePayload = { finishReason, ...this.#takeEventResidue() };
    if (raw !== undefined) done.raw = raw;
    const message = this.#takeMetadata();
    if (Object.keys(message).length > 0) done.message = message;
    return done;
  }

  /** Ends the message; `wire` is the `finish` event, or empty if the stream has none. */
  finish(wire: JsonObject = {}): void {
    const { steps } = this;
    this.openPending();
    if (steps.state === "new" && wire["type"] !== undefined) this.#openAnswer(false);
    this.#finishStep();
    if (steps.state !== "ending") return;
    if (wire["finishReason"] !== undefined) {
      const { unified, raw } = decodeFinishReason(wire["finishReason"], undefined);
      steps.amendEnd({ finishReason: unified, ...(raw !== undefined && { raw }) });
    }
    const message = this.#takeMetadata();
    if (Object.keys(message).length > 0) steps.amendEndMessage(message);
    const { extra } = this.#takeEventResidue();
    if (extra !== undefined) steps.amendEndExtra(extra);
    steps.flush();
  }

  #fail(type: string, wire: JsonObject): void {
    const raw = withoutUndefined(wire);
    this.#storeEventResidue(type, wire);
    const residue = this.#takeEventResidue();
    if (type === "abort") {
      const { reason } = wire;
      const errorMessage = typeof reason === "string" ? { message: reason } : {};
      this.steps.fail({ errorCode: "aborted", ...errorMessage, retryable: false, raw, ...residue });
      return;
    }
    const message = readText(wire, "errorText");
    this.steps.fail({ errorCode: kindFromMessage(message) ?? "unknown", message, raw, ...residue });
  }

  #decodeToolEvent(type: string, wire: JsonObject): void {
    const { steps } = this;
    const id = readText(wire, "toolCallId");
    switch (type) {
      case "tool-input-start":
        steps.startCall(id, readCallFields(wire));
        break;
      case "tool-input-delta":
        steps.addInput(id, wire, "inputTextDelta");
        break;
      case "tool-input-available":
        steps.endCall(id, wire["input"], readCallFields(wire));
        break;
      case "tool-input-error": {
        const { options: _, residue: __, ...fields } = readCallFields(wire);
        steps.endCall(id, wire["input"], fields);
        steps.addResult(id, { isError: true, output: readText(wire, "errorText") }, wire);
        break;
      }
      case "tool-approval-request":
      case "tool-approval-response":
        this.#decodeApproval(type, wire);
        break;
      default:
        if (!this.#decodeResult(type, wire, id)) this.#decodePart(type, wire);
    }
  }

  #decodeApproval(type: string, wire: JsonObject): void {
    const approvalId = readText(wire, "approvalId");
    if (type === "tool-approval-request") this.#callIdsByApproval.set(approvalId, readText(wire, "toolCallId"));
    else if (typeof wire["reason"] === "string")
      this.#denialReasons.set(this.#callIdsByApproval.get(approvalId) ?? "", wire["reason"]);
    this.steps.addPart({ type: "opaque", dialect: MODEL_DIALECT, value: withoutUndefined(wire) });
  }

  #decodeResult(type: string, wire: JsonObject, id: string): boolean {
    const { steps } = this;
    const context = this.#context;
    if (type === "tool-output-error") {
      return steps.addResult(id, { isError: true, output: readText(wire, "errorText") }, wire);
    }
    if (type === "tool-output-denied") {
      return steps.addResult(id, createDeniedResult(this.#denialReasons.get(id), context.dialect), wire);
    }
    if (type !== "tool-output-available") return false;
    const part: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
    decodeUiOutput(part, wire, context);
    const { type: _, toolCallId: __, toolName: ___, ...output } = part;
    return steps.addResult(id, output, wire);
  }

  /** Decodes an event that is a complete part of the message. */
  #decodePart(type: string, wire: JsonObject): void {
    const { steps } = this;
    const context = this.#context;
    const part = withoutUndefined(wire);
    if (type.startsWith("data-") ? part["transient"] === true : !PART_EVENTS.has(type)) {
      steps.addUnknownEvent(part);
      return;
    }
    const annotation = decodeSourcePart(part);
    if (annotation !== undefined && steps.annotate(annotation)) return;
    steps.addPart(decodePart(part, "assistant", context) ?? { type: "opaque", dialect: context.dialect, value: part });
  }
}

/**
 * Types of events that are complete parts of the message. A tool output event is in this list for calls that are not in
 * this stream: the call belongs to an earlier run, so the output becomes an opaque part.
 */
const PART_EVENTS: ReadonlySet<string> = new Set(
  (
    "file reasoning-file custom source-url source-document steering-message " +
    "tool-output-available tool-output-error tool-output-denied"
  ).split(" "),
);

/** The known fields of frame events, which start or end an answer. */
const FRAME_FIELDS: ReadonlySet<string> = new Set(
  "type messageId messageMetadata finishReason errorText reason".split(" "),
);

/** The types of frame events, which start or end an answer or the message, or change the metadata of the message. */
const FRAME_EVENTS: ReadonlySet<string> = new Set(
  "start start-step finish-step finish message-metadata reset-step error abort".split(" "),
);

function toDeltaKind(type: string): "text" | "thinking" {
  return type.startsWith("text") ? "text" : "thinking";
}

/** Merges metadata objects recursively; later values win. */
function mergeMetadata(old: JsonValue | undefined, later: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(old) || !isObject(later)) return later;
  const copy = withoutUndefined(old);
  for (const key of Object.keys(later)) {
    const value = mergeMetadata(Object.hasOwn(old, key) ? old[key] : undefined, later[key]);
    if (value !== undefined)
      Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}
