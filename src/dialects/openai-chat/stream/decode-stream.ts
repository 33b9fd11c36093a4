// Decodes a stream of chunks into deltas. An answer ends with "[DONE]", with the end of the input, or with the first
// chunk of the next answer. It does not end with its finish reason, because usage can follow.
import { disassemble } from "../../../assembly/disassemble.ts";
import type { Delta, DoneAlternative, DonePayload, ErrorPayload, MessageFields } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { Extra } from "../../../model/parts.ts";
import type { ProviderError } from "../../../model/provider-error.ts";
import type { Alternative, ModelResponse } from "../../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder } from "../../dialect.ts";
import { findCutOffCall } from "../../kit/tools/cut-off-calls.ts";
import { isObject, readObject } from "../../kit/fields/read-wire.ts";
import { dropForm, storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { StreamCallIds } from "../../kit/streams/stream-tool-calls.ts";
import { createErrorDelta, createStartDelta, createTruncatedDelta } from "../../kit/streams/stream-deltas.ts";
import { collectField, createDecodeState } from "../decode-state.ts";
import { DETAILS_FIELD } from "../messages/reasoning.ts";
import { decodeDate, decodeResponse } from "../response/response.ts";
import { ChatChoiceDecoder } from "./choice-decoder.ts";
import { ORDER_FORM } from "./part-fields.ts";
import { findError, isPing, isWholeAnswer, hasContent, WHOLE_OBJECT } from "./chunk-kinds.ts";
import { overwriteField } from "./merge-chunks.ts";
import { newExtra } from "../../openai/emitted-part.ts";
import { ChatChoiceFinisher } from "./finish-choice.ts";
import { decodeUsage } from "../response/usage.ts";

const CHUNK = "chat.completion.chunk";
/** OpenAI's limit of choices. A larger index is read as 0, so that it does not allocate a huge list. */
const MAX_CHOICES = 128;

export function createChunkDecoder(context: DecodeContext, options: DecodeReplyOptions): EventDecoder {
  const callIds = new StreamCallIds();
  let answer: ChatAnswerDecoder | undefined;
  let isFirst = true;
  const begin = (): ChatAnswerDecoder => {
    isFirst = false;
    return (answer ??= new ChatAnswerDecoder(context, options, callIds));
  };
  const close = (): Delta[] => {
    const closed = answer?.finish() ?? [];
    answer = undefined;
    return closed;
  };
  return {
    push(data, event) {
      if (data === "[DONE]") return close();
      const chunk = readObject(data, context);
      if (isPing(chunk, event)) return [];
      const error = findError(chunk, event, isFirst);
      if (error !== undefined) {
        const failed = begin().fail(chunk, error);
        answer = undefined;
        return failed;
      }
      const { choices } = chunk;
      const hasChoices = Array.isArray(choices) ? choices.length > 0 : (choices ?? null) !== null;
      // A chunk without choices after the end of an answer still belongs to that answer and is ignored.
      if (answer === undefined && !isFirst && !hasChoices) return [];
      if (answer === undefined && isWholeAnswer(chunk)) {
        isFirst = false;
        return disassemble(decodeWholeAnswer(chunk, context, options, callIds));
      }
      const before = hasChoices && answer?.isFollowedBy(chunk) === true ? close() : undefined;
      const deltas = begin().push(chunk, hasChoices);
      return before === undefined ? deltas : [...before, ...deltas];
    },
    end(reason = createTruncatedDelta()) {
      const open = answer ?? (isFirst ? begin() : undefined);
      answer = undefined;
      if (open === undefined) return [];
      return open.isComplete && open.hasFinishReasons ? open.finish() : open.breakOff(reason);
    },
  };
}

function decodeWholeAnswer(
  chunk: JsonObject,
  context: DecodeContext,
  options: DecodeReplyOptions,
  callIds: StreamCallIds,
): ModelResponse {
  const response = decodeResponse(chunk, context, options);
  for (const { message } of [response, ...(response.alternatives ?? [])]) {
    for (const part of message.parts) if (part.type === "tool-call") callIds.assignId(part, context.dialect);
  }
  return response;
}

/** Chunk fields that are decoded. All other fields become residue. */
const HANDLED_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "obfuscation",
  "error",
]);

