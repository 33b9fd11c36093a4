// Encodes deltas as a stream of chunks. Texts and arguments are sent at once, other parts when they are complete. At
// the end the complete response is encoded, which yields the losses and the fields that no chunk has sent.
import type { Delta, StartPayload } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { EncodeContext, EncodeStreamOptions, StreamEncoder, WireEvent } from "../../dialect.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import { AnswerFollower } from "../../kit/streams/answer-follower.ts";
import { withoutInterruptedFlags } from "../../kit/streams/assembly-metadata.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { createTruncatedDelta, withDetachedReport } from "../../kit/streams/stream-deltas.ts";
import { wasContentList } from "../messages/content-blocks.ts";
import type { ChatLossCode } from "../losses.ts";
import { encodeResponse } from "../response/response.ts";
import { ORDER_FORM } from "./part-fields.ts";
import { copyFields } from "./merge-chunks.ts";
import { ChatChoiceEncoder } from "./choice-encoder.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { readFormValue, createEncodeState } from "../encode-state.ts";

const CHUNK = "chat.completion.chunk";
/** The number of fields in the last chunk of a choice without residue: index, delta, logprobs and finish_reason. */
const PLAIN_ENDING_FIELDS = 4;
/** Response fields that `#unsentFields` ignores, because the stream sends them in events or places of their own. */
const HANDLED_FIELDS: ReadonlySet<string> = new Set(["id", "object", "choices", "usage", "error"]);

/** Returns a context that discards losses, because the losses are reported once, from the complete response. */
function withoutReport(context: EncodeContext<ChatLossCode>): EncodeContext<ChatLossCode> {
  return withDetachedReport({ ...context, repair: false });
}

export function createChunkEncoder(
  context: EncodeContext<ChatLossCode>,
  { includeUsage = false }: EncodeStreamOptions,
): Omit<StreamEncoder, "losses"> {
  const follower = new AnswerFollower();
  let answer: ChatAnswerEncoder | undefined;
  const push = (delta: Delta): WireEvent[] => {
    const draft = follower.push(delta);
    if (draft !== undefined) return answer?.push(draft, delta) ?? [];
    if (delta.kind === "start") {
      answer = new ChatAnswerEncoder(context, delta.payload);
      return answer.begin();
    }
    if (delta.kind === "part") context.report.addLoss("stream-result-dropped");
    if (delta.kind !== "done" && delta.kind !== "error") return [];
    const response = follower.response();
    const ended = response === undefined ? [] : (answer?.end(response, delta.kind === "error", includeUsage) ?? []);
    answer = undefined;
    return ended;
  };
  return { push, end: () => (follower.isOpen ? push(createTruncatedDelta()) : []) };
}

class ChatAnswerEncoder {
  readonly #context: EncodeContext<ChatLossCode>;
  readonly #state: ChatEncodeState;
  /** Top-level fields that every chunk repeats. */
  readonly #everyChunk: JsonObject = {};
  /** Top-level fields that only the first chunk has. */
  readonly #firstChunk: JsonObject = {};
  readonly #choices: ChatChoiceEncoder[] = [];
  readonly #start: StartPayload;
  #events: WireEvent[] = [];
  #isFirstChunk = true;

