// Decodes Gemini streams. Each event is a partial response. Its parts become deltas at once; all other fields are
// merged, and at the end of the stream they are decoded like a response.
import { disassemble } from "../../../assembly/disassemble.ts";
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Extra, WithExtra } from "../../../model/parts.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder, Renames } from "../../dialect.ts";
import { copyField, isObject, readObject } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { createErrorDelta, createStartDelta, createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";
import { storeUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { decodeError } from "../response/errors.ts";
import { AnswerDecodeState } from "../content/decode-state.ts";
import type { AnswerHead } from "../response/response.ts";
import { decodeResponseBody, readAnswerHead } from "../response/response.ts";
import type { FieldSpelling } from "../content/snake-case-fields.ts";
import { storeSpelling, normalizeFieldNames } from "../content/snake-case-fields.ts";
import { GeminiCandidateDecoder, countFields } from "./candidate-decoder.ts";
import { decodeCounts } from "../response/usage.ts";

/**
 * Limit for the index of a candidate. No provider returns so many candidates; the limit bounds the memory that an
 * invalid index can use.
 */
const MAX_CANDIDATES = 64;

export function createStreamDecoder(context: DecodeContext, { names: renames }: DecodeReplyOptions): EventDecoder {
  return new GeminiStreamDecoder(context, renames);
}

class GeminiStreamDecoder implements EventDecoder {
  readonly #context: DecodeContext;
  readonly #renames: Renames | undefined;
  #answer: GeminiAnswerDecoder | undefined;
  #hasBegun = false;
  /** The first event of the stream; undefined once a second event has arrived. */
  #onlyEvent: JsonObject | undefined;
  /** For every call of all answers, by its id: true once its result has arrived. */
  readonly #hasResultByCall = new Map<string, boolean>();

  constructor(context: DecodeContext, renames: Renames | undefined) {
    this.#context = context;
    this.#renames = renames;
  }

  push(data: unknown): Delta[] {
    if (data === "[DONE]") return [];
    if (Array.isArray(data)) return data.flatMap((each: unknown) => this.push(each));
    const event = readObject(data, this.#context);
    const deltas: Delta[] = [];
    if (this.#answer?.isFollowedBy(event) === true) this.#close(deltas);
    // After the end of an answer, events without content are ignored; an event with content starts the next answer.
    if (this.#answer === undefined && this.#hasBegun && !hasAnswerContent(event)) return deltas;
    this.#onlyEvent = this.#hasBegun ? undefined : event;
    const answer = (this.#answer ??= this.#begin(event, deltas));
    answer.decodeEvent(event, deltas);
    if (answer.hasFailed) this.#close(deltas);
    return deltas;
  }

  #begin(event: JsonObject, deltas: Delta[]): GeminiAnswerDecoder {
    this.#hasBegun = true;
    return new GeminiAnswerDecoder(event, this.#context, this.#renames, this.#hasResultByCall, deltas);
  }

  #close(deltas: Delta[], reason: Delta = createTruncatedDelta()): void {
    this.#answer?.end(deltas, reason);
    this.#answer = undefined;
  }

  end(reason: Delta = createTruncatedDelta()): Delta[] {
    const deltas: Delta[] = [];
    if (!this.#hasBegun) deltas.push(createStartDelta({ modelId: "", requestId: "" }), reason);
    this.#hasBegun = true;
    this.#close(
      deltas,
      this.#onlyEvent !== undefined && !hasAnswerField(this.#onlyEvent)
        ? createErrorDelta(decodeError(this.#onlyEvent, undefined))
        : reason,
    );
    return deltas;
  }
}

/**
 * True if an event has a field of a response. If the only event of a stream has no such field, it is an error body that
 * an intermediary sent.
 */
function hasAnswerField(event: JsonObject): boolean {
  const wire = normalizeFieldNames(event, {});
  return ["candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId"].some(
    (key) => wire[key] !== undefined,
  );
}

function hasAnswerContent({ candidates, promptFeedback, error }: JsonObject): boolean {
  return (Array.isArray(candidates) && candidates.length > 0) || isObject(promptFeedback) || isObject(error);
}

class GeminiAnswerDecoder {
  hasFailed = false;
  readonly #head: AnswerHead;
  readonly #context: DecodeContext;
  readonly #state: AnswerDecodeState;
  readonly #hasResultByCall: Map<string, boolean>;
  /** Fields of the response other than candidates and usage, under their wire names. */
  readonly #responseFields: JsonObject = {};
  readonly #candidates: GeminiCandidateDecoder[] = [];
  readonly #hasIndex: boolean;
  #usage: JsonObject | undefined;
  readonly #unknownEvents: JsonValue[] = [];

  constructor(
    event: JsonObject,
    context: DecodeContext,
    renames: Renames | undefined,
    calls: Map<string, boolean>,
    deltas: Delta[],
  ) {
    const spelling: FieldSpelling = {};
    this.#head = readAnswerHead(normalizeFieldNames(event, spelling));
    this.#context = context;
    this.#hasResultByCall = calls;
    this.#state = new AnswerDecodeState(context, renames, this.#head.id, new Set(calls.keys()));
    const [first] = Array.isArray(event["candidates"]) ? event["candidates"] : [];
    this.#hasIndex = !isObject(first) || first["index"] !== undefined;
    // The encoder writes all events in the spelling of the first event (candidates without `index`, snake_case names),
    // so only the spelling of the first event is stored.
    const form: WithExtra = {};
    if (!this.#hasIndex) storeForm(form, context.dialect, "index", null);
    storeSpelling(form, context.dialect, spelling);
    const { id: requestId, model: modelId, ...time } = this.#head;
    deltas.push(createStartDelta({ modelId, requestId, ...time, ...form }));
  }

  /**
   * True if an event starts the next answer: this answer is finished, and the event has content and a different
   * response id.
   */
  isFollowedBy(event: JsonObject): boolean {
    const { responseId = event["response_id"] } = event;
    if (responseId === this.#head.id || this.#head.id === "" || typeof responseId !== "string") return false;
    return this.#isFinished && hasAnswerContent(event);
  }

  get #isFinished(): boolean {
    if (this.#candidates.length > 0) {
      // A candidate without parts does not count as open: it may exist only because a candidate with a higher index
      // arrived first.
      const isOpen = this.#candidates.some(({ isFinished, parts }) => !isFinished && parts.length > 0);
      return !isOpen && this.#candidates.some((each) => each.isFinished);
    }
    const { promptFeedback: feedback = this.#responseFields["prompt_feedback"] } = this.#responseFields;
    return isObject(feedback) && typeof (feedback["blockReason"] ?? feedback["block_reason"]) === "string";
  }

  /**
   * Decodes one event. Nearly every event repeats `modelVersion` and `responseId` with the same values. Fields besides
   * candidates and usage are therefore stored only if the event has more than these repeated fields.
   */
  decodeEvent(event: JsonObject, deltas: Delta[]): void {
    const { candidates, usageMetadata: usage, modelVersion, responseId } = event;
    let otherFieldCount = countFields(event);
    if (candidates !== undefined) otherFieldCount--;
    if (modelVersion !== undefined && modelVersion === this.#responseFields["modelVersion"]) otherFieldCount--;
    if (responseId !== undefined && responseId === this.#responseFields["responseId"]) otherFieldCount--;
    if (isObject(usage)) {
      otherFieldCount--;
      this.#decodeUsage(usage, deltas);
    }
    if (otherFieldCount > 0) this.#storeResponseFields(event);
    if (Array.isArray(candidates)) this.#decodeCandidates(candidates, deltas);
    else if (candidates === null) this.#responseFields["candidates"] ??= null;
    else if (candidates !== undefined) this.#unknownEvents.push({ candidates });
  }

  #storeResponseFields(event: JsonObject): void {
    for (const key in event) {
      const value = event[key];
      if (key === "candidates" || (key === "usageMetadata" && isObject(value))) continue;
      if (value !== undefined && this.#responseFields[key] !== value) copyField(event, key, this.#responseFields);
    }
    this.hasFailed = isObject(this.#responseFields["error"]);
  }

  #decodeCandidates(list: readonly JsonValue[], deltas: Delta[]): void {
    this.#responseFields["candidates"] = NO_CANDIDATES;
    for (let at = 0; at < list.length; at++) {
      const wire = list[at];
      if (!isObject(wire)) {
        this.#unknownEvents.push({ candidates: [wire ?? null] });
        continue;
      }
      const { index } = wire;
      const isValidIndex = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MAX_CANDIDATES;
      const choice = isValidIndex ? index : at;
      const candidate = (this.#candidates[choice] ??= this.#newCandidate(choice));
      const isNewIndex = index !== undefined && index !== candidate.fields["index"];
      if (isNewIndex && (choice > 0 || this.#hasIndex)) copyField(wire, "index", candidate.fields);
      candidate.decode(wire, deltas, this.#unknownEvents);
    }
  }

  #newCandidate(choice: number): GeminiCandidateDecoder {
    while (this.#candidates.length < choice) this.#candidates.push(this.#newCandidate(this.#candidates.length));
    return new GeminiCandidateDecoder(choice, this.#state, this.#hasResultByCall);
  }

  /** Decodes the token counts of an event, which are cumulative (B65). A missing count is unchanged. */
  #decodeUsage(wire: JsonObject, deltas: Delta[]): void {
    const known = this.#usage;
    this.#usage = known === undefined ? wire : mergeUsage(known, wire);
    if (known !== undefined && !hasChangedCount(wire, known)) return;
    const { inputTokens, outputTokens, totalTokens, cacheReadTokens, reasoningTokens } = decodeCounts(this.#usage);
    if (totalTokens === 0) return;
    const payload: Extract<Delta, { kind: "usage" }>["payload"] = { inputTokens, outputTokens, totalTokens };
    if (cacheReadTokens !== undefined) payload.cacheReadTokens = cacheReadTokens;
    if (reasoningTokens !== undefined) payload.reasoningTokens = reasoningTokens;
    deltas.push({ kind: "usage", payload });
  }

  /** Emits the end of the answer. If the answer is not finished, emits `reason` as its last delta (B73). */
  end(deltas: Delta[], reason: Delta): void {
    for (const candidate of this.#candidates) candidate.end(deltas);
    const response = this.#decodeWholeAnswer();
    for (const candidate of this.#candidates) candidate.emitTextMetadata(deltas);
    if (response.usage !== undefined) deltas.push({ kind: "usage", payload: { ...response.usage } });
    const { dialect } = this.#context;
    const { message } = response;
    const isComplete = !this.hasFailed && this.#isFinished;
    // An incomplete answer ends with an error delta, which has no message, so the residue of the message is stored on
    // the response.
    const { $form: _, ...messageResidue } = message.extra?.[dialect] ?? {};
    if (!isComplete && Object.keys(messageResidue).length > 0)
      storeResidue(response, dialect, messageResidue, ["candidates", "content"]);
    const { extra } = response;
    if (!isComplete && !this.hasFailed) {
      deltas.push(addResidue(reason, extra, dialect));
      return;
    }
    const finalDelta = createFinalDelta(response);
    if (extra !== undefined) finalDelta.payload.extra = extra;
    if (finalDelta.kind === "done" && message.extra !== undefined)
      finalDelta.payload.message = { extra: message.extra };
    deltas.push(finalDelta);
  }

  /** Decodes the merged body as a response; the parts are those that were decoded from the events. */
  #decodeWholeAnswer(): ModelResponse {
    const top = this.#responseFields;
    const candidates = this.#candidates;
    const usage = this.#usage;
    const head = this.#head;
    const context = this.#context;
    const { dialect } = context;
    const body: JsonObject = { ...top };
    if (usage !== undefined) body["usageMetadata"] = usage;
    if (candidates.length > 0) body["candidates"] = candidates.map((each) => each.toWireCandidate());
    this.#state.streamedParts = candidates.map(({ parts }) => parts);
    context.pathTracker.reset();
    const spelling: FieldSpelling = {};
    const wire = normalizeFieldNames(body, spelling);
    const response = decodeResponseBody(wire, spelling, this.#state);
    // The start delta was emitted with the id, model and time of the first event. Values of the merged body that differ
    // from it are stored as residue.
    for (const [field, key] of HEAD_FIELDS) {
      const value = wire[key];
      if (response[field] !== head[field] && value !== undefined) storeResidue(response, dialect, { [key]: value });
    }
    storeUnknownEvents(response, dialect, this.#unknownEvents);
    return response;
  }
}

const NO_CANDIDATES: JsonValue[] = [];
const HEAD_FIELDS = [
  ["id", "responseId"],
  ["model", "modelVersion"],
  ["createdAt", "createTime"],
] as const;

/** Returns the token counts of an event, plus the counts of earlier events that this event omits. */
function mergeUsage(known: JsonObject, value: JsonObject): JsonObject {
  for (const key in known) {
    if (value[key] !== undefined) continue;
    const mergedCounts: JsonObject = {};
    for (const each of Object.keys(known)) copyField(known, each, mergedCounts);
    for (const each of Object.keys(value)) copyField(value, each, mergedCounts);
    return mergedCounts;
  }
  return value;
}

/** True if an event has a count that differs from the known count. */
function hasChangedCount(value: JsonObject, known: JsonObject): boolean {
  for (const key in value) if (typeof value[key] === "number" && value[key] !== known[key]) return true;
  return false;
}

type FinalDelta = Extract<Delta, { kind: "done" | "error" }>;

/**
 * Returns the `done` or `error` delta of a response. The parts are left out of the response, because their deltas are
 * already emitted.
 */
function createFinalDelta({ message, alternatives, ...response }: ModelResponse): FinalDelta {
  const emptyAlternatives = alternatives?.map((each) => ({ ...each, message: { ...each.message, parts: [] } }));
  const deltas = disassemble({
    ...response,
    message: { ...message, parts: [] },
    ...(emptyAlternatives && { alternatives: emptyAlternatives }),
  });
  return deltas.at(-1) as FinalDelta; // The cast is safe: the last delta of disassemble is always "done" or "error".
}

/** Adds the residue of an interrupted answer to its error delta. */
function addResidue(reason: Delta, extra: Extra | undefined, dialect: string): Delta {
  const { $form: _, ...residue } = extra?.[dialect] ?? {};
  if (reason.kind !== "error" || Object.keys(residue).length === 0) return reason;
  return { ...reason, payload: { ...reason.payload, extra: { [dialect]: residue } } };
}