class ChatAnswerDecoder {
  readonly #context: DecodeContext;
  readonly #options: DecodeReplyOptions;
  readonly #callIds: StreamCallIds;
  readonly #choices: (ChatChoiceDecoder | undefined)[] = [];
  /** Top-level fields without a canonical counterpart, merged from all chunks. */
  readonly #otherFields: JsonObject = {};
  /** The id, model and creation time of the answer, in the format of a response. */
  readonly #headFields: JsonObject = { id: "", object: WHOLE_OBJECT, model: "" };
  #isStarted = false;
  /**
   * The residue that the start delta contained. The last delta of the answer contains only residue that was added
   * later.
   */
  #extra: Extra | undefined;

  constructor(context: DecodeContext, options: DecodeReplyOptions, callIds: StreamCallIds) {
    this.#context = context;
    this.#options = options;
    this.#callIds = callIds;
  }

  /** True if every choice is complete and there is at least one choice. */
  get isComplete(): boolean {
    let isOver = false;
    for (const choice of this.#choices) {
      if (choice === undefined) continue;
      if (!choice.isComplete) return false;
      isOver = true;
    }
    return isOver;
  }

  /**
   * True if every choice has a finish reason. A choice with complete audio but without a finish reason can continue.
   */
  get hasFinishReasons(): boolean {
    return this.#choices.every((choice) => choice?.hasFinishReason !== false);
  }

