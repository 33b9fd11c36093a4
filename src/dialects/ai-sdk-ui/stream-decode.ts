// The UI message stream as deltas. A stream is one UI message: its steps are answers, and what it says of the message as
// a whole stands with the first of them that can still carry it.
import type { DonePayload, MessageFields } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext, EventDecoder } from "../dialect.ts";
import { MODEL } from "../kit/ai-sdk-output.ts";
import { textIn, withoutGaps } from "../kit/ai-sdk-plain.ts";
import { sourceAnnotation } from "../kit/ai-sdk-sources.ts";
import { factsOf } from "../kit/ai-sdk-stream-calls.ts";
import { StepReader } from "../kit/ai-sdk-stream-read.ts";
import { decodeFinish } from "../kit/ai-sdk-terms.ts";
import { kindOfMessage } from "../kit/provider-errors.ts";
import { isObject, readObject, unknownFields } from "../kit/read.ts";
import { truncated } from "../kit/streams.ts";
import { isMetadata } from "./decode.ts";
import { decodePart } from "./decode-part.ts";
import { deniedResult, readOutput } from "./decode-tool.ts";

export function streamDecoder(context: DecodeContext): EventDecoder {
  const decoder = new ChunkDecoder(context);
  return {
    push(data) {
      if (data === "[DONE]") decoder.finish();
      else decoder.read(readObject(data, context));
      return decoder.reader.take();
    },
    end(reason = truncated()) {
      decoder.openPending();
      // How a step ended is told with the end of the message.
      decoder.reader.end(reason, false);
      return decoder.reader.take();
    },
  };
}

class ChunkDecoder {
  readonly reader: StepReader;
  readonly #context: DecodeContext;
  /** What is known of a message that has not said anything yet. */
  #pending: MessageFields | undefined;
  /** Why each call was denied, by the id of its approval and of the call. */
  readonly #approvals = new Map<string, string>();
  readonly #reasons = new Map<string, string>();
  #metadata: JsonValue | undefined;
  #isMetadataNew = false;
  #framing: JsonObject | undefined;
  #early: JsonObject[] = [];

  constructor(context: DecodeContext) {
    this.#context = context;
    this.reader = new StepReader(context.dialect);
  }

  /** An application may send data before the message has begun; they wait for it, so that it begins with its id. */
  read(wire: JsonObject): void {
    const type = textIn(wire, "type");
    if (this.reader.state === "new" && this.#pending === undefined && type.startsWith("data-")) {
      this.#early.push(wire);
      return;
    }
    if (type !== "start") this.#readEarly();
    this.#readChunk(type, wire);
    this.#readEarly();
  }