  constructor(context: EncodeContext<ChatLossCode>, start: StartPayload) {
    this.#context = context;
    this.#start = start;
    this.#state = createEncodeState(withoutReport(context), true);
    const { requestId: id, modelId: model, createdAt, extra } = start;
    const known: ModelResponse = {
      id,
      model,
      message: { role: "assistant", parts: [] },
      finishReason: { unified: "stop" },
    };
    if (createdAt !== undefined) known.createdAt = createdAt;
    if (extra !== undefined) known.extra = extra;
    // The cast is safe, because `encodeResponse` returns an object.
    const wire = encodeResponse(known, withoutReport(context)).wire as JsonObject;
    for (const key in wire) {
      if (key === "choices") continue;
      const value = wire[key];
      // Every chunk repeats the short fields. The other fields are sent with the first chunk only.
      const isShort = value === null || typeof value === "string" || key === "created";
      if (value !== undefined) copyField(wire, key, isShort ? this.#everyChunk : this.#firstChunk);
    }
    if (this.#everyChunk["object"] === "chat.completion") this.#everyChunk["object"] = CHUNK;
  }

  /** Sends the first chunk, unless the decoded answer had no choices. */
  begin(): WireEvent[] {
    const { extra } = this.#start;
    if (extra === undefined || readFormValue({ extra }, "choices", this.#state) === undefined)
      this.#findOrCreateChoice(0);
    return this.#takeEvents();
  }

  #takeEvents(): WireEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #emitChunk(choices: JsonObject[], otherFields?: JsonObject): void {
    const data: JsonObject = { ...this.#everyChunk };
    if (this.#isFirstChunk) copyFields(data, this.#firstChunk);
    data["choices"] = choices;
    if (otherFields !== undefined) copyFields(data, otherFields);
    this.#isFirstChunk = false;
    this.#events.push({ data });
  }

  #findOrCreateChoice(index: number): ChatChoiceEncoder {
    const known = this.#choices[index];
    if (known !== undefined) return known;
    const fields = index === 0 ? this.#start.message : undefined;
    const emitDelta = (delta: JsonObject, logprobs: JsonObject | null): void =>
      this.#emitChunk([{ index, delta, logprobs, finish_reason: null }]);
    const encoder = new ChatChoiceEncoder(this.#state, this.#context, fields?.extra, emitDelta);
    this.#choices[index] = encoder;
    // The first chunk of a choice contains the role (B84).
    emitDelta({ role: "assistant", content: "", refusal: null }, null);
    return encoder;
  }

  push(draft: PartDraft, delta: Delta): WireEvent[] {
    this.#findOrCreateChoice(draft.choice).push(draft, delta);
    return this.#takeEvents();
  }

  /** Sends the remaining content, the finish reasons, and the usage or the error. */
  end(response: ModelResponse, isFailed: boolean, includeUsage: boolean): WireEvent[] {
    const wire = this.#encodeWholeAnswer(response, isFailed);
    const { choices, usage, error } = wire as JsonObject; // The cast is safe, because the encoder returns an object.
    const isEmpty = isFailed && this.#choices.length === 0 && response.message.parts.length === 0;
    const list = Array.isArray(choices) && !isEmpty ? choices : [];
    const messages = [response.message, ...(response.alternatives ?? []).map((each) => each.message)];
    const endings = list.flatMap((choice, index) =>
      isObject(choice) ? [this.#finishChoice(choice, index, messages[index])] : [],
    );
    const otherFields = this.#unsentFields(wire as JsonObject);
    if (isFailed) {
      const { finishReason, alternatives = [] } = response;
      const rawReasons = [finishReason, ...alternatives.map((each) => each.finishReason)].map(({ raw }) => raw);
      endings.forEach((ending, at) => {
        // An interrupted choice has no finish reason on the wire.
        if (rawReasons[at] === undefined) ending["finish_reason"] = null;
        if (rawReasons[at] !== undefined || Object.keys(ending).length > PLAIN_ENDING_FIELDS) this.#emitChunk([ending]);
      });
      const hasStartResidue = this.#isFirstChunk && this.#start.extra?.[this.#context.dialect] !== undefined;
      if (otherFields !== undefined || hasStartResidue) this.#emitChunk([], otherFields);
      // Clients detect a failed stream by an event that has only an `error` field.
      this.#events.push({ data: { error: error ?? null } });
      return this.#takeEvents();
    }
    const hasUsage = includeUsage && usage !== undefined;
    const last = endings.length - 1;
    endings.forEach((ending, at) => this.#emitChunk([ending], at === last && !hasUsage ? otherFields : undefined));
    if (hasUsage) this.#emitChunk([], copyFields(otherFields ?? {}, { usage }));
    else if (last < 0) this.#emitChunk([], otherFields);
    this.#events.push({ data: "[DONE]" });
    return this.#takeEvents();
  }

  /** Encodes the complete response and reports its losses, except the losses that do not occur in a stream. */
  #encodeWholeAnswer(response: ModelResponse, isFailed: boolean): unknown {
    const { losses } = this.#context.report;
    const before = losses.length;
    const { wire } = encodeResponse(isFailed ? withoutInterruptedFlags(response) : response, this.#context);
    const reported = losses.splice(before).filter(({ code, path }) => {
      // A failed stream ends with an error instead of a finish reason.
      if (code === "finish-reason-approximated") return !isFailed;
      return code !== "parts-reordered" || !this.#hasStreamOrder(response, path);
    });
    losses.push(...reported);
    return wire;
  }

  /**
   * True if the form of the choice at `path` states that its parts were streamed in an order that chunks can express,
   * but the fields of a message cannot.
   */
  #hasStreamOrder(response: ModelResponse, path: string): boolean {
    const { message, alternatives = [] } = response;
    const [, field, index] = path.split("/");
    const choiceMessage = field === "alternatives" ? alternatives[Number(index)]?.message : message;
    const isFirst = choiceMessage === message && readFormValue(response, ORDER_FORM, this.#state) !== undefined;
    return isFirst || readFormValue(choiceMessage ?? {}, ORDER_FORM, this.#state) !== undefined;
  }

  #finishChoice(wire: JsonObject, index: number, choiceMessage: Message | undefined): JsonObject {
    const { message, logprobs, finish_reason: wireReason = null } = wire;
    const wasList = choiceMessage !== undefined && wasContentList(choiceMessage, this.#state);
    this.#findOrCreateChoice(index).finish(
      isObject(message) ? message : {},
      isObject(logprobs) ? logprobs : undefined,
      wasList,
    );
    const otherLogprobs = isObject(logprobs) || logprobs === undefined ? null : logprobs;
    const ending: JsonObject = { index, delta: {}, logprobs: otherLogprobs, finish_reason: wireReason };
    for (const key in wire) if (!Object.hasOwn(ending, key) && key !== "message") copyField(wire, key, ending);
    return ending;
  }

  /** Returns the fields of the complete response that no chunk has sent; undefined if all have been sent. */
  #unsentFields(top: JsonObject): JsonObject | undefined {
    let rest: JsonObject | undefined;
    for (const key in top) {
      const value = top[key];
      if (value === undefined || HANDLED_FIELDS.has(key)) continue;
      const sent = Object.hasOwn(this.#everyChunk, key) ? this.#everyChunk : this.#firstChunk;
      if (Object.hasOwn(sent, key) && sameJson(value, sent[key])) continue;
      copyField(top, key, (rest ??= {}));
    }
    return rest;
  }
}
