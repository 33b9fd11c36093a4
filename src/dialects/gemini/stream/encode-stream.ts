// Encodes streams. Each piece of text and each other part becomes an event with a candidate (B85). The last event has
// all other fields of the response.
import type { Delta, ErrorPayload, StartPayload, UsagePayload } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { Usage } from "../../../model/usage.ts";
import type { EncodeContext, StreamEncoder, WireEvent } from "../../dialect.ts";
import { AnswerFollower } from "../../kit/streams/answer-follower.ts";
import { withoutInterruptedFlags } from "../../kit/streams/assembly-metadata.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { withDetachedReport, createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";
import { readUnknownEvents, withoutUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { hasPieceForm } from "../content/split-texts.ts";
import { createEncodeState } from "../request/encode-history.ts";
import { encodeErrorField } from "../response/errors.ts";
import type { GeminiLossCode } from "../losses.ts";
import { encodeResponse } from "../response/response.ts";
import { restoreSpelling } from "../content/snake-case-fields.ts";
import { GeminiCandidateEncoder } from "./candidate-encoder.ts";
import { withStreamPositions } from "./joined-text-positions.ts";
import { FINISH_REASONS } from "../terms.ts";
import type { GeminiPart } from "../types.ts";
import { COUNT_FIELDS, encodeCounts } from "../response/usage.ts";
import type { GeminiEncodeState } from "../content/encode-state.ts";

export function createStreamEncoder(context: EncodeContext<GeminiLossCode>): Omit<StreamEncoder, "losses"> {
  return new GeminiStreamEncoder(context);
}

/**
 * Replaces a part that is not written and whose loss is already reported when the whole response is encoded at the end,
 * so that the indexes of the other parts stay the same.
 */
const DROPPED_PART: Part = { type: "text", text: "" };

class GeminiStreamEncoder implements Omit<StreamEncoder, "losses"> {
  readonly #context: EncodeContext<GeminiLossCode>;
  readonly #silentContext: EncodeContext<GeminiLossCode>;
  readonly #follower = new AnswerFollower();
  #state: GeminiEncodeState;
  #candidates: GeminiCandidateEncoder[] = [];
  /** The fields that every event of an answer repeats: model version, response id and creation time. */
  #head: JsonObject = {};
  #hasIndex = true;
  #usage: Partial<Usage> = {};
  #counts: JsonObject | undefined;
  /**
   * An event with all repeated fields and `candidates: null`, which is copied for each event. Undefined if it must be
   * built (again) for the next event.
   */
  #eventTemplate: JsonObject | undefined;
  #hasEmitted = false;

  constructor(context: EncodeContext<GeminiLossCode>) {
    this.#context = context;
    this.#silentContext = withDetachedReport({ ...context, repair: false });
    this.#state = createEncodeState(this.#silentContext, true);
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    if (draft !== undefined) {
      const choice = (this.#candidates[draft.choice] ??= this.#newCandidate(draft.choice));
      choice.push(draft, delta);
      return choice.pending.length === 0 ? [] : this.#flush(choice, draft.choice);
    }
    switch (delta.kind) {
      case "start":
        this.#begin(delta.payload);
        return [];
      case "usage":
        this.#updateCounts(delta.payload);
        return [];
      case "done":
        return this.#finish(undefined);
      case "error":
        return this.#finish(delta.payload);
      default:
        this.#context.report.addLoss("stream-result-dropped");
        return [];
    }
  }

  end(): WireEvent[] {
    return this.#follower.isOpen ? this.push(createTruncatedDelta()) : [];
  }

  #newCandidate(index: number): GeminiCandidateEncoder {
    while (this.#candidates.length < index) this.#candidates.push(this.#newCandidate(this.#candidates.length));
    return new GeminiCandidateEncoder(this.#context, this.#state);
  }

  #begin({ modelId, requestId, createdAt, extra }: StartPayload): void {
    this.#candidates = [];
    this.#state = createEncodeState(this.#silentContext, true);
    this.#usage = {};
    this.#counts = undefined;
    this.#eventTemplate = undefined;
    this.#hasEmitted = false;
    const head: JsonObject = {};
    if (modelId !== "") head["modelVersion"] = modelId;
    if (createdAt !== undefined) head["createTime"] = createdAt;
    if (requestId !== "") head["responseId"] = requestId;
    this.#hasIndex = extra === undefined || readForm({ extra }, this.#context.dialect)["index"] !== null;
    this.#head = extra === undefined ? head : restoreSpelling(head, { extra }, this.#silentContext);
  }

  /** Returns an event for each pending part. */
  #flush(choice: GeminiCandidateEncoder, index: number): WireEvent[] {
    const { pending } = choice;
    choice.pending = [];
    this.#hasEmitted = true;
    const events: WireEvent[] = [];
    for (const part of pending) {
      const candidates = [this.#toWireCandidate(index, part)];
      // Google's SDK treats the first entry as candidate 0 and ignores its index, so an empty entry for candidate 0 is
      // added.
      if (index > 0)
        candidates.unshift(this.#toWireCandidate(0, this.#candidates[0]?.createEmptyText() ?? { text: "" }));
      events.push({ data: this.#toEvent(candidates) });
    }
    return events;
  }

  #toWireCandidate(index: number, part: GeminiPart): JsonObject {
    const content = { role: "model", parts: [part] };
    return index > 0 || this.#hasIndex ? { content, index } : { content };
  }

  #toEvent(candidates: JsonObject[]): JsonObject {
    this.#counts ??= encodeCounts(this.#usage);
    this.#eventTemplate ??= this.#newEventTemplate(this.#counts);
    // Copying the template is faster than adding its fields to a new object.
    const data = { ...this.#eventTemplate };
    data["candidates"] = candidates;
    if (data["usageMetadata"] !== undefined) data["usageMetadata"] = this.#counts;
    return data;
  }

  #newEventTemplate(usageMetadata: JsonObject): JsonObject {
    const isCounted = Object.keys(usageMetadata).length > 0;
    return isCounted ? { candidates: null, usageMetadata, ...this.#head } : { candidates: null, ...this.#head };
  }

  #updateCounts(payload: UsagePayload): void {
    for (const field of COUNT_FIELDS) {
      const count = payload[field];
      if (count === undefined || count === this.#usage[field]) continue;
      this.#usage[field] = count;
      this.#counts = undefined;
      if (this.#eventTemplate?.["usageMetadata"] === undefined) this.#eventTemplate = undefined;
    }
  }

  /**
   * Returns the last events of the answer: the pending parts and the other fields of the response, then the error if
   * there is one.
   */
  #finish(error: ErrorPayload | undefined): WireEvent[] {
    const whole = this.#follower.response();
    if (whole === undefined) return [];
    const response = error === undefined ? whole : withoutInterruptedFlags(whole);
    const messages = [response.message, ...(response.alternatives ?? []).map(({ message }) => message)];
    for (const [index, message] of messages.entries()) {
      const choice = (this.#candidates[index] ??= this.#newCandidate(index));
      choice.end(message.parts, error !== undefined);
      if (choice.brokenCalls.size > 0)
        message.parts = message.parts.map((part, at) => (choice.brokenCalls.has(at) ? DROPPED_PART : part));
    }
    const { dialect, report } = this.#context;
    for (const [index, message] of messages.entries()) {
      const path = index === 0 ? [] : ["alternatives", index - 1];
      if (hasPieceForm(message, dialect))
        report.addLoss("texts-joined", [...path, "message", "extra", dialect, "$form"]);
    }
    const wire = encodeResponse(withoutUnknownEvents(response, dialect), this.#context).wire as JsonObject; // The cast is safe, because encodeResponse returns an object.
    const events = readUnknownEvents(response, dialect).map((data): WireEvent => ({ data }));
    if (error === undefined) return [...events, { data: this.#encodeLastEvent(wire, response, true) }];
    return [...events, ...this.#encodeFailure(wire, response, error)];
  }

  #encodeFailure(wire: JsonObject, response: ModelResponse, { finish }: ErrorPayload): WireEvent[] {
    const { error, ...rest } = wire;
    const failure = { data: { error: error ?? (response.error && encodeErrorField(response.error)) ?? {} } };
    const hasNoOutput = !this.#hasEmitted && this.#candidates.every(({ pending }) => pending.length === 0);
    const otherKeys = Object.keys(rest).filter((key) => key !== "candidates" && !Object.hasOwn(this.#head, key));
    if (hasNoOutput && otherKeys.length === 0 && finish?.raw === undefined) return [failure];
    // Finish reason and error are written in one event, so that no client treats the answer as complete.
    if (finish?.raw !== undefined)
      return [{ data: { ...this.#encodeLastEvent(rest, response, true), ...failure.data } }];
    return [{ data: this.#encodeLastEvent(rest, response, false) }, failure];
  }

  /** Returns the last event of the response. If `isComplete` is false, the event has no finish reason. */
  #encodeLastEvent(wire: JsonObject, response: ModelResponse, isComplete: boolean): JsonObject {
    const { candidates } = wire;
    const list = Array.isArray(candidates) && candidates.length > 0 ? candidates : undefined;
    if (list === undefined && (!isComplete || response.error !== undefined || isBlocked(wire))) return wire;
    const lastCandidates = (list ?? [{ content: { role: "model", parts: [] }, index: 0 }]).map((each, index) =>
      this.#encodeLastCandidate(each, index, isComplete),
    );
    // Clients treat a stream without a finish reason as interrupted, so a missing finish reason is added to each
    // candidate of a complete answer.
    const choices = [response, ...(response.alternatives ?? [])];
    for (const [index, each] of lastCandidates.entries()) {
      if (!isComplete || response.error !== undefined || "finishReason" in each || "finish_reason" in each) continue;
      const { finishReason, message } = choices[index] ?? response;
      if (index > 0 && message.parts.length === 0) continue;
      each["finishReason"] = FINISH_REASONS.toWire(finishReason.unified) ?? "OTHER";
      const path = index === 0 ? [] : ["alternatives", index - 1];
      this.#context.report.addLoss("finish-reason-approximated", [...path, "finishReason"]);
    }
    return { ...wire, candidates: lastCandidates };
  }

  #encodeLastCandidate(rawCandidate: JsonValue, index: number, isComplete: boolean): JsonObject {
    const {
      finishReason,
      finish_reason: snakeCaseValue,
      ...otherKeys
    } = isObject(rawCandidate) ? withStreamPositions(rawCandidate) : {};
    const candidate: JsonObject = { ...otherKeys };
    const choice = this.#candidates[index];
    const { pending = [] } = choice ?? {};
    if (isComplete && finishReason !== undefined) candidate["finishReason"] = finishReason;
    if (isComplete && snakeCaseValue !== undefined) candidate["finish_reason"] = snakeCaseValue;
    this.#setIndex(candidate, index);
    const { content } = candidate;
    // Google's SDK treats an event without parts as an invalid answer, so an empty text is added if no part is pending.
    if (isObject(content) && (pending.length > 0 || content["parts"] !== undefined)) {
      if (content["role"] === undefined) this.#reportStaleForm(index, "role", "message");
      candidate["content"] = { role: "model", ...content, parts: pending.length > 0 ? pending : [{ text: "" }] };
    }
    return candidate;
  }

  /**
   * Sets the index of a candidate, because a stream needs the index to identify the candidate. Reports the loss of a
   * different index in the residue, or of a form that records that the response had no index.
   */
  #setIndex(candidate: JsonObject, index: number): void {
    const { dialect, report } = this.#context;
    const isPlain =
      candidate["index"] === index || (index === 0 && !this.#hasIndex && candidate["index"] === undefined);
    if (isPlain) return;
    if (candidate["index"] === undefined) this.#reportStaleForm(index, "index");
    else {
      const path = index === 0 ? ["extra", dialect, "candidates"] : ["alternatives", index - 1, "extra", dialect];
      report.addLoss("residue-conflict", [...path, "index"]);
    }
    candidate["index"] = index;
  }

  #reportStaleForm(index: number, formKey: string, ...inner: string[]): void {
    const path = index === 0 ? [] : ["alternatives", index - 1];
    this.#context.report.addLoss("form-stale", [...path, ...inner, "extra", this.#context.dialect, "$form", formKey]);
  }
}

/** True if the prompt was blocked. Such an answer ends without candidates. */
function isBlocked({ promptFeedback, prompt_feedback: snakeCaseValue }: JsonObject): boolean {
  const feedback = promptFeedback ?? snakeCaseValue;
  return isObject(feedback) && (feedback["blockReason"] ?? feedback["block_reason"]) !== undefined;
}