  #readEarly(): void {
    const early = this.#early;
    if (early.length === 0) return;
    this.#early = [];
    for (const wire of early) this.#readChunk(textIn(wire, "type"), wire);
  }

  #readChunk(type: string, wire: JsonObject): void {
    const { reader } = this;
    if (reader.state !== "open" && !FRAMES.has(type)) this.#openAnswer(false);
    switch (type) {
      case "text-delta":
      case "reasoning-delta":
        reader.addText(kindOf(type), wire, "delta");
        break;
      case "text-start":
      case "reasoning-start":
        reader.startText(kindOf(type), wire, this.#reasoningId(wire));
        break;
      case "text-end":
      case "reasoning-end":
        reader.endText(kindOf(type), wire);
        break;
      case "start":
      case "start-step":
      case "finish-step":
      case "finish":
      case "message-metadata":
      case "reset-step":
        this.#readFrame(type, wire);
        break;
      case "error":
      case "abort":
        this.#fail(type, wire);
        break;
      default:
        if (type.startsWith("tool-")) this.#readTool(type, wire);
        else this.#readPart(type, wire);
    }
  }

  /** Reasoning has an id in its message, too. */
  #reasoningId(wire: JsonObject): Extra | undefined {
    if (wire["type"] !== "reasoning-start" || typeof wire["id"] !== "string") return undefined;
    return { [this.#context.dialect]: { id: wire["id"] } };
  }

  #readFrame(type: string, wire: JsonObject): void {
    const { reader } = this;
    if (isObject(wire["messageMetadata"]) || (wire["messageMetadata"] ?? undefined) !== undefined) {
      this.#metadata = merged(this.#metadata, wire["messageMetadata"]);
      this.#isMetadataNew = true;
    }
    if (type === "start-step") this.#finishStep();
    this.#keepFrame(type, wire);
    if (type === "start" && reader.state !== "open") {
      const id = wire["messageId"];
      this.#pending = typeof id === "string" ? { id } : {};
    } else if (type === "start-step") this.#openAnswer(true);
    else if (type === "finish-step") this.#finishStep();
    else if (type === "reset-step" && reader.state === "open" && reader.hasContent) {
      // What was said so far counts no more, but it has been said: it stands as an answer that broke off.
      reader.finish({ finishReason: "error", raw: type, message: { metadata: { interrupted: true } } });
    } else if (type === "finish") this.finish(wire);
  }

  /** What an event says that frames an answer and has no place in it: under its name, with the next answer to begin or end. */
  #keepFrame(type: string, wire: JsonObject): void {
    const rest = unknownFields(wire, FRAME);
    if (rest !== undefined) this.#framing = { ...this.#framing, [type]: rest };
  }

  #takeFraming(): { extra?: Extra } {
    const framing = this.#framing;
    this.#framing = undefined;
    return framing === undefined ? {} : { extra: { [this.#context.dialect]: framing } };
  }

  /** Begins an answer; one that does not begin with a step is a deviation. */
  #openAnswer(hasStep: boolean): void {
    const { reader } = this;
    const isFollower = reader.state === "held" || reader.state === "between";
    reader.flush();
    const message: MessageFields = { ...this.#pending, ...this.#takeMetadata() };
    this.#pending = undefined;
    const form: JsonObject = {};
    if (!hasStep) form["step"] = false;
    if (isFollower && !reader.hasResults) form["joined"] = true;
    if (Object.keys(form).length > 0) message.extra = this.#form(form, message.extra);
    reader.open({ ...(Object.keys(message).length > 0 && { message }), ...this.#takeFraming() });
  }

  /** A message of which nothing is known but that it began. */
  openPending(): void {
    this.#readEarly();
    if (this.#pending !== undefined && this.reader.state === "new") this.#openAnswer(false);
  }

  #form(form: JsonObject, extra: Extra = {}): Extra {
    const { dialect } = this.#context;
    return { ...extra, [dialect]: { ...extra[dialect], $form: form } };
  }

  /** What has been learnt of the message since it was last told. */
  #takeMetadata(): MessageFields {
    if (!this.#isMetadataNew) return {};
    this.#isMetadataNew = false;
    const metadata = this.#metadata;
    if (isMetadata(metadata)) return { metadata };
    return { extra: { [this.#context.dialect]: { metadata: metadata ?? null } } };
  }

  #finishStep(): void {
    const { reader } = this;
    if (reader.state === "open") reader.finish(this.#done(reader.hasClientCalls ? "tool-calls" : "stop"));
  }

  #done(finishReason: DonePayload["finishReason"], raw?: string): DonePayload {
    const done: DonePayload = { finishReason, ...this.#takeFraming() };
    if (raw !== undefined) done.raw = raw;
    const message = this.#takeMetadata();
    if (Object.keys(message).length > 0) done.message = message;
    return done;
  }

  /** The message has ended, with or without saying why. */
  finish(wire: JsonObject = {}): void {
    const { reader } = this;
    this.openPending();
    if (reader.state === "new" && wire["type"] !== undefined) this.#openAnswer(false);
    this.#finishStep();
    if (reader.state !== "held") return;
    if (wire["finishReason"] !== undefined) {
      const { unified, raw } = decodeFinish(wire["finishReason"], undefined);
      reader.amend({ finishReason: unified, ...(raw !== undefined && { raw }) });
    }
    const message = this.#takeMetadata();
    if (Object.keys(message).length > 0) reader.amendMessage(message);
    const { extra } = this.#takeFraming();
    if (extra !== undefined) reader.amendExtra(extra);
    reader.flush();
  }

  #fail(type: string, wire: JsonObject): void {
    const raw = withoutGaps(wire);
    this.#keepFrame(type, wire);
    const residue = this.#takeFraming();
    if (type === "abort") {
      const { reason } = wire;
      const why = typeof reason === "string" ? { message: reason } : {};
      this.reader.fail({ errorCode: "aborted", ...why, retryable: false, raw, ...residue });
      return;
    }
    const message = textIn(wire, "errorText");
    this.reader.fail({ errorCode: kindOfMessage(message) ?? "unknown", message, raw, ...residue });
  }

  #readTool(type: string, wire: JsonObject): void {
    const { reader } = this;
    const id = textIn(wire, "toolCallId");
    switch (type) {
      case "tool-input-start":
        reader.startCall(id, factsOf(wire));
        break;
      case "tool-input-delta":
        reader.addInput(id, wire, "inputTextDelta");
        break;
      case "tool-input-available":
        reader.endCall(id, wire["input"], factsOf(wire));
        break;
      case "tool-input-error": {
        const { options: _, rest: __, ...facts } = factsOf(wire);
        reader.endCall(id, wire["input"], facts);
        reader.addResult(id, { isError: true, output: textIn(wire, "errorText") }, wire);
        break;
      }
      case "tool-approval-request":
      case "tool-approval-response":
        this.#readApproval(type, wire);
        break;
      default:
        if (!this.#readResult(type, wire, id)) this.#readPart(type, wire);
    }
  }

  #readApproval(type: string, wire: JsonObject): void {
    const approvalId = textIn(wire, "approvalId");
    if (type === "tool-approval-request") this.#approvals.set(approvalId, textIn(wire, "toolCallId"));
    else if (typeof wire["reason"] === "string")
      this.#reasons.set(this.#approvals.get(approvalId) ?? "", wire["reason"]);
    this.reader.add({ type: "opaque", dialect: MODEL, value: withoutGaps(wire) });
  }

  #readResult(type: string, wire: JsonObject, id: string): boolean {
    const { reader } = this;
    const context = this.#context;
    if (type === "tool-output-error") {
      return reader.addResult(id, { isError: true, output: textIn(wire, "errorText") }, wire);
    }
    if (type === "tool-output-denied") {
      return reader.addResult(id, deniedResult(this.#reasons.get(id), context.dialect), wire);
    }
    if (type !== "tool-output-available") return false;
    const part: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
    readOutput(part, wire, context);
    const { type: _, toolCallId: __, toolName: ___, ...said } = part;
    return reader.addResult(id, said, wire);
  }

  /** A whole part, as its message has it. */
  #readPart(type: string, wire: JsonObject): void {
    const { reader } = this;
    const context = this.#context;
    const part = withoutGaps(wire);
    if (type.startsWith("data-") ? part["transient"] === true : !PARTS.has(type)) {
      reader.keepEvent(part);
      return;
    }
    const annotation = sourceAnnotation(part);
    if (annotation !== undefined && reader.annotate(annotation)) return;
    reader.add(decodePart(part, "assistant", context) ?? { type: "opaque", dialect: context.dialect, value: part });
  }
}

/** What is a part of the message as it is. A tool's output that no call waits for belongs to an earlier run. */
const PARTS: ReadonlySet<string> = new Set(
  (
    "file reasoning-file custom source-url source-document steering-message " +
    "tool-output-available tool-output-error tool-output-denied"
  ).split(" "),
);

/** The known fields of events that frame what is said. */
const FRAME: ReadonlySet<string> = new Set("type messageId messageMetadata finishReason errorText reason".split(" "));

/** Events that frame what is said. */
const FRAMES: ReadonlySet<string> = new Set(
  "start start-step finish-step finish message-metadata reset-step error abort".split(" "),
);

function kindOf(type: string): "text" | "thinking" {
  return type.startsWith("text") ? "text" : "thinking";
}

/** Metadata grow key by key, at every depth. */
function merged(old: JsonValue | undefined, later: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(old) || !isObject(later)) return later;
  const copy = withoutGaps(old);
  for (const key of Object.keys(later)) {
    const value = merged(Object.hasOwn(old, key) ? old[key] : undefined, later[key]);
    if (value !== undefined)
      Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}