  /**
   * True if a chunk starts the next answer: the current answer is complete, and the chunk has another id and content.
   */
  isFollowedBy({ id, choices }: JsonObject): boolean {
    if (typeof id !== "string" || id === this.#headFields["id"] || id === "" || !this.#isStarted || !this.isComplete)
      return false;
    return Array.isArray(choices) && choices.some((choice) => isObject(choice) && hasContent(choice["delta"]));
  }

  push(chunk: JsonObject, hasChoices: boolean): Delta[] {
    const out: Delta[] = [];
    this.#decodeFields(chunk);
    const usage = this.#findUsage(chunk);
    // The start waits for the first choice or usage, because Azure's first chunk only describes the prompt and has no
    // id.
    if (!this.#isStarted && (hasChoices || usage !== undefined)) this.#emitStart(out);
    const { choices } = chunk;
    if (Array.isArray(choices)) for (const choice of choices) this.#decodeChoice(choice, isObject(chunk["usage"]), out);
    else if (choices !== undefined && choices !== null)
      this.#findOrCreateChoice(0).emitUnexpectedField("choices", choices, out);
    if (usage !== undefined) {
      const { extra, ...counts } = decodeUsage(usage, this.#context);
      out.push({ kind: "usage", payload: extra === undefined ? counts : { ...counts, extra } });
    }
    return out;
  }

  #decodeFields(chunk: JsonObject): void {
    for (const key in chunk) {
      if (!HANDLED_FIELDS.has(key)) {
        if (this.#otherFields[key] !== chunk[key] || chunk[key] === null) overwriteField(this.#otherFields, chunk, key);
      } else if (!this.#isStarted) this.#mergeHead(chunk, key);
    }
  }

  #mergeHead(chunk: JsonObject, key: string): void {
    const value = chunk[key];
    if (key === "created") {
      if (value !== null) overwriteField(this.#headFields, chunk, key);
    } else if (key === "id" || key === "model") {
      if (value !== "" && value !== null) overwriteField(this.#headFields, chunk, key);
    } else if (key === "object" && value !== CHUNK && value !== "" && value !== null)
      overwriteField(this.#headFields, chunk, key);
  }

  /**
   * Returns the usage of a chunk from any of the places that vendors use; undefined if there is none. Usage in `x_groq`
   * is also removed from the residue.
   */
  #findUsage(chunk: JsonObject): JsonObject | undefined {
    const { usage, x_groq: groq, choices } = chunk;
    if (isObject(usage)) return usage;
    if (usage !== undefined && usage !== null) overwriteField(this.#otherFields, chunk, "usage");
    if (isObject(groq) && isObject(groq["usage"])) {
      const groqFields = this.#otherFields["x_groq"];
      const rest = isObject(groqFields) ? copyObject(groqFields) : {};
      delete rest["usage"];
      this.#otherFields["x_groq"] = rest;
      return groq["usage"];
    }
    const [choice] = Array.isArray(choices) ? choices : [];
    return isObject(choice) && isObject(choice["usage"]) ? choice["usage"] : undefined;
  }

  #emitStart(out: Delta[]): void {
    this.#isStarted = true;
    const { id, model, created } = this.#headFields;
    const target: { extra?: Extra } = {};
    if (Object.keys(this.#otherFields).length > 0) storeResidue(target, this.#context.dialect, this.#otherFields);
    const createdAt = decodeDate(created);
    if (created === undefined) storeForm(target, this.#context.dialect, "absent", ["created"]);
    else if (createdAt === undefined)
      storeResidue(target, this.#context.dialect, collectField(undefined, this.#headFields, "created"));
    if (this.#headFields["object"] !== WHOLE_OBJECT)
      storeResidue(target, this.#context.dialect, collectField(undefined, this.#headFields, "object"));
    this.#extra = target.extra;
    out.push(
      createStartDelta({
        requestId: typeof id === "string" ? id : "",
        modelId: typeof model === "string" ? model : "",
        ...(createdAt !== undefined && { createdAt }),
        ...target,
      }),
    );
  }

  #decodeChoice(value: JsonValue, hasUsage: boolean, out: Delta[]): void {
    if (!isObject(value)) return this.#findOrCreateChoice(0).emitUnexpectedField("choices", [value], out);
    const { index, usage } = value;
    const isValidIndex = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MAX_CHOICES;
    const position = isValidIndex ? index : 0;
    const choice = this.#findOrCreateChoice(position);
    const { hasFinishReason: hadFinishReason } = choice;
    if (!isObject(usage) || hasUsage) choice.decode(value, out);
    else {
      const rest = copyObject(value);
      delete rest["usage"];
      choice.decode(rest, out);
    }
    if (!hadFinishReason && choice.hasFinishReason && !choice.toolCalls.isEmpty)
      this.#emitCallEnds(choice, position, out);
  }

  /** Emits the ends of a choice's calls as soon as the choice has a finish reason. */
  #emitCallEnds(choice: ChatChoiceDecoder, position: number, out: Delta[]): void {
    const context = this.#context;
    const options = this.#options;
    const callIds = this.#callIds;
    choice.toolCalls.emitReadyCalls(out, true);
    const wire: JsonObject = { ...this.#headFields, choices: [choice.toWholeChoice(0)] };
    const { message, finishReason } = decodeResponse(wire, context, options);
    new ChatChoiceFinisher(choice, position, context.dialect, callIds, out).endCalls(
      message,
      findCutOffCall(message, finishReason),
    );
  }

  #findOrCreateChoice(position: number): ChatChoiceDecoder {
    const { id } = this.#headFields;
    const seed = typeof id === "string" ? id : "";
    return (this.#choices[position] ??= new ChatChoiceDecoder(
      position,
      // The seed differs per choice, so that the call ids that Koine makes are unique across choices (B17).
      createDecodeState(this.#context, true, position === 0 ? seed : `${seed}_${position}`, this.#options.names),
      this.#callIds,
    ));
  }

  /** Decodes the merged chunks as a response. `isDone` is false for an interrupted answer. */
  #decodeCollected(isDone: boolean): ModelResponse {
    const wire: JsonObject = copyObject(this.#headFields);
    for (const key in this.#otherFields) overwriteField(wire, this.#otherFields, key);
    const choices: JsonObject[] = [];
    const lateDetails: JsonValue[] = [];
    for (let at = 0; at < this.#choices.length; at++) {
      const choice = this.#choices[at] ?? this.#findOrCreateChoice(at);
      const wholeChoice = choice.toWholeChoice(at);
      if (!isDone) wholeChoice["finish_reason"] ??= "stop";
      const message = wholeChoice["message"];
      // The reasoning of these `reasoning_details` was already emitted as one text, so they become residue, not parts.
      if (choice.hasLateDetails && isObject(message)) {
        lateDetails[at] = message[DETAILS_FIELD] ?? null;
        delete message[DETAILS_FIELD];
      }
      choices.push(wholeChoice);
    }
    wire["choices"] = choices;
    const response = decodeResponse(wire, this.#context, this.#options);
    // `decodeResponse` stores an empty id as form. Chunks often have an empty id, so this form is removed.
    dropForm(response, this.#context.dialect, "id");
    [response, ...(response.alternatives ?? [])].forEach(({ message }, at) => {
      const details = lateDetails[at];
      if (details !== undefined) storeResidue(message, this.#context.dialect, { [DETAILS_FIELD]: details });
    });
    return response;
  }

  /** Emits the remaining deltas of every choice and returns the complete response. */
  #emitRest(isDone: boolean, out: Delta[]): ModelResponse {
    if (!this.#isStarted) this.#emitStart(out);
    this.#choices.forEach((choice) => choice?.toolCalls.emitReadyCalls(out, true));
    const response = this.#decodeCollected(isDone);
    const all: Pick<Alternative, "message" | "finishReason">[] = [response, ...(response.alternatives ?? [])];
    all.forEach(({ message, finishReason }, at) => {
      const choice = this.#choices[at];
      if (choice === undefined) return;
      const isOver = isDone || choice.isComplete;
      new ChatChoiceFinisher(choice, at, this.#context.dialect, this.#callIds, out).finishParts(
        message,
        findCutOffCall(message, finishReason),
        isOver,
      );
      if (choice.hasStreamOrder) storeForm(message, this.#context.dialect, ORDER_FORM, "said");
    });
    return response;
  }

  finish(): Delta[] {
    const out: Delta[] = [];
    const { message, finishReason, alternatives, extra: responseExtra } = this.#emitRest(true, out);
    const payload: DonePayload = { finishReason: finishReason.unified };
    if (finishReason.raw !== undefined) payload.raw = finishReason.raw;
    const fields = messageFields(message);
    if (fields !== undefined) payload.message = fields;
    if (alternatives !== undefined) payload.alternatives = alternatives.map(toDoneAlternative);
    const extra = newExtra(responseExtra, this.#extra);
    if (extra !== undefined) payload.extra = extra;
    out.push({ kind: "done", payload });
    return out;
  }

  /** Ends the answer with an error. If the chunk with the error also has content, the content is emitted first. */
  fail(chunk: JsonObject, error: ProviderError): Delta[] {
    const rest = copyObject(chunk);
    delete rest["error"];
    const isChunk = isObject(chunk["error"]);
    const { choices } = chunk;
    const out = isChunk ? this.push(rest, Array.isArray(choices) && choices.length > 0) : [];
    return [...out, ...this.breakOff(createErrorDelta(error))];
  }

  /**
   * Returns the residue of a failed answer. An error delta has no field for the message, so the residue of the message
   * is stored under `delta`.
   */
  #failedExtra(all: Extra | undefined, message: Message): Extra | undefined {
    const { dialect } = this.#context;
    const addedExtra = newExtra(all, this.#extra);
    delete addedExtra?.[dialect]?.["$form"];
    const rest = message.extra?.[dialect];
    const unknown = rest === undefined ? {} : copyObject(rest);
    delete unknown["$form"];
    const target: { extra?: Extra } = addedExtra === undefined ? {} : { extra: addedExtra };
    if (Object.keys(unknown).length > 0) storeResidue(target, dialect, { delta: unknown });
    if (this.#choices[0]?.hasStreamOrder === true) storeForm(target, dialect, ORDER_FORM, "said");
    return Object.keys(target.extra?.[dialect] ?? {}).length === 0 ? undefined : target.extra;
  }

  /** Ends an interrupted answer. `reason` is the error delta, to which the state of each choice is added. */
  breakOff(reason: Delta): Delta[] {
    const out: Delta[] = [];
    const { message, finishReason, alternatives, extra: responseExtra } = this.#emitRest(false, out);
    // The cast is safe, because the callers pass only error deltas.
    const payload: ErrorPayload = { ...(reason.payload as ErrorPayload) };
    if (this.#choices[0]?.isComplete === true) payload.finish ??= finishReason;
    if (alternatives !== undefined) {
      payload.alternatives ??= alternatives.map((alternative, at) => {
        const doneAlternative = toDoneAlternative(alternative);
        if (this.#choices[at + 1]?.isComplete === true) return doneAlternative;
        doneAlternative.finishReason = "error";
        delete doneAlternative.raw;
        return doneAlternative;
      });
    }
    const extra = this.#failedExtra(responseExtra, message);
    if (extra !== undefined) payload.extra = extra;
    out.push({ kind: "error", payload });
    return out;
  }
}

function messageFields({ name, extra }: Message): MessageFields | undefined {
  if (name === undefined && extra === undefined) return undefined;
  return { ...(name !== undefined && { name }), ...(extra !== undefined && { extra }) };
}

function toDoneAlternative({ message, finishReason, extra }: Alternative): DoneAlternative {
  const { unified, raw } = finishReason;
  const fields = messageFields(message);
  return {
    finishReason: unified,
    ...(raw !== undefined && { raw }),
    ...(extra !== undefined && { extra }),
    ...(fields !== undefined && { message: fields }),
  };
}
